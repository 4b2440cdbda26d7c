import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { Journal } from '../journal/journal.js';
import type { EventType } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-broken-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A prompt that is still there when the working directory is gone. */
const OUTSIDE = join(base, 'go.md');
writeFileSync(OUTSIDE, 'go');

const HOOKS = { onError: 'cat >>notes', onStop: 'cat >>notes' };

function broken(steps: readonly ScriptedStep[], config: LoopConfig = {}, around = (journal: Journal) => journal) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const journal = memoryJournal();
  writeFileSync(join(workingDir, 'p.md'), 'go');
  const runner = new LoopRunner(
    { workingDir, promptPath: 'p.md', iterationDelay: 0, trackFileChanges: false, hooks: HOOKS, ...config },
    { journal: around(journal), agent: scriptedAgent(steps) },
  );
  const told = (): readonly Record<string, unknown>[] => {
    const file = join(workingDir, 'notes');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { runner, journal, told, workingDir };
}

/** From an event of this type on, nothing can be written. */
const fullFrom =
  (type: EventType) =>
  (journal: Journal): Journal => {
    let isFull = false;
    const append: Journal['append'] = (event, activeMs) => {
      isFull ||= event.type === type;
      if (isFull) throw new Error('no space left');
      return journal.append(event, activeMs);
    };
    // Its state is read through getters.
    return Object.setPrototypeOf({ append }, journal) as Journal;
  };

describe('a run that breaks', () => {
  it('between iterations tells on_error and on_stop why, with one state, and then the record', async () => {
    const scene = broken([{ work: () => rmSync(join(scene.workingDir, 'p.md')) }]);
    const result = await scene.runner.run();
    expect(result).toMatchObject({ status: 'error', exitCode: 1, error: expect.stringContaining('p.md') });
    expect(scene.told().map(({ hook, status, state, error }) => ({ hook, status, state, error }))).toEqual([
      { hook: 'on_error', status: 'error', state: 'error', error: result.error },
      { hook: 'on_stop', status: 'error', state: 'error', error: result.error },
    ]);
    const last = ['hook-started', 'hook-ran', 'hook-started', 'hook-ran', 'run-ended'];
    expect(scene.journal.events.slice(-5).map(({ type }) => type)).toEqual(last);
  });

  it('because processes of the agent could not be ended is cleaned up after', async () => {
    const { runner, told } = broken([{ end: { survivors: 2 } }]);
    expect(await runner.run()).toMatchObject({ status: 'error', error: expect.stringContaining('could not be ended') });
    expect(told().map(({ hook }) => hook)).toEqual(['on_error', 'on_stop']);
  });

  it('because its record cannot be written is cleaned up after all the same, and says what was wrong first', async () => {
    const { runner, told } = broken([{}], {}, fullFrom('iteration-ended'));
    const result = await runner.run();
    expect(result).toMatchObject({ status: 'error', exitCode: 1, error: expect.stringMatching(/^no space left;/) });
    expect(told().map(({ hook, error }) => [hook, error])).toEqual([
      ['on_error', 'no space left'],
      ['on_stop', 'no space left'],
    ]);
  });

  it('while it stops is not cleaned up after twice', async () => {
    const { runner, told } = broken([{}], { maxIterations: 1 }, fullFrom('run-ended'));
    expect(await runner.run()).toMatchObject({ status: 'error' });
    expect(told().map(({ hook, state }) => [hook, state])).toEqual([
      ['on_stop', 'stopped'],
      ['on_error', 'error'],
    ]);
  });

  it('because the agent removed its working directory ends after that iteration, and names the folder', async () => {
    for (const config of [{}, { stop: { success: [{ output_pattern: 'DONE' }] } }] as const) {
      const scene = broken(
        [
          {
            work: () => rmSync(scene.workingDir, { recursive: true, force: true }),
            events: [{ kind: 'text', text: 'DONE' }],
          },
        ],
        { promptPath: OUTSIDE, ...config },
      );
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const result = await scene.runner.run();
      expect(result).toMatchObject({
        status: 'error',
        exitCode: 1,
        error: expect.stringMatching(new RegExp(`working directory ${scene.workingDir} is gone.*removed`)),
      });
      const ended = scene.journal.events.filter(({ type }) => type === 'iteration-ended');
      expect(ended).toMatchObject([{ iteration: 1, agentStarted: true }]);
      expect(scene.journal.events.at(-1)).toMatchObject({ type: 'run-ended', state: 'error' });
    }
  });

  it('because its working directory was removed between two iterations starts no other agent', async () => {
    const scene = broken([{}], { promptPath: OUTSIDE, maxIterations: 3 });
    scene.runner.subscribe(({ type }) => {
      const isBetween = type === 'verdict-reached' && scene.journal.state.iterations === 1;
      if (isBetween) rmSync(scene.workingDir, { recursive: true });
    });
    const result = await scene.runner.run();
    expect(result).toMatchObject({ status: 'error', error: expect.stringContaining(scene.workingDir) });
    expect(scene.journal.events.filter(({ type }) => type === 'iteration-started')).toHaveLength(1);
  });

  it('is neither held up nor hidden by a hook that fails or hangs', async () => {
    const hooks = {
      onError: { command: 'exit 3', onFailure: 'pause' },
      onStop: { command: 'sleep 60', timeout: '200ms' },
    } as const;
    const scene = broken([{ work: () => rmSync(join(scene.workingDir, 'p.md')) }], { hooks });
    expect(await scene.runner.run()).toMatchObject({ status: 'error', error: expect.stringContaining('p.md') });
    expect(scene.journal.events.at(-1)).toMatchObject({ type: 'run-ended', error: expect.stringContaining('p.md') });
    const ran = scene.journal.events.flatMap((event) => (event.type === 'hook-ran' ? [event.failure?.message] : []));
    expect(ran).toEqual([expect.stringMatching(/on_error .*3$/), expect.stringMatching(/on_stop .*in time/)]);
  });

  it('before the agent because the hook has not written the prompt gives the number back', async () => {
    const scene = broken([{}], { hooks: { beforeIteration: 'true' }, maxIterations: 1 });
    rmSync(join(scene.workingDir, 'p.md'));
    expect(await scene.runner.run()).toMatchObject({ status: 'error' });
    expect(scene.journal.state.iterations).toBe(0);
    expect(scene.journal.events.findLast(({ type }) => type === 'iteration-ended')).toMatchObject({
      agentStarted: false,
      error: expect.stringContaining('p.md'),
    });
  });
});
