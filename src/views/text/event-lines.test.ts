import { describe, expect, it } from 'vitest';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { reduce } from '../../model/reduce.js';
import type { NewEvent, RunEvent } from '../../model/run-event.js';
import { parseCondition } from '../../model/parse-condition.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import type { TestResults } from '../../model/test-results.js';
import { eventLines, wholeEventLines } from './event-lines.js';

const AT = '2026-02-14T23:14:07.000Z';

/** The lines of events in a row, as a terminal of 60 columns shows them. */
function linesOf(...events: readonly NewEvent[]): readonly string[] {
  let state = INITIAL_STATE;
  return events.flatMap((event, index) => {
    const recorded = { v: 1, seq: index + 1, at: AT, activeMs: 0, ...event } as RunEvent;
    const before = state;
    state = reduce(before, recorded);
    return eventLines(recorded, { before, after: state }, recordingTerminal(60));
  });
}

const STARTED: NewEvent = { type: 'iteration-started', iteration: 1, try: 1 };

describe('the lines of an event', () => {
  it('a wait tells until when and how long that is', () => {
    const until = new Date(Date.parse(AT) + 7_800_000).toISOString();
    const [line] = linesOf({ type: 'waiting-started', for: 'usage-limit', until });
    expect(line).toMatch(/usage limit.* \d\d:\d\d \(in 2h 10m\)$/);
  });

  it('a run of a fleet is answered with commands of the fleet, which name it', () => {
    const state = { ...INITIAL_STATE, runId: 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    const said = (event: NewEvent, isOfFleet: boolean) => {
      const recorded = { v: 1, seq: 1, at: AT, activeMs: 0, ...event } as RunEvent;
      return eventLines(recorded, { before: state, after: state, isOfFleet }, recordingTerminal(200)).join(' ');
    };
    const approval = { type: 'waiting-started', for: 'approval' } as const;
    expect(said(approval, false)).toMatch(/approval.*pawl approve.*pawl reject TEXT/);
    expect(said(approval, true)).toMatch(/approval.*pawl fleet approve 01ARZ3NDEK.*pawl fleet reject 01ARZ3NDEK TEXT/);
    expect(said({ type: 'waiting-started', for: 'answer' }, true)).toContain('(pawl fleet answer 01ARZ3NDEK TEXT)');
    expect(said({ type: 'paused' }, true)).toContain('pawl fleet unpause 01ARZ3NDEK');
  });

  it('how many commits there are is told when the agent made some by itself', () => {
    const made = { type: 'work-committed', iteration: 1, commit: 'c0ffee0123456789' } as const;
    expect(linesOf(made)).toEqual(['  committed as c0ffee0123']);
    expect(linesOf({ ...made, commits: 3 })).toEqual(['  3 commits, committed as c0ffee0123']);
  });

  it('why nothing was committed is told to the end, however long the path', () => {
    const error = `git add: Unable to create '/home/me/${'some/where/'.repeat(6)}index.lock': File exists.`;
    const lines = linesOf({ type: 'work-committed', iteration: 1, error });
    expect(lines[0]).toMatch(/^ {2}not committed: git add/);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(`not committed: ${error}`);
    expect(lines.slice(1).every((line) => line.startsWith('    '))).toBe(true);
  });

  it('what an agent reports is one line, whatever is in it', () => {
    const lines = linesOf({ type: 'claim-made', claim: 'done', evidence: 'all\u001b[31m\ngreen', by: 'x' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^ {2}says it is done: all/);
    expect(lines[0]).not.toContain('\u001b');
  });

  it('what a limit says is said once', () => {
    const lines = linesOf(
      STARTED,
      { type: 'limit-hit', kind: 'usage-limit', message: 'no more today' },
      {
        type: 'iteration-ended',
        iteration: 1,
        outcome: 'limited',
        agentStarted: true,
        durationMs: 1500,
        error: 'no more today',
        observation: {},
      },
      { type: 'waiting-started', for: 'usage-limit', reason: 'no more today' },
    );
    expect(lines.filter((line) => line.includes('no more today'))).toEqual(['  usage limit: no more today']);
  });

  it.each([
    ['the first text of a mapping', '{"command":"npm test -- \\"a b\\"","timeout":5}', '  → Bash npm test -- "a b"'],
    ['another mapping as it is', '{"path":["src"]}', '  → Bash {"path":["src"]}'],
    ['words', 'plain words', '  → Bash plain words'],
    ['the beginning of much', `{"command":"${'x'.repeat(5000)}"}`, `  → Bash ${'x'.repeat(50)}…`],
    ['nothing', '', '  → Bash'],
  ])('a tool call shows what it was given: %s', (_, input, line) => {
    expect(linesOf({ type: 'tool-called', name: 'Bash', input })).toEqual([line]);
  });

  it('a message takes two lines at most, and no escape sequence of it arrives', () => {
    expect(linesOf({ type: 'agent-said', text: '  short\n\nand \u001b[31mred\u001b[0m  ' })).toEqual([
      '  short and red',
    ]);
    const long = linesOf({ type: 'agent-said', text: 'many words '.repeat(1000) });
    expect(long).toHaveLength(2);
    expect(long[1]).toMatch(/…$/);
    for (const line of long) expect(line.length).toBeLessThanOrEqual(60);
    expect(linesOf({ type: 'agent-said', text: ' \u001b[2J\n' })).toEqual([]);
  });

  it('whoever reads up is shown every word of a message, in its own lines, and still no escape sequence', () => {
    const words = Array.from({ length: 60 }, (_, index) => `word-${index}`).join(' ');
    const event = {
      v: 1,
      seq: 1,
      at: AT,
      activeMs: 0,
      type: 'agent-said',
      text: `First.\r\n\n\u001b[2J${words}\n`,
    } as const;
    const fold = { before: INITIAL_STATE, after: INITIAL_STATE };
    expect(wholeEventLines(event, fold, recordingTerminal(60))).toEqual(['  First.', `  ${words}`]);
    const onScreen = wholeEventLines(event, fold, { ...recordingTerminal(60), isScreen: true });
    expect(onScreen.map((line) => line.trim()).join(' ')).toBe(`First. ${words}`);
    expect(Math.max(...onScreen.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('an emoji is not cut in half', () => {
    const [line = ''] = linesOf({ type: 'error-seen', kind: 'other', message: '👩‍👩‍👧'.repeat(100), fingerprint: '' });
    expect(line).toMatch(/^ {2}error: (?:\p{Emoji}|\u200d)+…$/u);
    expect(line).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it.each([
    ['exit', 1, '  1 process that it left running was ended'],
    ['lingering', 2, '  2 processes that it left running were ended'],
    ['idle', 1, '  1 more of its processes was ended'],
    ['aborted', 3, '  3 more of its processes were ended'],
  ] as const)('only an agent that ended by itself left something running: %s', (cause, stragglers, text) => {
    const lines = linesOf(STARTED, {
      type: 'iteration-ended',
      iteration: 1,
      outcome: 'completed',
      agentStarted: true,
      durationMs: 1000,
      ending: { cause, stragglers, survivors: 0 },
      observation: {},
    });
    expect(lines.at(-1)).toBe(text);
  });

  it('says that an agent was killed because it spent on', () => {
    const lines = linesOf(STARTED, {
      type: 'iteration-ended',
      iteration: 1,
      outcome: 'interrupted',
      interruption: 'limit',
      agentStarted: true,
      durationMs: 1000,
      ending: { cause: 'aborted', stragglers: 0, survivors: 0, spentOn: true },
      observation: {},
    });
    expect(lines.at(-1)).toMatch(/spending.*killed/);
  });

  it('tests that cannot be run are told from tests that fail, with what the shell said', () => {
    const uncounted = { source: 'harness', details: [] } as const;
    const output = 'sh: 1: nosuchtest: not found\n';
    const before = (tests: Partial<TestResults>) =>
      linesOf({ type: 'baseline-observed', observation: { tests: { ...uncounted, ...tests } } }).join('\n');
    expect(before({ exitCode: 127, output })).toMatch(/cannot be run.*127.*sh: 1:\n {2}nosuchtest: not found$/);
    expect(before({ exitCode: 0, passed: 0, failed: 0 })).toBe('before: no tests were found');
    expect(before({ exitCode: 126 })).toMatch(/cannot be run.*126/);
    expect(before({ exitCode: 1, output })).toBe('before: the tests fail');
    expect(before({ exitCode: 127, timedOut: true })).toBe('before: the tests timed out');
    expect(before({ exitCode: 127, passed: 1, failed: 1 })).toBe('before: 1 of 2 tests pass');
  });

  it('tests of which none can be counted are told at the start, with the way out, where a goal needs them', () => {
    const policy = { success: [parseCondition('all_tests_pass')], failure: [], limits: [] };
    const said = (tests: Partial<TestResults>, rules = { all_tests_pass: 2 }) => {
      const after = { ...INITIAL_STATE, policy, rules };
      const observation = {
        tests: { source: 'harness', grade: 'exit-code', details: [], exitCode: 0, ...tests },
      } as const;
      const event = { v: 1, seq: 1, at: AT, activeMs: 0, type: 'baseline-observed', observation } as RunEvent;
      return eventLines(event, { before: INITIAL_STATE, after }, recordingTerminal(400)).join(' ');
    };
    expect(said({})).toMatch(/no test could be counted .*"needs you".*`parse_tests: false`/);
    expect(said({ exitCode: 1 })).toContain('`parse_tests: false`');
    for (const tests of [
      { exitCodeDecides: true },
      { grade: 'counted', passed: 1, failed: 0 },
      { timedOut: true },
    ] as const)
      expect(said(tests)).not.toContain('parse_tests');
    expect(said({}, { all_tests_pass: 1 })).not.toContain('parse_tests');
  });

  it('commands have the words that people type, and a rejection does not say that the run goes on', () => {
    expect(linesOf({ type: 'command-received', command: { type: 'resume' }, by: 'me' })).toEqual([
      expect.stringMatching(/^unpause .*by me$/),
    ]);
    const waiting = { type: 'waiting-started', for: 'approval' } as const;
    const lines = linesOf(waiting, { type: 'waiting-ended', reason: 'rejected' }, waiting, { type: 'waiting-ended' });
    expect(lines).toContain('rejected');
    expect(lines.indexOf('continues')).toBe(lines.length - 1);
  });

  it('processes that could not be ended are named', () => {
    const lines = linesOf(STARTED, {
      type: 'iteration-ended',
      iteration: 1,
      outcome: 'timed-out',
      agentStarted: true,
      durationMs: 60_000,
      ending: { cause: 'timeout', stragglers: 2, survivors: 1 },
      observation: { unobserved: ['the tests were not run'] },
    });
    expect(lines.slice(2)).toEqual([
      'iteration 1 timed out in 1m',
      expect.stringMatching(/^ {2}2 .*processes.* ended$/),
      expect.stringMatching(/^ {2}1 .*processes.* not be ended$/),
      '  the tests were not run',
    ]);
  });
});
