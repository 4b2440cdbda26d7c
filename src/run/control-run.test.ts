import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { LoopCommand } from '../model/loop-command.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { sendCommand } from './control-client.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';
import type { RunOptions } from './run-options.js';

const WAIT = { timeout: 60_000, interval: 10 };
const base = mkdtempSync(join(tmpdir(), 'pawl-cr-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, 'state'), XDG_RUNTIME_DIR: base };

function scene(steps: readonly ScriptedStep[], config: LoopConfig = {}, options: RunOptions = {}) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const agent = scriptedAgent(steps);
  const common = { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false } as const;
  const runner = new LoopRunner({ ...common, ...config }, { agent, environment, ...options });
  const control = (): unknown => {
    const path = join(workingDir, '.ralph', 'runs', runner.id, 'state.json');
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).control : undefined;
  };
  const send = async (command: LoopCommand) =>
    (await sendCommand({ socket: String(control()), runId: runner.id, command, by: 'a test' })).status;
  return { runner, agent, workingDir, control, send };
}

describe('a run with a record in files', () => {
  it('names its socket while it is live, is steered through it, and leaves nothing behind', async () => {
    const { runner, agent, control, send } = scene([{ hangs: true }], { maxIterations: 5 });
    const ended = runner.run();
    // What is asked at once by code is heard at once, as without a socket.
    expect(runner.state()).toBe('running');
    await expect.poll(() => agent.tasks.length, WAIT).toBe(1);
    const socket = String(control());
    expect(existsSync(socket)).toBe(true);
    await expect(send({ type: 'approve' })).rejects.toThrow(/cannot approve .*running.*approval/);
    await send({ type: 'pause' });
    await send({ type: 'skip' });
    await expect.poll(() => runner.state(), WAIT).toBe('paused');
    await expect(send({ type: 'steer', text: 'mind the gap' })).resolves.toBe('paused');
    await send({ type: 'resume' });
    await expect.poll(() => agent.tasks.length, WAIT).toBe(2);
    expect(agent.tasks[1]?.prompt).toContain('mind the gap');
    await send({ type: 'extend', limit: { type: 'max_iterations', count: 9 } });
    expect(runner.runState.policy.limits).toContainEqual({ type: 'max_iterations', count: 9 });
    await expect(send({ type: 'stop', now: true })).resolves.toBe('running');
    expect(await ended).toMatchObject({
      class: 'operator',
      reasons: [{ message: expect.stringContaining('a test') }],
    });
    expect([control(), existsSync(socket)]).toEqual([undefined, false]);
    await expect(
      sendCommand({ socket, runId: runner.id, command: { type: 'stop' }, by: 'late' }),
    ).rejects.toMatchObject({ code: 'InvalidState', message: expect.stringContaining('no longer live') });
  });

  it('is told with a resume what its next prompt says', async () => {
    const { runner, workingDir } = scene([{}], { maxIterations: 1 });
    await runner.run();
    const agent = scriptedAgent([{}]);
    const again = await resumeRun({ workingDir, agent, environment });
    await again.run({ raise: [{ type: 'max_iterations', count: 2 }], steer: 'an empty cell is null' });
    expect(agent.tasks[0]?.prompt).toMatch(/operator .*: an empty cell is null/);
  });

  it('has a socket again when it goes on', async () => {
    const { runner, workingDir } = scene([{}], { maxIterations: 1 });
    await runner.run();
    const agent = scriptedAgent([{ hangs: true }]);
    const again = await resumeRun({ workingDir, agent, environment });
    const ended = again.run({ raise: [{ type: 'max_iterations', count: 5 }] });
    await expect.poll(() => agent.tasks.length, WAIT).toBe(1);
    const { control } = JSON.parse(readFileSync(join(workingDir, '.ralph', 'runs', again.id, 'state.json'), 'utf8'));
    await sendCommand({ socket: control, runId: again.id, command: { type: 'stop', now: true }, by: 'a test' });
    expect(await ended).toMatchObject({ class: 'operator' });
    expect(readdirSync(join(base, 'pawl'))).toEqual([]);
  });

  it('has none when that is not wanted, or there are no files', async () => {
    const without = scene([{ hangs: true }], {}, { control: false });
    const journal = memoryJournal();
    const inMemory = scene([{ hangs: true }], {}, { journal });
    for (const { runner, agent, control } of [without, inMemory]) {
      const ended = runner.run();
      await expect.poll(() => agent.tasks.length, WAIT).toBe(1);
      expect(control()).toBeUndefined();
      await runner.shutdown();
      await ended;
    }
    expect(readdirSync(join(base, 'pawl'))).toEqual([]);
  });

  it('goes on without one where there is no place for it, and says so', async () => {
    const warnings: string[] = [];
    const nowhere = { ...environment, XDG_RUNTIME_DIR: '', TMPDIR: join('/', 'x'.repeat(120)) };
    const { runner } = scene(
      [{}],
      { maxIterations: 1 },
      { environment: nowhere, onWarning: (text) => warnings.push(text) },
    );
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect(warnings).toContainEqual(expect.stringMatching(/control socket cannot/));
  });

  it('clients that stay do not keep it from ending', async () => {
    const { runner, agent, control } = scene([{ hangs: true }]);
    const ended = runner.run();
    await expect.poll(() => agent.tasks.length, WAIT).toBe(1);
    const { connect } = await import('node:net');
    const clients = Array.from({ length: 5 }, () => connect(String(control())).on('error', () => undefined));
    await Promise.all(clients.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of clients) socket.resume();
    await runner.shutdown();
    expect(await ended).toMatchObject({ class: 'operator' });
    // Not only when they have been silent for too long.
    await expect.poll(() => clients.every(({ destroyed }) => destroyed), { timeout: 60_000 }).toBe(true);
  });
});
