import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { PgBoss } from 'pg-boss';
import { PostgresEngine } from '../../src/fleet/engine/postgres-engine.js';
import { pruneRuns } from '../../src/fleet/prune-runs.js';
import { readBatch, readFleet } from '../../src/fleet/fleet-status.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { aRun, sharedFleet } from '../support/fleet-database.js';

const fleet = sharedFleet();
const cli = new BuiltCli('fleet-schedules-cli');
// Where pg and pg-boss are found.
symlinkSync(resolve('node_modules'), join(cli.folder, 'node_modules'));
let project: CliProject;
beforeEach(() => {
  project = new CliProject(cli);
});
afterAll(() => cli.remove());

/** As pg-boss does when the time of a schedule has come. */
async function timeComes(url: string, name: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: url,
    schema: 'pawl_jobs',
    migrate: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.send('submissions', { name });
  await boss.stop({ graceful: false });
}

it('what is submitted for every night is submitted once each time, until it is removed', async (context) => {
  const { database, postgres } = await fleet(context);
  project.env['PAWL_POSTGRES'] = postgres.url;
  const words = ['submit', '--repo', '/srv/app.git', '--branch', 'main', '-p', 'Tidy up.', '--max-cost', '3'];
  const every = ['--every', '0 2 * * *', '--time-zone', 'Europe/Berlin', '--batch', 'night'];
  const submitted = await project.pawl(...words, ...every, '--', 'true');
  expect(submitted, submitted.stderr).toMatchObject({
    status: 0,
    stdout: 'night: 1 run at 0 2 * * * (Europe/Berlin)\n',
  });
  const kept = await database.query('select cron, timezone, options from pawl_jobs.schedule');
  expect(kept).toMatchObject([{ cron: '0 2 * * *', timezone: 'Europe/Berlin', options: { missed: 'once' } }]);
  expect((await readFleet(database)).runs).toEqual([]);
  const engine = new PostgresEngine(database);
  for (const nights of [1, 2]) {
    await timeComes(postgres.url, 'night');
    expect(await engine.tend()).toEqual(['night is submitted again']);
    expect(await engine.tend()).toEqual([]);
    const { runs } = await readFleet(database);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(nights);
    expect(runs.every(({ batch, state }) => batch === 'night' && state === 'queued')).toBe(true);
  }
  expect((await project.pawl('fleet', 'schedules')).stdout).toBe('night: 1 run at 0 2 * * * (Europe/Berlin)\n');
  expect((await project.pawl('fleet', 'schedules', 'night', '--remove')).stdout).toBe('night is submitted no more\n');
  expect(await database.query('select 1 from pawl_jobs.schedule')).toEqual([]);
  await timeComes(postgres.url, 'night');
  await engine.tend();
  expect((await readFleet(database)).runs).toHaveLength(2);
});

it.for([
  [['--every', 'at night', '--batch', 'night'], /^--every: /],
  [['--every', '0 2 * * *', '--time-zone', 'Mars/Base', '--batch', 'night'], /^--every: /],
  [['--every', '0 2 * * *'], /^--every: needs a --batch/],
  [['--every', '0 2 * * *', '--batch', 'night', '--batch-cost', '5'], /^--every: and --batch-cost/],
] as const)('%j is refused, and nothing is kept of it', async ([words, message], context) => {
  const { database, postgres } = await fleet(context);
  project.env['PAWL_POSTGRES'] = postgres.url;
  const outcome = await project.pawl(
    'submit',
    '--repo',
    '/a',
    '--branch',
    'b',
    '-p',
    'x',
    '--max-cost',
    '3',
    ...words,
    '--',
    'true',
  );
  expect(outcome.status).toBe(2);
  expect(outcome.stderr.replace(/^(?:pawl: |warning: .*\n)*/, '')).toMatch(message);
  expect(await database.query('select 1 from pawl.schedules')).toEqual([]);
});

it('runs that ended long ago are deleted with their records, and a batch that still works keeps all of its runs', async (context) => {
  const { database, postgres } = await fleet(context);
  project.env['PAWL_POSTGRES'] = postgres.url;
  const [old, young, live, done] = [aRun(), aRun(), aRun(), aRun()];
  await submitRuns(database, [old, young]);
  await submitRuns(database, [live, done], { batch: { id: 'night' } });
  const end = (id: string, days: number, how: string) =>
    database.query(
      `update pawl.runs set state = 'ended', outcome = $3, ended_at = now() - make_interval(days => $2) where id = $1`,
      [id, days, how],
    );
  await end(old.id, 31, '{"class": "goal"}');
  await end(young.id, 29, '{"class": "goal"}');
  await end(done.id, 40, '{"class": "limit"}');
  await database.query(`insert into pawl.events (run, seq, epoch, line) values ($1, 1, 1, '{}')`, [old.id]);
  await database.query(`insert into pawl.commands (run, command, by) values ($1, '{}', 'ann')`, [old.id]);
  expect(await readBatch(database, 'night')).toMatchObject({ runs: 2, ended: { limit: 1 } });
  expect((await project.pawl('fleet', 'status', '--batch', 'night')).stdout).toMatch(
    /batch night: [^]*;\s+1\s+of\s+2\s+runs\s+ended\s+\(1\s+limit\)/,
  );
  expect(await project.pawl('fleet', 'prune')).toMatchObject({ status: 2 });
  expect((await project.pawl('fleet', 'prune', '--older-than', '30d')).stdout).toBe('1 run deleted\n');
  const left = await database.query<{ id: string }>('select id from pawl.runs order by position');
  expect(left.map(({ id }) => id)).toEqual([young.id, live.id, done.id]);
  expect(await database.query('select 1 from pawl.events union all select 1 from pawl.commands')).toEqual([]);
  await end(live.id, 31, '{"class": "goal"}');
  expect(await pruneRuns(database, 30 * 86_400_000)).toBe(2);
});
