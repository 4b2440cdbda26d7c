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
import { copilotAgent } from './copilot.js';

const CREATED = ["I'll create the file.", 'Done: hello.txt created. <promise>COMPLETE</promise>'];
const SAID = ['I will create the file.', 'Done. <promise>COMPLETE</promise>'];
const SERVED = ['Starting a dev server.', 'Done. <promise>COMPLETE</promise>'];
const SECOND = ['Second turn in the same session.'];
const UNTOLD = [undefined, undefined, undefined];
const WORKED = {
  ...QUIET,
  usage: UNTOLD,
  said: SAID,
  tools: ['create'],
  answers: ['ok'],
  results: ['success'],
};
const REFUSED = { ...QUIET, usage: UNTOLD, results: ['error'] };

describe('recordings of Copilot', () => {
  const TABLE = [
    ['success', { ...WORKED, said: CREATED }],
    ['overloaded-recover', { ...WORKED, retries: ['overload 1', 'overload 2'] }],
    ['ratelimit-recover', { ...WORKED, retries: ['rate 1', 'rate 2'] }],
    ['resume-1', WORKED],
    ['resume-2', { ...QUIET, usage: UNTOLD, said: SECOND, results: ['success'] }],
    ['bgtool', { ...WORKED, said: SERVED, tools: ['bash'] }],
    ['auth-401', { ...REFUSED, errors: ['auth'], retries: ['auth 1', 'auth 2'] }],
    ['context', { ...REFUSED, errors: ['context'], retries: ['context 1'] }],
    ['usage-limit', { ...REFUSED, limits: ['usage-limit unknown'] }],
    [
      'hang-stream-SIGINT-group',
      {
        ...QUIET,
        usage: UNTOLD,
        said: ['I will create the file.'],
        tools: ['create'],
        answers: ['ok'],
        // It names its session only with its result.
        sessions: 0,
      },
    ],
    // Its result says that all went well.
    [
      'hang-tool-SIGTERM-group',
      { ...QUIET, usage: UNTOLD, said: ['Running a long command.'], tools: ['bash'], results: ['interrupted'] },
    ],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => expect(digestOf(recordedEvents(copilotAgent, name))).toEqual(expected));

  it('are all in the table', () => expect(TABLE.map(([name]) => name).sort()).toEqual(recordingsOf('copilot')));
});

describe('events of Copilot', () => {
  const event = (type: string, data: object) => copilotAgent.parse(JSON.stringify({ type, data }));

  it('a prompt that is repeated is not its own words, and neither is what a subagent says', () => {
    expect(event('user.message', { content: 'Say COMPLETE' })).toEqual([]);
    expect(event('assistant.message', { content: 'COMPLETE', parentToolCallId: 't' })).toEqual([]);
  });

  it('a command that failed is one, though the tool did its work', () => {
    const data = { toolCallId: 't', success: true, shellExecution: { exitCode: 1 }, result: { content: '1 failed' } };
    expect(event('tool.execution_complete', data)).toEqual([
      { kind: 'tool-result', id: 't', failed: true, output: '1 failed' },
    ]);
  });

  it('a tool that was not permitted is a denial', () => {
    const data = { toolCallId: 't', toolName: 'bash', success: false, error: { code: 'denied', message: 'no' } };
    const events = event('tool.execution_complete', data);
    expect(digestOf(events)).toMatchObject({ answers: ['failed'], denied: ['bash'] });
    expect(events.at(-1)).toMatchObject({ kind: 'tool-result', denied: true });
  });
});

it('a denial of Copilot names the tool and what it was asked to do', () => {
  const reader = copilotAgent.reader();
  const call = { toolCallId: 't', toolName: 'bash', arguments: { command: 'rm x' } };
  const answer = { toolCallId: 't', success: false, error: { code: 'denied', message: 'Permission denied' } };
  reader.read(JSON.stringify({ type: 'tool.execution_start', data: call }));
  const events = reader.read(JSON.stringify({ type: 'tool.execution_complete', data: answer }));
  expect(eventsOf(events, 'permission-denied')).toEqual([
    { kind: 'permission-denied', tool: 'bash', id: 't', detail: '{"command":"rm x"}' },
  ]);
});

describe('the session of Copilot', () => {
  const EVENT = '{"type":"session.tools_updated","data":{}}';
  const RESULT = '{"type":"result","sessionId":"s1","exitCode":0}';
  const sessionsOf = (session: string | undefined, ...lines: readonly string[]) => {
    const reader = copilotAgent.reader({ session });
    return lines.flatMap((line) => eventsOf(reader.read(line), 'session').map(({ id }) => id));
  };

  it('one that is known before is told with the first event, once', () => {
    expect(sessionsOf('s1', 'Error: not logged in')).toEqual([]);
    expect(sessionsOf('s1', EVENT, EVENT, RESULT)).toEqual(['s1']);
  });

  it('else, and where it is another one, the result tells it', () => {
    expect(sessionsOf(undefined, EVENT, RESULT)).toEqual(['s1']);
    expect(sessionsOf('s0', EVENT, RESULT)).toEqual(['s0', 's1']);
  });
});

describe('lines that nobody has seen yet', () => {
  it('any damage to a recording is read without an error, and only into whole events', () => {
    fc.assert(
      fc.property(fc.array(mangledLine(linesOf('copilot')), { minLength: 1, maxLength: 4 }), (lines) => {
        const reader = copilotAgent.reader();
        const events = [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
        expect([...events, ...lines.flatMap(copilotErrors)].flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(600) },
    );
  });
});

function copilotErrors(line: string) {
  return copilotAgent.parseError?.(line) ?? [];
}
