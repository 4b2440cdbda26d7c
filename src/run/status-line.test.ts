import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordedEvents } from '../../test/support/recorded-stream.js';
import { parseClaude } from '../agents/claude/parse.js';
import { AGENTS } from '../agents/index.js';
import type { LoopConfig } from '../config/loop-config.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { EventOf, RunEvent } from '../model/run-event.js';
import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';
import { explain } from '../replay/explain.js';
import { replay } from '../replay/replay.js';
import { summariseRun } from '../stop/run-summary.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-status-line-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, 'state'), XDG_RUNTIME_DIR: base };

const GREEN = "echo 'TAP version 14'; echo 1..1; echo 'ok 1'";
const RED = "echo 'TAP version 14'; echo 1..1; echo 'not ok 1'; exit 1";
const text = (words: string): AgentEvent => ({ kind: 'text', text: words });

function configOf(config: LoopConfig): LoopConfig {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  return {
    workingDir,
    prompt: 'go',
    iterationDelay: 0,
    trackFileChanges: false,
    maxIterations: 1,
    stop: { success: [], failure: [] },
    ...config,
  };
}

/** A loop whose agent shows these events, one list for each iteration. */
async function play(calls: readonly (readonly AgentEvent[])[], config: LoopConfig = {}) {
  const events: RunEvent[] = [];
  const agent = scriptedAgent(calls.map((shown) => ({ events: shown })));
  const runner = new LoopRunner(configOf(config), { agent, environment });
  runner.subscribe((event) => events.push(event));
  const result = await runner.run();
  return { ...shownBy(runner, events), result, prompts: agent.tasks.map(({ prompt }) => prompt) };
}

function shownBy(runner: LoopRunner, events: readonly RunEvent[]) {
  const made = events.filter((event): event is EventOf<'claim-made'> => event.type === 'claim-made');
  return { runner, events, claims: made.map(({ claim, evidence, from }) => ({ claim, evidence, from })) };
}

describe('the status line of an agent', () => {
  it('is asked for at the end of its prompt and recorded as a claim before the iteration ends', async () => {
    const { prompts, claims, events, runner } = await play([[text('The parser works.\n\nPAWL: CONTINUE')]]);
    expect(prompts).toEqual([expect.stringMatching(/^go\n/)]);
    expect(prompts[0]?.trimEnd().endsWith(STATUS_LINE_PROMPT)).toBe(true);
    expect(claims).toEqual([{ claim: 'continue', evidence: 'The parser works.', from: 'status-line' }]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('claim-made')).toBeLessThan(types.indexOf('iteration-ended'));
    expect(runner.runState.latest.claims).toEqual({ continue: 'The parser works.' });
    expect(runner.runState.recent[0]?.summary).toBe('The parser works.');
    expect(replay(events).verdicts.every(({ isSame }) => isSame)).toBe(true);
    expect(explain(events)?.claims).toEqual([
      { claim: 'continue', evidence: 'The parser works.', from: 'status-line' },
    ]);
  });

  it('false leaves it out of the prompt and reads nothing', async () => {
    const { prompts, claims, runner } = await play([[text('All done.\n\nPAWL: DONE')]], { statusLine: false });
    expect(prompts.join('\n')).not.toContain('PAWL');
    expect(claims).toEqual([]);
    expect(runner.runState.recent[0]?.summary).toBe('All done.\n\nPAWL: DONE');
  });

  it('done meets agent_reports_done, together with what verifies it', async () => {
    const stop = { success: [{ all: ['agent_reports_done', 'all_tests_pass'] }], failure: [] };
    const said = [text('I ran npm test: 1 passed.\n\nPAWL: DONE')];
    expect((await play([said], { stop, tests: GREEN })).result).toMatchObject({ class: 'goal' });
    expect((await play([said], { stop, tests: RED })).result).toMatchObject({ class: 'limit' });
  });

  it('that needs a person meets agent_reports_blocked, and is shown where it is no condition', async () => {
    const said = [text('The server refuses me.\n\nPAWL: NEEDS a key for the mail server')];
    const held = await play([said], { maxIterations: 3, stop: { failure: ['agent_reports_blocked'] } });
    expect(held.result).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(held.result.reasons[0]?.message).toContain('a key for the mail server');
    // It had come to its end by itself.
    expect(held.runner.runState.recent).toMatchObject([{ outcome: 'completed' }]);
    const shown = await play([said]);
    expect(shown.runner.runState.blockedReport).toEqual({ iteration: 1, evidence: 'a key for the mail server' });
    expect(summariseRun(shown.runner.runState).notes.join('\n')).toContain('"a key for the mail server"');
  });

  it.each<[string, AgentEvent[]]>([
    ['a tool printed', [{ kind: 'tool-result', failed: false, output: 'PAWL: DONE' }, text('I read the file.')]],
    ['stands in an earlier message', [text('PAWL: DONE'), text('One more look.')]],
    ['is an error message', [text('Working.'), { kind: 'result', outcome: 'error', text: 'PAWL: DONE' }]],
    ['the result does not have', [text('PAWL: DONE'), { kind: 'result', outcome: 'success', text: 'Two of three.' }]],
  ])('is not what %s', async (_, shown) => {
    expect((await play([shown])).claims).toEqual([]);
  });

  it('is not what a subagent says', async () => {
    const line = (parent: string | null, said: string) =>
      JSON.stringify({
        type: 'assistant',
        parent_tool_use_id: parent,
        message: { content: [{ type: 'text', text: said }] },
      });
    const shown = [line(null, 'Two helpers work.'), line('toolu_1', 'PAWL: DONE')].flatMap(parseClaude);
    expect((await play([shown])).claims).toEqual([]);
    expect((await play([[line(null, 'PAWL: DONE')].flatMap(parseClaude)])).claims).toHaveLength(1);
  });

  it('is that of the result where there is one, and else of the last message', async () => {
    const result: AgentEvent = { kind: 'result', outcome: 'success', text: 'Fixed.\nPAWL: DONE' };
    expect((await play([[text('Working.'), result]])).claims).toMatchObject([{ claim: 'done', evidence: 'Fixed.' }]);
    const bare: AgentEvent = { kind: 'result', outcome: 'success' };
    expect((await play([[text('Fixed.\nPAWL: DONE'), bare]])).claims).toMatchObject([{ claim: 'done' }]);
  });

  it.each(AGENTS.map(({ name }) => name))('is read from what %s printed', async (name) => {
    const adapter = AGENTS.find((agent) => agent.name === name) as (typeof AGENTS)[number];
    const withLine = (line: string) => (event: AgentEvent) =>
      (event.kind === 'text' || event.kind === 'result') && event.text !== undefined
        ? { ...event, text: event.text.replace('<promise>COMPLETE</promise>', `\n\n${line}`) }
        : event;
    const recorded = recordedEvents(adapter, 'success');
    expect((await play([recorded.map(withLine('PAWL: NEEDS a key'))])).claims).toEqual([
      { claim: 'blocked', evidence: 'a key', from: 'status-line' },
    ]);
    expect((await play([recorded.map(withLine('PAWL: DONE'))])).claims).toMatchObject([
      { claim: 'done', from: 'status-line' },
    ]);
    expect((await play([recorded.map(withLine('It says PAWL: DONE here.'))])).claims).toEqual([]);
  });

  it('of a try that the provider refused does not count', async () => {
    const limit: AgentEvent = { kind: 'limit', limit: 'usage-limit', message: 'limit reached' };
    const { claims } = await play([[text('PAWL: DONE'), limit]], { maxWait: '1s', maxIterations: 1 });
    expect(claims).toEqual([]);
  });

  it('of a command is the end of what it prints, after the echo of its prompt', async () => {
    const print = `cat; echo 'There is no key.'; echo 'Please add one.'; echo 'PAWL: NEEDS'`;
    const config = configOf({ agent: { name: 'command', command: ['sh', '-c', print] } });
    const events: RunEvent[] = [];
    const runner = new LoopRunner(config, { environment });
    runner.subscribe((event) => events.push(event));
    await runner.run();
    expect(shownBy(runner, events).claims).toEqual([
      { claim: 'blocked', evidence: 'There is no key.\nPlease add one.', from: 'status-line' },
    ]);
  });

  it('of the prompt, echoed by a command, claims nothing', async () => {
    const config = configOf({ agent: { name: 'command', command: ['sh', '-c', `sed 's/^/> /'`] } });
    const events: RunEvent[] = [];
    const runner = new LoopRunner(config, { environment });
    runner.subscribe((event) => events.push(event));
    await runner.run();
    expect(shownBy(runner, events).claims).toEqual([]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'agent-said', text: expect.stringContaining('> Write nothing after it.') }),
    );
  });
});

describe('plain words', () => {
  it('that say all is done are recorded, but report nothing', async () => {
    const stop = { success: ['agent_reports_done'], failure: [] };
    const { claims, result, runner } = await play([[text('All 12 tests pass. The task is complete.')]], { stop });
    expect(claims).toEqual([{ claim: 'done', evidence: 'The task is complete.', from: 'words' }]);
    expect(result).toMatchObject({ class: 'limit' });
    expect(runner.runState.latest).toMatchObject({ doneInWords: 'The task is complete.' });
    expect(runner.runState.latest.claims).toBeUndefined();
    expect(summariseRun(runner.runState).notes.join('\n')).toContain('said it was done once, but no goal was met');
  });

  it('of an iteration that failed are no claim', async () => {
    const shown = [text('The task is complete.'), { kind: 'result', outcome: 'error', text: 'it broke' } as const];
    expect((await play([shown])).claims).toEqual([]);
  });
});
