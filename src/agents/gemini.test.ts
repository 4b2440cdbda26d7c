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
import { geminiAgent } from './gemini.js';

const CREATED = ["I'll create the file.", 'Done: hello.txt created. <promise>COMPLETE</promise>'];
const SAID = ['I will create the file.', 'Done. <promise>COMPLETE</promise>'];
const SERVED = ['Starting a dev server.', 'Done. <promise>COMPLETE</promise>'];
const SECOND = ['Second turn in the same session.'];
const UNTOLD = [undefined, undefined, undefined];
const WORKED = {
  ...QUIET,
  usage: [13_400, 80, undefined],
  said: SAID,
  tools: ['write_file'],
  answers: ['ok'],
  results: ['success'],
};
const REFUSED = { ...QUIET, usage: [0, 0, 0], results: ['error'] };

describe('recordings of Gemini CLI', () => {
  const TABLE = [
    ['success', { ...WORKED, said: CREATED }],
    ['overloaded-recover', { ...WORKED, retries: ['overload 1', 'overload 2'] }],
    ['ratelimit-recover', { ...WORKED, retries: ['rate 1'] }],
    ['resume-1', WORKED],
    ['resume-2', { ...QUIET, usage: [8400, 20, undefined], said: SECOND, results: ['success'] }],
    ['bgtool', { ...WORKED, said: SERVED, tools: ['run_shell_command'] }],
    ['auth-401', { ...REFUSED, errors: ['auth'] }],
    ['context', { ...REFUSED, errors: ['context'] }],
    ['usage-limit', { ...REFUSED, limits: ['usage-limit unknown'] }],
    [
      'hang-stream-SIGINT-group',
      {
        ...QUIET,
        usage: UNTOLD,
        said: ['I will create the file.', 'Working on'],
        tools: ['write_file'],
        answers: ['ok'],
      },
    ],
    [
      'hang-tool-SIGTERM-group',
      { ...QUIET, usage: UNTOLD, said: ['Running a long command.'], tools: ['run_shell_command'] },
    ],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => expect(digestOf(recordedEvents(geminiAgent, name))).toEqual(expected));

  it('are all in the table', () => expect(TABLE.map(([name]) => name).sort()).toEqual(recordingsOf('gemini')));
});

describe('what Gemini says', () => {
  const message = (content: string, more: object = {}) =>
    JSON.stringify({ type: 'message', role: 'assistant', content, delta: true, ...more });

  it('is whole again: a marker that was cut in two is found', () => {
    const reader = geminiAgent.reader();
    const lines = [message('<promise>COM'), message('PLETE</promise>'), 'a line that is no JSON', message('!')];
    expect(lines.flatMap((line) => reader.read(line))).toEqual([]);
    expect(reader.end()).toEqual([{ kind: 'text', text: '<promise>COMPLETE</promise>!' }]);
    expect(reader.end()).toEqual([]);
  });

  it('a prompt that it repeats is not its own words, not even next to them', () => {
    const reader = geminiAgent.reader();
    const lines = [message('Say COMPLETE', { role: 'user', delta: undefined }), message('No.')];
    expect([...lines.flatMap((line) => reader.read(line)), ...reader.end()]).toEqual([{ kind: 'text', text: 'No.' }]);
  });

  it('an endless message is told in parts', () => {
    const reader = geminiAgent.reader();
    const events = Array.from({ length: 12 }, () => message('x'.repeat(100_000))).flatMap((line) => reader.read(line));
    expect(eventsOf(events, 'text')).toHaveLength(1);
  });
});

it('a quota that is used up tells when it opens again', () => {
  const reader = geminiAgent.reader({ now: () => new Date('2026-11-15T06:00:00Z') });
  const message = 'You have exhausted your capacity on this model. Your quota will reset after 1h0m0s.';
  expect(reader.read(JSON.stringify({ type: 'result', status: 'error', error: { message } }))).toContainEqual({
    kind: 'limit',
    limit: 'usage-limit',
    resetsAt: '2026-11-15T07:00:00.000Z',
    message,
  });
});

describe('what Gemini used', () => {
  it('what the model thought is output, and each model has its own sum', () => {
    const stats = { input_tokens: 100, output_tokens: 10, total_tokens: 150, cached: 60 };
    const line = JSON.stringify({
      type: 'result',
      status: 'success',
      stats: { ...stats, models: { a: stats, b: {} } },
    });
    expect(eventsOf(geminiAgent.parse(line), 'usage')).toMatchObject([
      {
        scope: 'turn',
        model: 'a',
        spend: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 60, totalTokens: 150 },
      },
      { scope: 'turn', model: 'b', spend: {} },
    ]);
  });
});

describe('a tool that a policy does not permit', () => {
  it('is a denial', () => {
    const error = { type: 'policy_violation', message: 'not allowed' };
    const line = JSON.stringify({ type: 'tool_result', tool_id: 't', status: 'error', error });
    expect(geminiAgent.reader().read(line)).toEqual([
      { kind: 'permission-denied', tool: 'a tool', id: 't', detail: 'not allowed' },
      { kind: 'tool-result', id: 't', failed: true, denied: true, output: 'not allowed' },
    ]);
  });
});

describe('what Gemini leaves unsaid', () => {
  const read = (...lines: readonly object[]) => {
    const reader = geminiAgent.reader();
    return [...lines.flatMap((line) => reader.read(JSON.stringify(line))), ...reader.end()];
  };
  const done = { type: 'result', status: 'success', stats: {} };

  it('a loop at which it stopped is no success', () => {
    const warning = { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' };
    expect(read(warning, done).slice(-2)).toEqual([
      { kind: 'error', error: 'other', message: 'Loop detected, stopping execution' },
      { kind: 'result', outcome: 'error', text: 'Loop detected, stopping execution' },
    ]);
  });

  it('the turns that it may take are an end of their own', () => {
    const warning = { type: 'error', severity: 'error', message: 'Maximum session turns exceeded' };
    expect(eventsOf(read(warning, done), 'result')).toMatchObject([{ outcome: 'turns' }]);
  });

  it('a denial names the tool and what it was asked to do', () => {
    const call = { type: 'tool_use', tool_id: 't', tool_name: 'run_shell_command', parameters: { command: 'rm x' } };
    const answer = {
      type: 'tool_result',
      tool_id: 't',
      status: 'error',
      error: { type: 'policy_violation', message: 'no' },
    };
    expect(eventsOf(read(call, answer), 'permission-denied')).toEqual([
      { kind: 'permission-denied', tool: 'run_shell_command', id: 't', detail: '{"command":"rm x"}' },
    ]);
  });

  it('why it tries again is on its standard error, with JSON that nobody is shown', () => {
    const line =
      'Attempt 3 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"Overloaded"}}';
    expect(geminiAgent.parseError?.(line)).toEqual([
      { kind: 'retry', error: 'overload', attempt: 3, message: '503 Overloaded' },
    ]);
  });
});

describe('lines that nobody has seen yet', () => {
  it('any damage to a recording is read without an error, and only into whole events', () => {
    fc.assert(
      fc.property(fc.array(mangledLine(linesOf('gemini')), { minLength: 1, maxLength: 4 }), (lines) => {
        const reader = geminiAgent.reader();
        const events = [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
        expect([...events, ...lines.flatMap(geminiErrors)].flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(600) },
    );
  });
});

function geminiErrors(line: string) {
  return geminiAgent.parseError?.(line) ?? [];
}
