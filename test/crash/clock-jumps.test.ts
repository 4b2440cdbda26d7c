import { endOf } from '../../src/model/phase.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { eventsIn } from './scratch-run.js';

const CLOCK = join(import.meta.dirname, '..', 'fixtures', 'jumping-clock.mjs');
const DAY_MS = 86_400_000;
/** More than any of these runs takes, and less than any of the jumps. */
const MINUTES_MS = 600_000;
const ITERATIONS = 3;

let cli: BuiltCli;
let JumpingDate: DateConstructor;
beforeAll(async () => {
  cli = new BuiltCli('clock');
  const RealDate = Date;
  await import(pathToFileURL(CLOCK).href);
  JumpingDate = Date;
  globalThis.Date = RealDate;
});
afterAll(() => cli.remove());

interface Jump {
  readonly name: string;
  /** From, and to, in milliseconds from the real time. */
  readonly from: number;
  readonly to: number;
  readonly zone?: string;
}

/** As far from now as this moment. */
const until = (time: string) => Date.parse(time) - Date.now();

const JUMPS: readonly Jump[] = [
  { name: 'a day ahead', from: 0, to: DAY_MS },
  { name: 'a day back', from: 0, to: -DAY_MS },
  { name: 'back to 1970', from: 0, to: until('1970-01-01T00:00:10Z') },
  { name: 'from 1970 to now', from: until('1970-01-01T00:00:10Z'), to: 0 },
  // Ten seconds before the hour that is left out, and before the one that comes twice.
  {
    name: 'into summer time',
    from: until('2026-03-08T06:59:50Z'),
    to: until('2026-03-08T07:30:00Z'),
    zone: 'America/New_York',
  },
  {
    name: 'out of summer time',
    from: until('2026-11-01T05:59:50Z'),
    to: until('2026-11-01T06:00:30Z'),
    zone: 'America/New_York',
  },
];

/** In its second iteration the clock jumps; `dies`: and the runner is killed. */
function projectWith({ from, to, zone }: Jump, dies: boolean): CliProject {
  const agent = `
n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n
if [ $n = 2 ]; then echo ${to} > "$CLOCK_OFFSET"; sleep 0.3; ${dies ? 'kill -9 $PPID; sleep 30' : 'true'}; fi
echo '{"pawl":"usage","model":"own","cost_usd":0.25}'
`;
  const project = new CliProject(cli, { agent, hasGit: false });
  project.write('offset', String(from));
  project.write('pawl.yaml', 'iteration_timeout: 15m\nidle_timeout: 15m\nstop: { limits: [{ max_duration: 15m }] }\n');
  Object.assign(project.env, { NODE_OPTIONS: `--import=${CLOCK}`, CLOCK_OFFSET: join(project.path, 'offset') });
  if (zone !== undefined) project.env['TZ'] = zone;
  return project;
}

/** One command in this process, by the clock that jumps. */
async function pawl(project: CliProject, ...words: readonly string[]): Promise<number | null> {
  vi.stubGlobal('Date', JumpingDate);
  for (const name of ['CLOCK_OFFSET', 'TZ']) if (project.env[name] !== undefined) vi.stubEnv(name, project.env[name]);
  try {
    return (await project.pawl(...words)).status;
  } finally {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  }
}

/** One command in a process that is killed, by itself or by `meanwhile`. */
async function killed(
  project: CliProject,
  words: readonly string[],
  meanwhile?: (kill: () => void) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await meanwhile?.(() => child.kill('SIGKILL'));
  expect(await exited).toEqual([null, 'SIGKILL']);
}

async function expectUnmoved(project: CliProject, { to }: Jump): Promise<void> {
  const runs = join(project.path, '.ralph', 'runs');
  const path = join(runs, readdirSync(runs)[0] ?? '', 'journal.jsonl');
  const { state } = await verifyJournal(path);
  const events = await eventsIn(path);
  expect(state.faults).toBeUndefined();
  expect(state).toMatchObject({ phase: { state: 'stopped', end: { class: 'limit' } }, iterations: ITERATIONS });
  expect(endOf(state)?.reasons[0]?.message).toBe(`${ITERATIONS} of ${ITERATIONS} iterations`);
  // The record was made by that clock.
  expect(Math.abs(Date.parse(events.at(-1)?.at ?? '') - Date.now() - to)).toBeLessThan(MINUTES_MS);
  const activeMs = events.map((event) => event.activeMs);
  expect(activeMs).toEqual(activeMs.toSorted((a, b) => a - b));
  expect(activeMs.at(-1)).toBeLessThan(MINUTES_MS);
  for (const durationMs of durationsIn(events)) {
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(durationMs).toBeLessThan(MINUTES_MS);
  }
}

const durationsIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'iteration-ended' ? [event.durationMs] : []));

const RUN = ['run', '-p', 'go', '--delay', '0', '--max-iterations', String(ITERATIONS), '--', './agent.sh'];

describe.each(JUMPS)('a clock that jumps $name', (jump) => {
  it('changes no duration, no limit and no order', async () => {
    const project = projectWith(jump, false);
    expect(await pawl(project, ...RUN)).toBe(3);
    await expectUnmoved(project, jump);
  }, 240_000);

  it('while the runner dies keeps nobody from going on', async () => {
    const project = projectWith(jump, true);
    await killed(project, RUN);
    expect(await pawl(project, 'resume')).toBe(3);
    await expectUnmoved(project, jump);
  }, 240_000);
});

/** How long the provider says that its limit lasts; Pawl waits a little longer. */
const LIMITED_MS = 1000;
/** Limited at first. Each notes the time by a clock that does not jump, and the reset is by the one that does. */
const LIMITED_AGENT = `
date +%s%3N >> times
[ -e limited ] && { echo '{"pawl":"usage","model":"own","cost_usd":0.25}'; exit; }
touch limited
resets=$(($(date +%s%3N) + $(cat "$CLOCK_OFFSET") + ${LIMITED_MS}))
echo '{"pawl":"limit","limit":"usage-limit","resets_at":"'$(date -u -d @$((resets / 1000)).$((resets % 1000 / 100)) +%FT%T.%3NZ)'"}'
exit 1
`;

/** Has the clock jump as soon as the run waits for its provider. */
async function jumpInWait(project: CliProject, { to }: Jump): Promise<void> {
  await expect.poll(() => journalOf(project), WAIT).toContain('"type":"waiting-started"');
  project.write('offset', String(to));
}

const WAIT = { timeout: 60_000, interval: 50 };

function journalOf(project: CliProject): string {
  const runs = join(project.path, '.ralph', 'runs');
  const [id] = existsSync(runs) ? readdirSync(runs) : [];
  const path = join('.ralph', 'runs', id ?? '', 'journal.jsonl');
  return existsSync(join(project.path, path)) ? project.read(path) : '';
}

function limitedProject(jump: Jump): CliProject {
  const project = projectWith(jump, false);
  project.write('agent.sh', `#!/usr/bin/env bash\ncat > /dev/null\n${LIMITED_AGENT}`, 0o755);
  return project;
}

describe.each(JUMPS)('a clock that jumps $name in a wait for a provider', (jump) => {
  it('makes the wait neither shorter nor longer', async () => {
    const project = limitedProject(jump);
    const [status] = await Promise.all([pawl(project, ...RUN), jumpInWait(project, jump)]);
    expect(status).toBe(3);
    const [limited = 0, next = 0] = project.read('times').trim().split('\n').map(Number);
    expect(next - limited).toBeGreaterThanOrEqual(LIMITED_MS);
    await expectUnmoved(project, jump);
  }, 240_000);

  it('while the runner dies does not have it wait for days', async () => {
    const project = limitedProject(jump);
    await killed(project, RUN, async (kill) => {
      await jumpInWait(project, jump);
      kill();
    });
    expect(await pawl(project, 'resume')).toBe(3);
    await expectUnmoved(project, jump);
  }, 240_000);
});
