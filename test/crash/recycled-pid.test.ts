import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { statOf } from '../../src/process/process-table.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { scriptedAgent } from '../../src/testing/index.js';
import { isRunning } from '../support/is-running.js';
import { DEAD_PROCESS, eventsIn, type ScratchRun, scratchRun } from './scratch-run.js';

let scratch: ScratchRun | undefined;
let bystander: ChildProcess | undefined;
afterEach(() => {
  bystander?.kill('SIGKILL');
  scratch?.dispose();
});

/** A run whose runner died while an agent of this name worked; gives what a resume comes to. */
async function resumeAfterCrash(run: ScratchRun, agent: { pid: number; startTime: string }): Promise<string> {
  const config: LoopConfig = {
    workingDir: run.workingDir,
    prompt: 'go',
    iterationDelay: 0,
    trackFileChanges: false,
    maxIterations: 2,
  };
  const dead = run.create({ self: DEAD_PROCESS });
  const { spec } = new LoopRunner(config, { journal: dead, agent: scriptedAgent([{}]) });
  const told = { name: 'scripted', usage: 'live' } as const;
  const { policy } = spec;
  dead.append({ type: 'run-started', runId: dead.runId, kind: 'loop', spec, policy, agent: told, versions: {} }, 0);
  dead.append({ type: 'iteration-started', iteration: 1, try: 1, cookie: `${dead.runId}.1.1`, configHash: '' }, 1);
  dead.append({ type: 'agent-spawned', ...agent }, 2);
  const journal = run.open();
  const { status } = await new LoopRunner(config, { journal, agent: scriptedAgent([{}]) }).run();
  return status;
}

async function startBystander(): Promise<{ pid: number; startTime: string }> {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  bystander = child;
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  return { pid, startTime: statOf(pid)?.startTime ?? '' };
}

it('a process that got the pid of a dead agent is left alone by a resume', async () => {
  const run = scratchRun();
  scratch = run;
  const { pid, startTime } = await startBystander();
  expect(await resumeAfterCrash(run, { pid, startTime: String(Number(startTime) - 1) })).toBe('stopped');
  expect(isRunning(pid)).toBe(true);
});

it('the agent itself, by its pid and start time, is ended before another one starts', async () => {
  const run = scratchRun();
  scratch = run;
  const agent = await startBystander();
  expect(await resumeAfterCrash(run, agent)).toBe('stopped');
  expect(isRunning(agent.pid)).toBe(false);
  const events = await eventsIn(run.path);
  expect(events.filter(({ type }) => type === 'iteration-ended')).toHaveLength(2);
});
