import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { isAlive, nameOfChild, type ProcessName } from './process-table.js';
import { reap, reapRun, signalGroup, drainPipes } from './reap.js';

const RUN = `reap${process.pid}`;
let runs = 0;

/** An agent as a dead runner leaves it: in a group of its own, having told the pids of what it started. */
async function agentOf(runId: string, script: string) {
  const env = { PATH: process.env['PATH'], PAWL_COOKIE: `${runId}.1.1` };
  const child = spawn('bash', ['-c', `${script}; echo; exec sleep 30`], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const signal = new Promise((resolve) => child.once('exit', (_, by) => resolve(by)));
  const [told] = (await once(createInterface(child.stdout), 'line')) as [string];
  const started = told.split(' ').filter(Boolean).map(Number);
  return { name: nameOfChild(child.pid ?? 0), started: started.map((pid) => nameOfChild(pid)), signal };
}

const survivorsOf = (names: readonly ProcessName[]) => names.filter(isAlive);

describe('what a dead runner has left', () => {
  it('dies with the agent: in its group, below it without its cookie, away from it with its cookie', async () => {
    const runId = `${RUN}x${++runs}`;
    const bare = 'env -i setsid sleep 30 >/dev/null 2>&1 & printf "$! "';
    const lost = 'printf "$(setsid bash -c \'sleep 30 >/dev/null 2>&1 & echo $!\') "';
    const { name, started } = await agentOf(runId, `${bare}; ${lost}`);
    expect(survivorsOf([name, ...started])).toHaveLength(3);
    const { killed, left } = await reapRun(runId, name);
    expect({ left, alive: survivorsOf([name, ...started]) }).toEqual({ left: [], alive: [] });
    expect(killed).toBeGreaterThanOrEqual(2);
  });

  it('dies when the agent was never recorded', async () => {
    const runId = `${RUN}x${++runs}`;
    const { name } = await agentOf(runId, ':');
    expect(await reapRun(runId)).toEqual({ killed: 1, left: [] });
    expect(isAlive(name)).toBe(false);
  });

  it('is not somebody else who has the pid of the agent by now', async () => {
    const runId = `${RUN}x${++runs}`;
    const stranger = await agentOf(`${RUN}y`, ':');
    const recorded = { pid: stranger.name.pid, startTime: '1' };
    expect(await reapRun(runId, recorded)).toEqual({ killed: 0, left: [] });
    // A signal that has been sent may need a moment: the first one counts.
    process.kill(stranger.name.pid, 'SIGTERM');
    expect(await stranger.signal).toBe('SIGTERM');
  });

  it('and cannot be killed is named, and not waited for without end', async () => {
    const ghost = { pid: 2 ** 30, startTime: '1' };
    expect(await reap({ seen: [], search: () => [ghost] })).toEqual({ killed: 1, left: [ghost] });
  });
});

it('a signal to a group that is not there is told', () => {
  expect(signalGroup(2 ** 30, 'SIGTERM')).toBe(false);
});

it('what a process printed last is read, even when the runner was too busy to read it in time', async () => {
  const child = spawn('head', ['-c', '300000', '/dev/zero'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // A runner that has other work for each piece.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  });
  const drained = once(child, 'spawn').then(() => drainPipes(child));
  await drained;
  expect(bytes).toBe(300_000);
});
