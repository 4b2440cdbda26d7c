import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import {
  digestOf,
  eventsOf,
  linesOf,
  QUIET,
  recordedEvents,
  recordingsOf,
} from '../../test/support/recorded-stream.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import { opencodeAgent } from './opencode.js';

const CREATED = ["I'll create the file.", 'Done: hello.txt created. <promise>COMPLETE</promise>'];
const SAID = ['I will create the file.', 'Done. <promise>COMPLETE</promise>'];
const SERVED = ['Starting a dev server.', 'Done. <promise>COMPLETE</promise>'];
const SECOND = ['Second turn in the same session.'];
const UNTOLD = [undefined, undefined, undefined];
const WORKED = { ...QUIET, usage: [13_400, 80, 0.0117], said: SAID, tools: ['write'], answers: ['ok'] };

describe('recordings of opencode', () => {
  const TABLE = [
    ['success', { ...WORKED, said: CREATED }],
    ['overloaded-recover', WORKED],
    ['ratelimit-recover', WORKED],
    ['resume-1', WORKED],
    ['resume-2', { ...QUIET, usage: [8400, 20, 0.0039], said: SECOND }],
    ['bgtool', { ...WORKED, said: SERVED, tools: ['bash'] }],
    ['auth-401', { ...QUIET, usage: [0, 0, 0], errors: ['auth'] }],
    // It says it twice.
    ['context', { ...QUIET, usage: [0, 0, 0], errors: ['context', 'context'] }],
    // It waits in silence; the idle timeout ends it.
    ['usage-limit', { ...QUIET, usage: UNTOLD, sessions: 0 }],
    [
      'hang-stream-SIGINT-group',
      {
        ...QUIET,
        // The step that was cut off is charged like the dearest before.
        usage: [12_400, 100, 0.0117],
        said: ['I will create the file.'],
        tools: ['write'],
        answers: ['ok'],
      },
    ],
    // A tool and the step that asked for it are shown when they are done.
    ['hang-tool-SIGTERM-group', { ...QUIET, usage: UNTOLD, said: ['Running a long command.'] }],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => expect(digestOf(recordedEvents(opencodeAgent, name))).toEqual(expected));

  it('are all in the table', () => expect(TABLE.map(([name]) => name).sort()).toEqual(recordingsOf('opencode')));
});

describe('a step', () => {
  const step = (tokens: object, cost: number) =>
    eventsOf(opencodeAgent.parse(JSON.stringify({ type: 'step_finish', part: { id: 'p', tokens, cost } })), 'usage')[0]
      ?.spend;

  it('what the model thought is output', () => {
    const tokens = { total: 70, input: 10, output: 5, reasoning: 15, cache: { read: 30, write: 10 } };
    expect(step(tokens, 0.5)).toMatchObject({ inputTokens: 50, outputTokens: 20, reasoningTokens: 15, costUsd: 0.5 });
  });

  it('an error after it leaves it counted', () => {
    const lines = [
      JSON.stringify({ type: 'step_finish', part: { id: 'p', tokens: { input: 10, output: 5 }, cost: 0.5 } }),
      JSON.stringify({ type: 'error', error: { name: 'APIError', data: { message: 'no', statusCode: 529 } } }),
    ];
    expect(digestOf(lines.flatMap(opencodeAgent.parse))).toMatchObject({
      usage: [10, 5, 0.5],
      limits: ['overload unknown'],
    });
  });

  it('a tool that was not permitted is a denial', () => {
    const state = { status: 'error', error: 'The user rejected permission to use this specific tool call.' };
    const line = JSON.stringify({ type: 'tool_use', part: { tool: 'bash', callID: 'c', state } });
    expect(digestOf(opencodeAgent.parse(line))).toMatchObject({ answers: ['failed'], denied: ['bash'] });
    expect(opencodeAgent.parse(line).at(-1)).toMatchObject({ kind: 'tool-result', denied: true });
  });
});

describe('how opencode ends', () => {
  const read = (...lines: readonly object[]) => {
    const reader = opencodeAgent.reader();
    return [...lines.flatMap((line) => reader.read(JSON.stringify(line))), ...reader.end()];
  };
  const finished = (reason: string) => ({
    type: 'step_finish',
    part: { id: 'p', reason, tokens: { input: 1, output: 1 } },
  });

  it.each(['length', 'content-filter'])('an answer that was cut off (%s) is no success', (reason) => {
    expect(digestOf(read(finished(reason)))).toMatchObject({ errors: ['other'], results: ['error'] });
    expect(digestOf(read(finished(reason), finished('stop')))).toMatchObject({ errors: [], results: [] });
  });

  it('a step that was not finished has spent, and nobody knows how much', () => {
    const started = { type: 'step_start', sessionID: 's', part: {} };
    const unknown = (...lines: readonly object[]) => eventsOf(read(...lines), 'usage').filter((event) => event.unknown);
    expect(unknown(started)).toHaveLength(1);
    expect(unknown(started, finished('tool-calls'))).toHaveLength(1);
    expect(unknown(started, finished('stop'))).toEqual([]);
    expect(unknown(started, { type: 'error', error: {} })).toEqual([]);
  });

  it('a denial tells what was denied, without the rules as JSON', () => {
    const error =
      'The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules [{"permission":"bash","action":"deny"}]';
    const state = { status: 'error', error, input: { command: 'rm x' } };
    const events = read({ type: 'tool_use', part: { callID: 't', tool: 'bash', state } });
    expect(eventsOf(events, 'permission-denied')).toEqual([
      { kind: 'permission-denied', tool: 'bash', id: 't', detail: '{"command":"rm x"}' },
    ]);
  });
});

describe('lines that nobody has seen yet', () => {
  it('any damage to a recording is read without an error, and only into whole events', () => {
    fc.assert(
      fc.property(mangledLine(linesOf('opencode')), (line) => {
        expect([...opencodeAgent.parse(line), ...(opencodeAgent.parseError?.(line) ?? [])].flatMap(faultsOf)).toEqual(
          [],
        );
      }),
      { numRuns: tries(1200) },
    );
  });
});
