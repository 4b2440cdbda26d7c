import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../model/agent-event.js';
import { LoopRunner } from '../run/run-handle.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-request-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, 'state'), XDG_RUNTIME_DIR: base };

const QUESTION = 'I need your decision: Postgres or SQLite?';
const text = (words: string): AgentEvent => ({ kind: 'text', text: words });

async function requestOf(step: ScriptedStep) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const common = {
    workingDir,
    prompt: QUESTION,
    iterationDelay: 0,
    trackFileChanges: false,
    maxIterations: 1,
  } as const;
  const runner = new LoopRunner(common, { agent: scriptedAgent([step]), environment });
  const seen: unknown[] = [];
  runner.subscribe((event) => {
    if (event.type === 'iteration-ended') seen.push(event.observation.request);
  });
  await runner.run();
  return seen[0];
}

describe('what the last message of an agent asks', () => {
  it('is recorded with the iteration', async () => {
    expect(await requestOf({ events: [text('I read the code.'), text(QUESTION)] })).toEqual({
      isStuck: true,
      kind: 'request',
      sentence: QUESTION,
    });
  });

  it('is nothing when it asked earlier and then went to work', async () => {
    expect(await requestOf({ events: [text(QUESTION), text('I use SQLite.')] })).toEqual({ kind: 'none' });
  });

  it('is read from its result where it reports one', async () => {
    const result: AgentEvent = { kind: 'result', outcome: 'success', text: 'I use SQLite.' };
    expect(await requestOf({ events: [text(QUESTION), result] })).toEqual({ kind: 'none' });
  });

  it('is not what its tools print', async () => {
    const events: AgentEvent[] = [
      text('I use SQLite.'),
      { kind: 'tool-result', id: '1', failed: false, output: QUESTION },
    ];
    expect(await requestOf({ events })).toEqual({ kind: 'none' });
  });

  it('is unknown of an agent that said nothing, and of one that was cut off', async () => {
    expect(await requestOf({})).toBeUndefined();
    expect(
      await requestOf({ events: [text(QUESTION)], end: { cause: 'timeout', exitCode: undefined } }),
    ).toBeUndefined();
  });
});
