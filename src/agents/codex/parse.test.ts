import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../test/support/full-form.js';
import { mangledLine } from '../../../test/support/mangled-line.js';
import {
  countedUsage,
  digestOf,
  eventsOf,
  linesOf,
  QUIET,
  recordedEvents,
  recordingsOf,
} from '../../../test/support/recorded-stream.js';
import { faultsOf } from '../../../test/support/well-formed-event.js';
import { codexAgent } from './index.js';
import { parseCodex } from './parse.js';

const NOW = new Date(2026, 10, 15, 6, 0, 0);
const UNTOLD = [undefined, undefined, undefined];
const WORKED = {
  ...QUIET,
  usage: [13_400, 80, undefined],
  said: ['I will create the file.', 'Done. <promise>COMPLETE</promise>'],
  tools: ['apply_patch'],
  answers: ['ok'],
  results: ['success'],
};
const REFUSED = { ...QUIET, usage: UNTOLD, results: ['error'] };
const fiveTimes = (error: string) => [1, 2, 3, 4, 5].map((attempt) => `${error} ${attempt}`);

describe('recordings of Codex', () => {
  const TABLE = [
    ['success', { ...WORKED, said: ["I'll create the file.", 'Done: hello.txt created. <promise>COMPLETE</promise>'] }],
    ['overloaded-recover', WORKED],
    ['ratelimit-recover', { ...WORKED, retries: ['rate 1', 'rate 2'] }],
    ['resume-1', WORKED],
    // The total of the thread, of which the fold subtracts what it knows.
    [
      'resume-2',
      { ...QUIET, usage: [21_800, 100, undefined], said: ['Second turn in the same session.'], results: ['success'] },
    ],
    ['resume-badid', { ...QUIET, usage: UNTOLD, results: ['no-such-session'], sessions: 0 }],
    ['bgtool', { ...WORKED, said: ['Starting a dev server.', 'Done. <promise>COMPLETE</promise>'], tools: ['shell'] }],
    ['auth-401', { ...REFUSED, errors: ['auth'], retries: fiveTimes('auth') }],
    ['overloaded-forever', { ...REFUSED, limits: ['overload unknown'], retries: fiveTimes('overload') }],
    ['usage-limit', { ...REFUSED, limits: [`usage-limit ${new Date(2026, 10, 15, 7, 2).toISOString()}`] }],
    ['context', { ...REFUSED, errors: ['context'] }],
    [
      'hang-stream-SIGINT-group',
      { ...QUIET, usage: UNTOLD, said: ['I will create the file.'], tools: ['apply_patch'], answers: ['ok'] },
    ],
    ['hang-tool-SIGTERM-group', { ...QUIET, usage: UNTOLD, said: ['Running a long command.'] }],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => {
    expect(digestOf(recordedEvents(codexAgent, name, NOW))).toEqual(expected);
  });

  it('many-turns', () => {
    const { said, tools, answers, results, usage } = digestOf(recordedEvents(codexAgent, 'many-turns'));
    expect([said.length, tools.length, answers.length]).toEqual([137, 137, 137]);
    expect([new Set(tools), results, usage]).toEqual([new Set(['shell']), [], UNTOLD]);
  });

  it('are all in the table', () => {
    expect([...TABLE.map(([name]) => name), 'many-turns'].sort()).toEqual(recordingsOf('codex'));
  });

  it('a thread that is gone on with is not charged twice', () => {
    const events = ['resume-1', 'resume-2'].flatMap((name) => recordedEvents(codexAgent, name));
    expect(countedUsage(events)).toEqual([21_800, 100, undefined]);
  });

  it('show what a command printed, and name its answer by the id of its call', () => {
    const events = recordedEvents(codexAgent, 'bgtool');
    expect(eventsOf(events, 'tool-result')).toEqual([
      { kind: 'tool-result', id: eventsOf(events, 'tool-call')[0]?.id, failed: false, output: 'started\n' },
    ]);
  });
});

describe('errors, by their words alone', () => {
  const errorOf = (message: string) => parseCodex(JSON.stringify({ type: 'error', message }), NOW);
  it.each([
    ['Quota exceeded. Check your plan and billing details.', { kind: 'error', error: 'billing' }],
    ['unexpected status 401 Unauthorized: no key, url: http://h/v1/responses', { kind: 'error', error: 'auth' }],
    ['exceeded retry limit, last status: 429 Too Many Requests', { kind: 'limit', limit: 'overload' }],
    ['unexpected status 529 <unknown status code>: Overloaded', { kind: 'limit', limit: 'overload' }],
    ['Selected model is at capacity. Please try a different model.', { kind: 'limit', limit: 'overload' }],
    [
      'stream disconnected before completion: Incomplete response returned, reason: max_output_tokens',
      { kind: 'error', error: 'other' },
    ],
    ["Codex ran out of room in the model's context window. Start a new thread", { kind: 'error', error: 'context' }],
    ['Reconnecting... 3/5 (stream disconnected before completion)', { kind: 'retry', error: 'other', attempt: 3 }],
    ["You've hit your usage limit. Try again later.", { kind: 'limit', limit: 'usage-limit', resetsAt: undefined }],
    ['no rollout found for thread id x', { kind: 'error', error: 'other' }],
  ])('%s', (message, expected) => expect(errorOf(message)).toEqual([{ ...expected, message }]));

  it('a warning of its own does not fail a turn that goes on', () => {
    expect(
      parseCodex('{"type":"item.completed","item":{"type":"error","message":"Model metadata not found"}}'),
    ).toEqual([]);
  });

  it('a tool that was declined is a denial', () => {
    const item = { id: 'i', type: 'command_execution', command: 'rm -rf /', status: 'declined', exit_code: null };
    expect(parseCodex(JSON.stringify({ type: 'item.completed', item }))).toEqual([
      { kind: 'permission-denied', tool: 'shell', id: 'i', detail: 'rm -rf /' },
      // As a denial it does not end the row of denials.
      { kind: 'tool-result', id: 'i', failed: true, denied: true, output: undefined },
    ]);
  });

  it('only its own words on standard error name a session that is not there', () => {
    expect(codexAgent.parseError?.('warning: a tool said: no rollout found for thread id x')).toEqual([]);
  });
});

it('a patch of Codex is shown by its files, not as JSON', () => {
  const changes = [
    { path: 'src/a.ts', kind: 'add' },
    { path: 'b.ts', kind: 'update' },
  ];
  const line = JSON.stringify({ type: 'item.started', item: { id: 'i', type: 'file_change', changes } });
  expect(parseCodex(line)).toEqual([
    { kind: 'tool-call', id: 'i', name: 'apply_patch', input: 'add src/a.ts, update b.ts' },
  ]);
});

describe('lines that nobody has seen yet', () => {
  it('any damage to a recording is read without an error, and only into whole events', () => {
    const lines = linesOf('codex').filter((_line, index) => index % 7 === 0 || index < 60);
    fc.assert(
      fc.property(mangledLine(lines), (line) => {
        expect([...parseCodex(line, NOW), ...(codexAgent.parseError?.(line) ?? [])].flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(1200) },
    );
  });
});
