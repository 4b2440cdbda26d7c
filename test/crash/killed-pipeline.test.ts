import { loopStateOf } from '../../src/model/phase.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import type { EventOf, RunEvent } from '../../src/model/run-event.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { FULL } from '../support/full-form.js';
import { inLanes } from './in-lanes.js';
import { eventsIn } from './scratch-run.js';

const POINTS = FULL ? 300 : 6;
const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f'];
const CONCURRENCY = 3;

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('killed-pipeline');
});
afterAll(() => cli.remove());

/** Notes who works on an item, and whether somebody else still does; leaves a deaf child in a session of its own. */
const GENERATE = `#!/usr/bin/env bash
ledger="$PAWL_LEDGER-$1"
last=$(tail -n 1 "$ledger" 2>/dev/null)
if [ -n "$last" ] && [ -d "/proc/$last" ] && [ "$(cut -d' ' -f3 "/proc/$last/stat" 2>/dev/null)" != Z ]; then
  echo "OVERLAP $last" >> "$ledger"
fi
echo $$ >> "$ledger"
setsid bash -c 'trap "" TERM; sleep 30' >/dev/null 2>&1 &
sleep 0.05
echo '{"pawl":"usage","model":"own","cost_usd":0.25,"id":"'$$'"}'
echo "made $1" > "$2"
`;

const MANIFEST = `
items: [${ITEMS.join(', ')}]
generate:
  command: ./generate.sh "$PAWL_ITEM_ID" "$PAWL_OUTPUT"
  output: out/{{item.id}}
audit: grep -q "made $PAWL_ITEM_ID" "$PAWL_OUTPUT"
concurrency: ${CONCURRENCY}
retry: { backoff: 0 }
`;

function projectToKill(): CliProject {
  const project = new CliProject(cli, { hasGit: false });
  Object.assign(project.env, { PAWL_TRUST: '1', PAWL_LEDGER: join(project.home, 'ledger') });
  project.write('pipeline.yaml', MANIFEST);
  project.write('generate.sh', GENERATE, 0o755);
  return project;
}

function start(project: CliProject, isResumed: boolean): ChildProcess {
  const words = ['pipeline', 'run', ...(isResumed ? ['--resume'] : [])];
  const runner = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env, stdio: 'ignore' });
  onTestFinished(() => void runner.kill('SIGKILL'));
  return runner;
}

function journalOf(project: CliProject): string | undefined {
  const runs = join(project.path, '.ralph', 'runs');
  const [run] = existsSync(runs) ? readdirSync(runs) : [];
  return run === undefined ? undefined : join(runs, run, 'journal.jsonl');
}

/** What is on disk of it, whole lines only. */
function recordOf(project: CliProject): string {
  const path = journalOf(project);
  const text = path === undefined || !existsSync(path) ? '' : readFileSync(path, 'utf8');
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

/** Kills the runner after each of these times, then lets it come to its end. Gives what was on disk at each death. */
async function killAndResume(project: CliProject, afterMs: readonly number[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const ms of afterMs) {
    const runner = start(project, found.at(-1) !== undefined && found.at(-1) !== '');
    const exited = once(runner, 'exit');
    await Promise.race([pause(ms), exited]);
    runner.kill('SIGKILL');
    await exited;
    found.push(recordOf(project));
    // Killed before the run was on record: it is started again.
    if (found.at(-1) === '') rmSync(join(project.path, '.ralph'), { recursive: true, force: true });
  }
  const hasEnded = found.at(-1)?.includes('"type":"run-ended"') === true;
  const { status } = await project.pawl('pipeline', 'run', ...(found.at(-1) === '' ? [] : ['--resume']));
  expect(status).toBe(hasEnded ? 2 : 0);
  return found;
}

const ofType = <T extends RunEvent['type']>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is EventOf<T> & RunEvent => event.type === type);

async function check(project: CliProject, found: readonly string[]): Promise<void> {
  const path = journalOf(project) ?? '';
  const { state, torn } = await verifyJournal(path);
  const events = await eventsIn(path);
  const text = readFileSync(path, 'utf8');
  expect(torn).toBeUndefined();
  for (const before of found) expect(text.startsWith(before)).toBe(true);
  expect(state.faults).toBeUndefined();
  expect(loopStateOf(state)).toBe('completed');
  expect(ofType(events, 'run-ended')).toHaveLength(1);
  expect(
    ofType(events, 'item-ended')
      .map(({ item, status }) => `${item} ${status}`)
      .sort(),
  ).toEqual(ITEMS.map((item) => `${item} approved`));
  for (const item of ITEMS) expect(project.read(`out/${item}`)).toBe(`made ${item}\n`);
  const started = ofType(events, 'attempt-started').length;
  const ended = ofType(events, 'attempt-ended');
  expect(ended).toHaveLength(started);
  expect(ended.filter(({ outcome }) => outcome === 'approved')).toHaveLength(ITEMS.length);
  // What a death cut short is made again, and nothing else.
  expect(started).toBeLessThanOrEqual(ITEMS.length + CONCURRENCY * found.length);
  const told = new Set(ofType(events, 'usage-reported').map(({ id }) => id)).size;
  expect(told + state.spend.estimatedIterations + state.spend.unknownIterations).toBe(started);
  expectOneAtATime(project);
  const left = () => processesOfRun(state.runId ?? '').map(({ pid }) => commandLine(pid));
  // The shells that Pawl starts commands from were killed, and take a moment to end on a busy machine.
  while (left().some((command) => command === '/bin/sh -s ' || command.endsWith(', gone'))) await pause(10);
  expect(left()).toEqual([]);
}

function commandLine(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\0', ' ') : `${pid}, gone`;
}

function expectOneAtATime(project: CliProject): void {
  for (const item of ITEMS) expect(readFileSync(join(project.home, `ledger-${item}`), 'utf8')).not.toContain('OVERLAP');
}

/** How long it takes here when as many work side by side as later. */
async function wholeRunMs(): Promise<number> {
  let sumMs = 0;
  await inLanes(3, async () => {
    const begunMs = performance.now();
    await once(start(projectToKill(), false), 'exit');
    sumMs += performance.now() - begunMs;
  });
  return sumMs / 3;
}

it(`kill -9 of a pipeline at ${POINTS} moments, and a resume, lose nothing and make nothing again that was approved`, async () => {
  const spreadMs = await wholeRunMs();
  await inLanes(POINTS, async (index) => {
    const project = projectToKill();
    const at = ((index + 0.5) / POINTS) * spreadMs;
    // Every third dies again while it recovers.
    await check(project, await killAndResume(project, [at, ...(index % 3 === 2 ? [at / 2] : [])]));
    rmSync(project.home, { recursive: true, maxRetries: 5 });
  });
}, 1_800_000);
