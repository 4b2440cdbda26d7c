import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/model/run-event.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { FULL } from '../support/full-form.js';
import { isRunning } from '../support/is-running.js';
import { eventsIn } from './scratch-run.js';

const STOPPED_MS = FULL ? 60_000 : 2000;
const TIMEOUT = FULL ? '20s' : '1s';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('stopped');
});
afterAll(() => cli.remove());

interface Scene {
  readonly project: CliProject;
  readonly runner: ChildProcess;
  readonly over: Promise<unknown[]>;
  readonly agentPid: number;
}

/** Two iterations of an agent that says its pid, works until it is let go, and is told apart by its number. */
const AGENT = `
n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n
echo $$ > pid-$n.tmp; mv pid-$n.tmp pid-$n
until [ -e go-$n ]; do sleep 0.05; done
echo "the end of $n"
`;

async function begin(config: string): Promise<Scene> {
  const project = new CliProject(cli, { agent: AGENT, hasGit: false });
  project.write('pawl.yaml', `${config}\n`);
  project.write('go-2', '');
  const words = ['run', '-p', 'go', '--delay', '0', '--max-iterations', '2', '--', './agent.sh'];
  const runner = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env, stdio: 'ignore' });
  onTestFinished(() => void runner.kill('SIGKILL'));
  const over = once(runner, 'exit');
  while (!existsSync(join(project.path, 'pid-1')) && runner.exitCode === null) await pause(20);
  return { project, runner, over, agentPid: Number(project.read('pid-1')) };
}

async function recordOf({ project }: Scene): Promise<readonly RunEvent[]> {
  const runs = join(project.path, '.ralph', 'runs');
  const [run = ''] = readdirSync(runs);
  expect(processesOfRun(run)).toEqual([]);
  return eventsIn(join(runs, run, 'journal.jsonl'));
}

/** Each iteration began once and ended once, and active time never ran backwards. */
function expectOneEndEach(events: readonly RunEvent[]): void {
  const ended = events.flatMap((event) => (event.type === 'iteration-ended' ? [event.iteration] : []));
  expect(ended).toEqual([1, 2]);
  expect(events.filter(({ type }) => type === 'agent-spawned')).toHaveLength(2);
  expect(events.filter(({ type }) => type === 'run-ended')).toHaveLength(1);
  const activeMs = events.map((event) => event.activeMs);
  expect(activeMs).toEqual(activeMs.toSorted((a, b) => a - b));
}

const ends = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'iteration-ended' ? [[event.outcome, event.ending?.cause]] : []));

describe('a runner that is stopped for a while', () => {
  it('times its agent out once when it goes on too late, and then goes on', async () => {
    const scene = await begin(`iteration_timeout: ${TIMEOUT}`);
    scene.runner.kill('SIGSTOP');
    await pause(STOPPED_MS);
    scene.runner.kill('SIGCONT');
    expect(await scene.over).toEqual([3, null]);
    const events = await recordOf(scene);
    expectOneEndEach(events);
    expect(ends(events)).toEqual([
      ['timed-out', 'timeout'],
      ['completed', 'exit'],
    ]);
  }, 240_000);

  it('hears what its agent said and how it ended meanwhile', async () => {
    const scene = await begin('iteration_timeout: 30m');
    scene.runner.kill('SIGSTOP');
    scene.project.write('go-1', '');
    await expect.poll(() => isRunning(scene.agentPid), { timeout: 60_000 }).toBe(false);
    scene.runner.kill('SIGCONT');
    expect(await scene.over).toEqual([3, null]);
    const events = await recordOf(scene);
    expectOneEndEach(events);
    expect(ends(events).map(([outcome]) => outcome)).toEqual(['completed', 'completed']);
    expect(events.filter((event) => event.type === 'agent-said').map(({ text }) => text)).toEqual([
      'the end of 1',
      'the end of 2',
    ]);
  }, 240_000);
});

describe('an agent that is stopped for a while', () => {
  it('goes on and is counted once when it has the time', async () => {
    const scene = await begin('iteration_timeout: 30m');
    process.kill(-scene.agentPid, 'SIGSTOP');
    scene.project.write('go-1', '');
    await pause(STOPPED_MS);
    process.kill(-scene.agentPid, 'SIGCONT');
    expect(await scene.over).toEqual([3, null]);
    const events = await recordOf(scene);
    expectOneEndEach(events);
    expect(ends(events).map(([outcome]) => outcome)).toEqual(['completed', 'completed']);
  }, 240_000);

  it('is ended, stopped as it is, when it has not', async () => {
    const scene = await begin(`iteration_timeout: ${TIMEOUT}`);
    process.kill(-scene.agentPid, 'SIGSTOP');
    expect(await scene.over).toEqual([3, null]);
    const events = await recordOf(scene);
    expectOneEndEach(events);
    expect(ends(events)[0]).toEqual(['timed-out', 'timeout']);
  }, 240_000);
});
