import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import { digestOf, linesOf, QUIET, recordedEvents, recordingsOf } from '../../test/support/recorded-stream.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import { piAgent } from './pi.js';

const CREATED = ["I'll create the file.", 'Done: hello.txt created. <promise>COMPLETE</promise>'];
const SAID = ['I will create the file.', 'Done. <promise>COMPLETE</promise>'];
const SERVED = ['Starting a dev server.', 'Done. <promise>COMPLETE</promise>'];
const SECOND = ['Second turn in the same session.'];
const WORKED = {
  ...QUIET,
  usage: [13_400, 80, 0.01185],
  said: SAID,
  tools: ['write'],
  answers: ['ok'],
  results: ['success'],
};
const NOTHING = [0, 0, 0];

describe('recordings of pi', () => {
  const TABLE = [
    ['success', { ...WORKED, said: CREATED }],
    ['overloaded-recover', WORKED],
    ['ratelimit-recover', WORKED],
    ['resume-1', WORKED],
    ['resume-2', { ...QUIET, usage: [8400, 20, 0.003975], said: SECOND, results: ['success'] }],
    ['bgtool', { ...WORKED, said: SERVED, tools: ['bash'] }],
    ['auth-401', { ...QUIET, usage: NOTHING, errors: ['auth'], results: ['error'] }],
    ['context', { ...QUIET, usage: NOTHING, errors: ['context'], results: ['error'] }],
    [
      'usage-limit',
      {
        ...QUIET,
        usage: NOTHING,
        retries: ['rate 1', 'rate 2', 'rate 3'],
        limits: ['usage-limit unknown'],
        results: ['error'],
      },
    ],
    [
      'hang-stream-SIGINT-group',
      {
        ...QUIET,
        // The second answer broke off after its input was read.
        usage: [12_400, 51, 0.011265],
        said: ['I will create the file.'],
        tools: ['write'],
        answers: ['ok'],
      },
    ],
    [
      'hang-tool-SIGTERM-group',
      { ...QUIET, usage: [6200, 50, 0.006], said: ['Running a long command.'], tools: ['bash'] },
    ],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => expect(digestOf(recordedEvents(piAgent, name))).toEqual(expected));

  it('are all in the table', () => expect(TABLE.map(([name]) => name).sort()).toEqual(recordingsOf('pi')));
});

describe('a message that failed', () => {
  const failed = (errorMessage: string) =>
    JSON.stringify({
      type: 'message_end',
      message: { role: 'assistant', content: [], stopReason: 'error', errorMessage },
    });
  const END = JSON.stringify({ type: 'agent_end', messages: [{ role: 'assistant', stopReason: 'error' }] });
  const AGAIN = JSON.stringify({ type: 'auto_retry_start', attempt: 2 });

  it('is no failure until pi has given up', () => {
    const reader = piAgent.reader();
    expect(digestOf([failed('529 Overloaded'), END, AGAIN].flatMap((line) => reader.read(line)))).toMatchObject({
      limits: [],
      results: [],
      retries: ['overload 2'],
    });
    expect(reader.end()).toEqual([]);
  });

  it('is one at the end, whatever the exit code', () => {
    const reader = piAgent.reader();
    expect([failed('529 Overloaded'), END].flatMap((line) => reader.read(line))).toEqual([]);
    expect(digestOf(reader.end())).toMatchObject({ limits: ['overload unknown'], results: ['error'] });
  });

  it('one that was interrupted is no success', () => {
    const end = JSON.stringify({ type: 'agent_end', messages: [{ role: 'assistant', stopReason: 'aborted' }] });
    expect(digestOf(piAgent.parse(end)).results).toEqual(['interrupted']);
  });

  it('a prompt that is repeated is not its own words', () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'Say COMPLETE' }] };
    expect(piAgent.parse(JSON.stringify({ type: 'message_end', message }))).toEqual([]);
  });
});

describe('lines that nobody has seen yet', () => {
  it('any damage to a recording is read without an error, and only into whole events', () => {
    fc.assert(
      fc.property(fc.array(mangledLine(linesOf('pi')), { minLength: 1, maxLength: 4 }), (lines) => {
        const reader = piAgent.reader();
        const events = [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
        expect([...events, ...lines.flatMap(piErrors)].flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(600) },
    );
  });
});

function piErrors(line: string) {
  return piAgent.parseError?.(line) ?? [];
}
