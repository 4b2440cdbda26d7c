import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { prepareFleet } from '../../src/fleet/prepare-fleet.js';
import { runProgram } from '../../src/views/cli/program.js';
import type { FleetScene } from '../support/fleet-scene.js';
import { eventsOf, fleetWorkers, hasEnded, runOf } from '../support/fleet-workers.js';
import { RECORDED_IN, RECORDS, relocateJournal } from '../support/relocated-record.js';
import { contextOf, recordingTerminal } from '../support/terminal.js';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-records-')));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  vi.stubEnv('XDG_RUNTIME_DIR', join(home, 'run'));
  vi.stubEnv('PAWL_TRUST', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function pawl(project: string, ...words: readonly string[]) {
  const terminal = recordingTerminal(100);
  const exitCode = await runProgram([...words, '--cwd', project], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

async function json(project: string, ...words: readonly string[]) {
  const { exitCode, out, err } = await pawl(project, ...words, '--json');
  expect(exitCode, err).toBe(0);
  return JSON.parse(out) as unknown;
}

/** The tables of that version with one run that its worker has left after two of three steps, and its repository. */
async function loadFleetRecord(scene: FleetScene): Promise<{ readonly runId: string; readonly events: number }> {
  const { query } = scene.database;
  const read = (name: string) => readFileSync(join(RECORDS, 'fleet', name), 'utf8');
  await query('drop schema pawl cascade');
  await query(read('schema.sql'));
  await query('insert into pawl.meta (version) values (2)');
  type Row = { readonly id: string; readonly position: unknown; readonly repository_key: unknown };
  const { position: _position, repository_key: _key, ...row } = JSON.parse(read('run.json')) as Row;
  const names = Object.keys(row);
  const places = names.map((_name, index) => `$${index + 1}`);
  const values = Object.values({ ...row, repository: scene.remote });
  await query(`insert into pawl.runs (${names.join()}) values (${places.join()})`, values);
  const journal = relocateJournal(read('journal.jsonl'), dirname(RECORDED_IN), scene.folder);
  const lines = journal.trimEnd().split('\n');
  const insert = `insert into pawl.events select $1, n, 1, line from unnest($2::text[]) with ordinality as t (line, n)`;
  await query(insert, [row.id, lines]);
  rmSync(scene.remote, { recursive: true });
  scene.git(scene.folder, 'init', '--quiet', '--bare', '--initial-branch=main', scene.remote);
  execFileSync('git', ['fast-import', '--quiet'], { cwd: scene.remote, input: read('repository.git-export') });
  return { runId: row.id, events: lines.length };
}

const fleet = fleetWorkers();

it('a record of an earlier version in a database is read after an upgrade of the tables, and the next worker takes the run to its goal', async (context) => {
  const scene = await fleet.sceneOf(context);
  const { runId, events } = await loadFleetRecord(scene);
  await prepareFleet(scene.database);
  vi.stubEnv('PAWL_POSTGRES', scene.url);
  const project = mkdtempSync(join(home, 'fleet-'));
  expect(await json(project, 'explain', runId)).toMatchObject({ runId, iteration: 2, stop: false });
  fleet.start(scene);
  expect(await runOf(scene, hasEnded)).toMatchObject({ id: runId, outcome: { class: 'goal' } });
  expect(scene.stepsOf(runId)).toEqual(['step 1', 'step 2', 'step 3']);
  const recorded = await eventsOf(scene, runId);
  expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_event, index) => index + 1));
  expect(recorded.length).toBeGreaterThan(events);
  const listed = { runId, status: 'completed', class: 'goal', iterations: 3, costUsd: 0.75, live: false };
  expect(await json(project, 'list')).toMatchObject([listed]);
  expect(await json(project, 'explain', runId)).toMatchObject({ runId, class: 'goal', iteration: 3 });
  expect(await json(project, 'replay', runId)).toMatchObject([{ runId, end: { class: 'goal' } }]);
  const refused = await pawl(project, 'resume', runId);
  expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining('fleet') });
});

it('a database at which a worker of an earlier version is at work is not prepared before that worker has ended', async (context) => {
  const scene = await fleet.sceneOf(context);
  const { runId } = await loadFleetRecord(scene);
  const { query } = scene.database;
  await query(`insert into pawl.workers (id, lock_key, host, pid, slots) values ('old-one', 77, 'somewhere', 1, 1)`);
  await query(`update pawl.runs set state = 'running', worker = 'old-one', epoch = 1`);
  await scene.database.transaction(async (held) => {
    await held('select pg_advisory_lock(77)');
    await expect(prepareFleet(scene.database)).rejects.toThrow(
      /workers of an earlier Pawl are still at work: old-one; end them/,
    );
    await held('select pg_advisory_unlock(77)');
  });
  expect(await query('select version from pawl.meta')).toEqual([{ version: 2 }]);
  await prepareFleet(scene.database);
  expect(await query('select id, state, worker, was_left from pawl.runs')).toEqual([
    { id: runId, state: 'queued', worker: null, was_left: false },
  ]);
  expect(await query('select id from pawl.workers')).toEqual([]);
  fleet.start(scene);
  expect(await runOf(scene, hasEnded)).toMatchObject({ id: runId, outcome: { class: 'goal' } });
});
