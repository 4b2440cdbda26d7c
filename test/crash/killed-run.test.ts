import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { isUnstarted } from '../../src/model/work.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { BuiltCli } from '../support/cli-project.js';
import { FULL } from '../support/full-form.js';
import { runPawl } from '../support/in-process.js';
import { inLanes } from './in-lanes.js';
import { eventsIn } from './scratch-run.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const agent = join(root, 'test', 'fixtures', 'agents', 'ledger-agent');
const base = mkdtempSync(join(tmpdir(), 'pawl-killed-run-'));

const POINTS = FULL ? 1000 : 10;
const ITERATIONS = 4;
let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('killed-run-cli');
  // Where the price list is found.
  symlinkSync(join(root, 'node_modules'), join(cli.folder, 'node_modules'));
});
afterAll(() => {
  cli.remove();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

interface Victim {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

function victim(name: string): Victim {
  const home = join(base, name);
  const folder = join(home, 'tree');
  mkdirSync(folder, { recursive: true });
  const { PATH } = process.env;
  return { folder, environment: { PATH, HOME: home, LEDGER: join(home, 'ledger') } };
}

function start({ folder, environment }: Victim, words: readonly string[]): ChildProcess {
  const runner = spawn(process.execPath, [cli.bin, ...words], { cwd: folder, env: environment, stdio: 'ignore' });
  onTestFinished(() => void runner.kill('SIGKILL'));
  return runner;
}

const RUN = ['run', '-p', 'go', '--delay', '0', '--max-iterations', String(ITERATIONS), '--', agent];

function journalOf({ folder }: Victim): string | undefined {
  const runs = join(folder, '.ralph', 'runs');
  const [run] = existsSync(runs) ? readdirSync(runs) : [];
  return run === undefined ? undefined : join(runs, run, 'journal.jsonl');
}

function linesIn(path: string | undefined): number {
  return path === undefined || !existsSync(path) ? 0 : readFileSync(path, 'utf8').split('\n').length - 1;
}

/** Lines that are whole: the last may be torn. */
const wholeLines = (text: string) => text.slice(0, text.lastIndexOf('\n') + 1);

/** Kills the runner when `isTime` says so, then resumes until the run has ended. Gives what was on disk at each death. */
async function killAndResume(scene: Victim, kills: readonly (() => Promise<void>)[]): Promise<readonly string[]> {
  const found: string[] = [];
  let words: readonly string[] = RUN;
  for (const isTime of kills) {
    const runner = start(scene, words);
    const exited = once(runner, 'exit');
    await Promise.race([isTime(), exited]);
    runner.kill('SIGKILL');
    await exited;
    const journal = journalOf(scene);
    found.push(journal === undefined || !existsSync(journal) ? '' : wholeLines(readFileSync(journal, 'utf8')));
    // Killed before the run was on record: there is nothing to resume, it is started again.
    words = found.at(-1) === '' ? RUN : ['resume'];
    if (found.at(-1) === '' && journal !== undefined) rmSync(join(scene.folder, '.ralph'), { recursive: true });
  }
  const { status } = await runPawl(cli.bin, words, { cwd: scene.folder, environment: scene.environment });
  const alreadyEnded = found.at(-1)?.includes('"type":"run-ended"') === true;
  expect([3, alreadyEnded ? 2 : 3]).toContain(status);
  return found;
}

const numbers = (events: readonly RunEvent[], type: 'iteration-started' | 'iteration-ended') =>
  events.flatMap((event) => (event.type === type ? [event.iteration] : []));
/** Those that count: one whose process died before its agent was started is tried again. */
const counted = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'iteration-ended' && !isUnstarted(event) ? [event.iteration] : []));

async function check(scene: Victim, found: readonly string[]): Promise<void> {
  const path = journalOf(scene) ?? '';
  const { state } = await verifyJournal(path);
  const events = await eventsIn(path);
  const text = readFileSync(path, 'utf8');
  for (const before of found) expect(text.startsWith(before)).toBe(true);
  const all = Array.from({ length: ITERATIONS }, (_, index) => index + 1);
  expect([...new Set(numbers(events, 'iteration-started'))]).toEqual(all);
  expect(numbers(events, 'iteration-ended')).toEqual(numbers(events, 'iteration-started'));
  expect(counted(events)).toEqual(all);
  expect(events.filter((event) => event.type === 'run-ended')).toHaveLength(1);
  expect(state.faults).toBeUndefined();
  expect(state).toMatchObject({ iterations: ITERATIONS, phase: { state: 'stopped' } });
  const activeMs = events.map((event) => event.activeMs);
  expect(activeMs).toEqual([...activeMs].sort((a, b) => a - b));
  checkSpend(events, state);
  const ledger = existsSync(scene.environment['LEDGER'] ?? '')
    ? readFileSync(scene.environment['LEDGER'] ?? '', 'utf8')
    : '';
  expect(ledger).not.toContain('OVERLAP');
  const recorded = new Set(events.flatMap((event) => (event.type === 'agent-spawned' ? [event.pid] : [])));
  // An agent that was told its prompt is on record.
  for (const [, pid] of ledger.matchAll(/^(\d+) started$/gm)) expect(recorded).toContain(Number(pid));
  expect(processesOfRun(state.runId ?? '')).toEqual([]);
}

/** Every iteration whose agent was started is charged once: what it told, or the dearest. */
function checkSpend(events: readonly RunEvent[], state: Awaited<ReturnType<typeof verifyJournal>>['state']): void {
  const spawned = events.filter((event) => event.type === 'agent-spawned').length;
  const told = new Set(events.flatMap((event) => (event.type === 'usage-reported' ? [event.id] : []))).size;
  const { estimatedIterations, unknownIterations } = state.spend;
  expect(told + estimatedIterations + unknownIterations).toBe(spawned);
  if (unknownIterations === 0) expect(totalSpend(state.spend).costUsd).toBeCloseTo(0.0045 * spawned);
}

/** How long it takes here when as many work side by side as later. */
async function wholeRunMs(): Promise<number> {
  let sumMs = 0;
  await inLanes(3, async (index) => {
    const begunMs = performance.now();
    await once(start(victim(`whole-${index}`), RUN), 'exit');
    sumMs += performance.now() - begunMs;
  });
  return sumMs / 3;
}

describe('kill -9 of pawl run, then pawl resume', () => {
  it(`loses nothing and does nothing twice, at ${POINTS} moments`, async () => {
    const spreadMs = await wholeRunMs();
    await inLanes(POINTS, async (index) => {
      const scene = victim(`moment-${index}`);
      const at = ((index + 0.5) / POINTS) * spreadMs;
      // Every fourth dies again while it recovers.
      const kills = [() => pause(at), ...(index % 4 === 3 ? [() => pause(at / 2)] : [])];
      await check(scene, await killAndResume(scene, kills));
      rmSync(join(base, `moment-${index}`), { recursive: true });
    });
  }, 1_800_000);

  it('leaves nothing beside which a new run would start its agent', async () => {
    const scene = victim('beside');
    // It is killed two seconds after its runner; the new run starts before that.
    const wrapper = `bash -c 'trap "" TERM; touch begun; while :; do sleep 0.05; done' & wait`;
    const runner = start(scene, ['run', '-p', 'go', '--', 'bash', '-c', wrapper]);
    const exited = once(runner, 'exit');
    while (!existsSync(join(scene.folder, 'begun'))) await pause(10);
    runner.kill('SIGKILL');
    await exited;
    const [old = ''] = readdirSync(join(scene.folder, '.ralph', 'runs'));
    expect(processesOfRun(old)).not.toEqual([]);
    const look = `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^PAWL_COOKIE=${old}' >seen`;
    const again = start(scene, ['run', '-p', 'go', '--max-iterations', '1', '--', 'bash', '-c', look]);
    await once(again, 'exit');
    expect(readFileSync(join(scene.folder, 'seen'), 'utf8')).toBe('0\n');
    expect(processesOfRun(old)).toEqual([]);
  });

  it('the same as soon as the journal has its nth record', async () => {
    const step = FULL ? 1 : 5;
    await inLanes(Math.ceil(36 / step), async (index) => {
      const scene = victim(`record-${index}`);
      const hasRecords = async (): Promise<void> => {
        for (;;) {
          if (linesIn(journalOf(scene)) > index * step) return;
          await pause(1);
        }
      };
      await check(scene, await killAndResume(scene, [hasRecords]));
      rmSync(join(base, `record-${index}`), { recursive: true });
    });
  }, 600_000);
});
