import { ConfigError } from '../model/errors.js';
import type { Database, Query } from './database.js';
import { REPOSITORY_KEY } from './repository-key.js';

/** Of the tables below. A change to them raises it and is made to those that are there. */
export const SCHEMA_VERSION = 6;
/** The oldest version whose code works on these tables. Changes that only add leave it as it is. */
const OLDEST_READER = 5;

/** Two who prepare at once wait for each other; the number is any that nobody else uses. */
const PREPARING_LOCK = '7165889241510001';

const TABLES = `
create table if not exists pawl.meta (version int not null);
create table if not exists pawl.batches (
  id text primary key,
  max_cost_usd double precision,
  created_at timestamptz not null default now()
);
create table if not exists pawl.runs (
  id text primary key,
  position bigint generated always as identity,
  batch text references pawl.batches,
  repository text not null,
  base text not null,
  labels text[] not null default '{}',
  key_group text,
  spec jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'waiting', 'ended')),
  epoch int not null default 0,
  worker text,
  not_before timestamptz,
  wish text check (wish in ('pause', 'cancel')),
  iteration int not null default 0,
  last_seq int not null default 0,
  spent_usd double precision not null default 0,
  crashes int not null default 0,
  was_left boolean not null default false,
  outcome jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
create index if not exists runs_by_state on pawl.runs (state, position);
create index if not exists runs_by_worker on pawl.runs (worker);
create index if not exists runs_by_batch on pawl.runs (batch);
create table if not exists pawl.events (
  run text not null references pawl.runs,
  seq int not null,
  epoch int not null,
  line text not null,
  primary key (run, seq)
);
create table if not exists pawl.commands (
  id bigint generated always as identity primary key,
  run text not null references pawl.runs,
  command jsonb not null,
  by text not null,
  at timestamptz not null default now(),
  taken_at timestamptz
);
create index if not exists commands_by_run on pawl.commands (run, id) where taken_at is null;
create table if not exists pawl.workers (
  id text primary key,
  host text not null,
  pid int not null,
  slots int not null,
  labels text[] not null default '{}',
  started_at timestamptz not null default now()
);
create table if not exists pawl.schedules (
  name text primary key,
  cron text not null,
  time_zone text not null,
  batch text,
  runs jsonb not null,
  created_at timestamptz not null default now()
);
create table if not exists pawl.limits (
  kind text not null check (kind in ('repository', 'key_group', 'label')),
  key text not null,
  most int not null check (most >= 0),
  primary key (kind, key)
);
`;

/** Of the queue of an earlier Pawl: its workers are gone when this is done, and what they left behind was not let go of. */
const RENAMED = `
do $$ begin
  if exists (select 1 from information_schema.columns
      where table_schema = 'pawl' and table_name = 'runs' and column_name = 'api_key') then
    alter table pawl.runs rename column api_key to key_group;
    alter table pawl.limits drop constraint limits_kind_check;
    update pawl.limits set kind = 'key_group' where kind = 'api_key';
    alter table pawl.limits add constraint limits_kind_check check (kind in ('repository', 'key_group', 'label'));
    delete from pawl.workers;
    alter table pawl.workers drop column lock_key;
    update pawl.runs set was_left = false, worker = null, state = 'queued' where state = 'running';
  end if;
end $$;`;

/** What came later. */
const ADDED = `${REPOSITORY_KEY}
${RENAMED}
alter table pawl.runs add column if not exists trouble text;
alter table pawl.runs add column if not exists spend_unknown boolean not null default false;
alter table pawl.runs add column if not exists unknown_iterations int not null default 0;
alter table pawl.runs add column if not exists dearest_usd double precision;
alter table pawl.runs add column if not exists claim uuid;
alter table pawl.workers add column if not exists seen_at timestamptz not null default now();
alter table pawl.meta add column if not exists oldest_reader int;
create index if not exists runs_by_position on pawl.runs (position);
alter table pawl.runs add column if not exists
  repository_key text generated always as (pawl.repository_key(repository)) stored;
`;

/** Creates the tables that are missing; what is there stays, also that of a newer Pawl. Throws ConfigError when this Pawl cannot use them. */
export async function prepareSchema(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    // Whoever reads the tables for long is not waited for without a word.
    await query(`set local lock_timeout = '20s'`);
    await query('select pg_advisory_xact_lock($1::bigint)', [PREPARING_LOCK]);
    // Asked first: to make a schema takes a right of its own, which the user needs only once.
    if (!(await hasSchema(query))) await query('create schema pawl');
    const tables = await tablesIn(query);
    if (tables !== undefined && tables.version >= SCHEMA_VERSION) return checkReadable(tables);
    await query(TABLES);
    await query(ADDED);
    await query('delete from pawl.meta');
    await query('insert into pawl.meta (version, oldest_reader) values ($1, $2)', [SCHEMA_VERSION, OLDEST_READER]);
  });
}

/**
 * Throws ConfigError when the tables are missing, older than this version or too new for it. New code refuses old tables, and
 * old code works on new ones: so the tables are upgraded first, then the workers, one after the other.
 */
export async function checkSchema(database: Database): Promise<void> {
  const tables = await tablesIn(database.query);
  if (tables === undefined) throw refused('the database is not prepared for a fleet: pawl fleet init');
  if (tables.version >= SCHEMA_VERSION) return checkReadable(tables);
  throw refused(
    `the tables of the fleet are of version ${tables.version} and this Pawl needs ${SCHEMA_VERSION}: pawl fleet init`,
  );
}

interface Tables {
  readonly version: number;
  readonly oldestReader: number;
}

function checkReadable({ version, oldestReader }: Tables): void {
  if (oldestReader <= SCHEMA_VERSION) return;
  const need = `need a Pawl for version ${oldestReader} or newer, and this one is for ${SCHEMA_VERSION}`;
  throw refused(`the tables of the fleet are of version ${version}, which ${need}: upgrade pawl`);
}

async function hasSchema(query: Query): Promise<boolean> {
  return (await query(`select 1 from pg_namespace where nspname = 'pawl'`)).length > 0;
}

/** Undefined when there are none. Tables from before the oldest reader was recorded are read by their own version alone. */
async function tablesIn(query: Query): Promise<Tables | undefined> {
  const [found] = await query<{ found: boolean }>(`select to_regclass('pawl.meta') is not null as found`);
  if (found?.found !== true) return undefined;
  const [row] = await query<{ meta: { version: number; oldest_reader?: number | null } }>(
    'select to_jsonb(meta) as meta from pawl.meta',
  );
  if (row === undefined) return undefined;
  const { version, oldest_reader: oldestReader } = row.meta;
  return { version, oldestReader: oldestReader ?? version };
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
