import { ConfigError } from '../model/errors.js';
import type { Database, Query } from './database.js';
import { REPOSITORY_KEY } from './repository-key.js';

/** Of the tables below. A change to them raises it and is made to those that are there. */
export const SCHEMA_VERSION = 2;

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
  api_key text,
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
  lock_key bigint not null unique,
  host text not null,
  pid int not null,
  slots int not null,
  labels text[] not null default '{}',
  started_at timestamptz not null default now()
);
create table if not exists pawl.limits (
  kind text not null check (kind in ('repository', 'api_key', 'label')),
  key text not null,
  most int not null check (most >= 0),
  primary key (kind, key)
);
`;

/** What came later. */
const ADDED = `${REPOSITORY_KEY}
alter table pawl.runs add column if not exists trouble text;
alter table pawl.runs add column if not exists spend_unknown boolean not null default false;
alter table pawl.runs add column if not exists unknown_iterations int not null default 0;
alter table pawl.runs add column if not exists dearest_usd double precision;
create index if not exists runs_by_position on pawl.runs (position);
alter table pawl.runs add column if not exists
  repository_key text generated always as (pawl.repository_key(repository)) stored;
`;

/** Makes the tables that are missing; what is there stays. Throws ConfigError when a newer Pawl has made them. */
export async function prepareSchema(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    // Whoever reads the tables for long is not waited for without a word.
    await query(`set local lock_timeout = '20s'`);
    await query('select pg_advisory_xact_lock($1::bigint)', [PREPARING_LOCK]);
    // Asked first: to make a schema takes a right of its own, which the user needs only once.
    if (!(await hasSchema(query))) await query('create schema pawl');
    const version = (await hasMeta(query)) ? await versionIn(query) : undefined;
    if (version === SCHEMA_VERSION) return;
    if (version !== undefined && version > SCHEMA_VERSION) throw madeByNewer(version);
    await query(TABLES);
    await query(ADDED);
    await query('delete from pawl.meta');
    await query('insert into pawl.meta (version) values ($1)', [SCHEMA_VERSION]);
  });
}

/** Throws ConfigError when the tables are missing, or not those of this version. */
export async function checkSchema(database: Database): Promise<void> {
  const version = (await hasMeta(database.query)) ? await versionIn(database.query) : undefined;
  if (version === SCHEMA_VERSION) return;
  if (version === undefined) throw refused('the database is not prepared for a fleet: pawl fleet init');
  if (version > SCHEMA_VERSION) throw madeByNewer(version);
  throw refused(
    `the tables of the fleet are of version ${version} and this Pawl needs ${SCHEMA_VERSION}: pawl fleet init`,
  );
}

async function hasSchema(query: Query): Promise<boolean> {
  return (await query(`select 1 from pg_namespace where nspname = 'pawl'`)).length > 0;
}

async function hasMeta(query: Query): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(`select to_regclass('pawl.meta') is not null as found`);
  return row?.found === true;
}

async function versionIn(query: Query): Promise<number | undefined> {
  const [row] = await query<{ version: number }>('select version from pawl.meta');
  return row?.version;
}

function madeByNewer(version: number): ConfigError {
  return refused(
    `the tables of the fleet are of version ${version} and this Pawl knows ${SCHEMA_VERSION}: upgrade pawl`,
  );
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
