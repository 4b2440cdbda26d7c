import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import {
  countedUsage,
  digestOf,
  eventsOf,
  linesOf,
  QUIET,
  recordedEvents,
  recordingsOf,
} from '../../test/support/recorded-stream.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import { qwenAgent } from './qwen.js';

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

describe('recordings of Qwen Code', () => {
  const TABLE = [
    ['success', { ...WORKED, said: CREATED }],
    ['overloaded-recover', WORKED],
    ['ratelimit-recover', WORKED],
    ['resume-1', WORKED],
    // Alone it counts the whole session: the first turn, this one, and a request that the stream does not show.
    ['resume-2', { ...QUIET, usage: [28_000, 150, undefined], said: SECOND, results: ['success'] }],
    ['bgtool', { ...WORKED, said: SERVED, tools: ['run_shell_command'] }],
    // It calls both a success.
    ['auth-401', { ...REFUSED, errors: ['auth'] }],
    ['context', { ...REFUSED, errors: ['context'] }],
    // It waits in silence; the idle timeout ends it.
    ['usage-limit', { ...QUIET, usage: UNTOLD }],
    [
      'hang-stream-SIGINT-group',
      {
        ...QUIET,
        usage: [6200, 50, undefined],
        said: ['I will create the file.'],
        tools: ['write_file'],
        answers: ['ok'],
      },
    ],
    [
      'hang-tool-SIGTERM-group',
      {
        ...QUIET,
        usage: [6200, 50, undefined],
        said: ['Running a long command.'],
        tools: ['run_shell_command'],
        answers: ['failed'],
      },
    ],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => expect(digestOf(recordedEvents(qwenAgent, name))).toEqual(expected));

  it('requests that the stream does not show count once, in a session that is resumed too', () => {
    const turns = ['resume-1', 'resume-2'].map((name) => recordedEvents(qwenAgent, name));
    expect(countedUsage(...turns)).toEqual([28_000, 150, undefined]);
    expect(eventsOf(turns[1] ?? [], 'usage').at(-1)).toMatchObject({
      scope: 'session-total',
      session: eventsOf(turns[1] ?? [], 'session')[0]?.id,
    });
  });

  it('are all in the table', () => expect(TABLE.map(([name]) => name).sort()).toEqual(recordingsOf('qwen')));
});

describe('an error of the provider that looks like words of the model', () => {
  const said = (text: string, tokens: number, more: object = {}) =>
    JSON.stringify({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'text', text }], usage: { input_tokens: tokens, output_tokens: 0 } },
      ...more,
    });
  const result = (more: object = {}) =>
    JSON.stringify({ type: 'result', subtype: 'success', is_error: false, ...more });
  const read = (...lines: readonly string[]) => {
    const reader = qwenAgent.reader();
    return digestOf(lines.flatMap((line) => reader.read(line)));
  };

  it('is no text, and its result no success', () => {
    expect(read(said('[API Error: 529 Overloaded]', 0), result())).toMatchObject({
      said: [],
      limits: ['overload unknown'],
      results: ['error'],
    });
  });

  it('a model that quotes one has used tokens to do so', () => {
    expect(read(said('[API Error: 401 was in the log]', 900), result())).toMatchObject({
      said: ['[API Error: 401 was in the log]'],
      errors: [],
      results: ['success'],
    });
  });

  it.each([
    ['a stream that broke off after some words', 'Partly said[API Error: terminated (cause: other side closed)]', 0],
    ['an answer without words', '[API Error: Model stream ended with empty response text.]', 5040],
  ])('%s is no success, though Qwen says so', (_, text, tokens) => {
    const digest = read(said(text, tokens), result({ result: text }));
    expect(digest).toMatchObject({ errors: ['other'], results: ['error'] });
    expect(digest.said).toEqual(text.startsWith('[') ? [] : ['Partly said']);
  });

  it('words of the model before a tool call are no refusal, whatever they quote', () => {
    const call = JSON.stringify({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 't', name: 'x' }] },
    });
    expect(read(said('The log says [API Error: 401 no key]', 0), call, result())).toMatchObject({
      said: ['The log says [API Error: 401 no key]'],
      errors: [],
      results: ['success'],
    });
  });

  it('a run that is killed after it has the error as its last word', () => {
    const reader = qwenAgent.reader();
    expect(digestOf([...reader.read(said('[API Error: 401 no]', 0)), ...reader.end()]).errors).toEqual(['auth']);
  });

  it('one that it got over does not count', () => {
    expect(read(said('[API Error: 500 oops]', 0), said('Done.', 9), result()).results).toEqual(['success']);
  });

  it('a version that calls it an error is believed, and asked why', () => {
    const line = result({
      subtype: 'error_during_execution',
      is_error: true,
      error: { message: '[API Error: 401 no]' },
    });
    expect(read(line)).toMatchObject({ errors: ['auth'], results: ['error'] });
  });

  it('a subagent makes no promise for the agent, but uses tokens', () => {
    const events = qwenAgent.parse(said('COMPLETE', 9, { parent_tool_use_id: 't' }));
    expect(events.map(({ kind }) => kind)).toEqual(['usage']);
  });

  it('denials are told with the result', () => {
    const denial = { tool_name: 'run_shell_command', tool_use_id: 't', tool_input: { command: 'rm' } };
    expect(eventsOf(qwenAgent.parse(result({ permission_denials: [denial] })), 'permission-denied')).toEqual([
      { kind: 'permission-denied', tool: 'run_shell_command', id: 't', detail: '{"command":"rm"}' },
    ]);
  });
});

describe('lines that nobody has seen yet', () => {
  it('any damage to a recording is read without an error, and only into whole events', () => {
    fc.assert(
      fc.property(fc.array(mangledLine(linesOf('qwen')), { minLength: 1, maxLength: 4 }), (lines) => {
        const reader = qwenAgent.reader();
        const events = [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
        expect([...events, ...lines.flatMap(qwenErrors)].flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(600) },
    );
  });
});

function qwenErrors(line: string) {
  return qwenAgent.parseError?.(line) ?? [];
}
