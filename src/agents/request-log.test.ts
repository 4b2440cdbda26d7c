import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import { countedUsage, eventsOf } from '../../test/support/recorded-stream.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import { copilotAgent } from './copilot.js';
import { qwenAgent } from './qwen.js';

const SESSION = '9a5e9aba-8440-4ecb-a5c5-6e937fb1cce6';
const EARLIER = '2026-11-16T11:00:00.000Z';
const MIDDLE = '2026-11-16T12:00:00.000Z';
const LATER = '2026-11-16T13:00:00.000Z';

const qwen = (id: string, input: number, output: number, timestamp = LATER, more: object = {}) =>
  JSON.stringify({
    sessionId: SESSION,
    timestamp,
    type: 'system',
    subtype: 'ui_telemetry',
    systemPayload: {
      uiEvent: {
        'event.name': 'qwen-code.api_response',
        response_id: id,
        model: 'qwen3-coder',
        input_token_count: input,
        output_token_count: output,
        cached_content_token_count: 30,
        thoughts_token_count: 5,
        total_token_count: input + output,
        ...more,
      },
    },
  });
const copilot = (id: string, input: number, output: number, timestamp = LATER) =>
  JSON.stringify({
    type: 'session.usage_record',
    timestamp,
    data: {
      usage: {
        model: 'gpt-5',
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: 30,
        cacheWriteTokens: 8,
        maxPromptTokens: 128_000,
        accounting: { usageId: id },
      },
    },
  });

describe.each([
  ['Qwen Code', qwenAgent.sidecar, qwen, { model: 'qwen3-coder', cacheReadTokens: 30 }],
  ['Copilot', copilotAgent.sidecar, copilot, { model: 'gpt-5', cacheReadTokens: 30 }],
] as const)('the record of %s', (_name, record, line, { model, cacheReadTokens }) => {
  const read = (lines: readonly string[], since = EARLIER) => {
    const reader = record(SESSION, { environment: { HOME: '/h' } })?.reader(since);
    return lines.flatMap((one) => reader?.(one) ?? []);
  };

  it('tells each request once it is answered, and the total of the session with it', () => {
    const usage = eventsOf(read([line('r1', 100, 10), line('r2', 200, 20)]), 'usage');
    expect(usage.map(({ scope, id }) => [scope, id])).toEqual([
      ['request', 'r1'],
      ['session-total', undefined],
      ['request', 'r2'],
      ['session-total', undefined],
    ]);
    expect(usage[0]).toMatchObject({ model, spend: { inputTokens: 100, outputTokens: 10, cacheReadTokens } });
    expect(usage[3]).toMatchObject({ session: SESSION, spend: { inputTokens: 300, outputTokens: 30 } });
  });

  it('requests from before are only in the total, and count no second time', () => {
    const first = read([line('r1', 100, 10, EARLIER)]);
    const second = read([line('r1', 100, 10, EARLIER), line('r2', 200, 20)], MIDDLE);
    expect(eventsOf(second, 'usage').map(({ id }) => id)).toEqual(['r2', undefined]);
    expect(countedUsage(first, second)).toEqual([300, 30, undefined]);
  });

  it('an id that would lead elsewhere is refused, and without a home there is no record', () => {
    expect(record('../x', { environment: { HOME: '/h' } })).toBeUndefined();
    expect(record(SESSION, { environment: {} })).toBeUndefined();
  });

  it('any damage to it is read without an error', () => {
    const lines = [line('r1', 100, 10), line('r2', 200, 20, EARLIER)];
    fc.assert(
      fc.property(fc.array(mangledLine(lines), { minLength: 1, maxLength: 4 }), (mangled) => {
        expect(read(mangled).flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(200) },
    );
  });
});

describe('where the records are', () => {
  const folderOf = (record: typeof qwenAgent.sidecar, environment: Record<string, string>) =>
    record(SESSION, { environment })?.folder;

  it('the folders that the user has chosen win over the home', () => {
    expect(folderOf(qwenAgent.sidecar, { HOME: '/h' })).toBe('/h/.qwen/projects');
    expect(folderOf(qwenAgent.sidecar, { HOME: '/h', QWEN_HOME: '/q' })).toBe('/q/projects');
    expect(folderOf(qwenAgent.sidecar, { HOME: '/h', QWEN_HOME: '/q', QWEN_RUNTIME_DIR: '/r' })).toBe('/r/projects');
    expect(folderOf(copilotAgent.sidecar, { HOME: '/h' })).toBe(`/h/.copilot/session-state/${SESSION}`);
    expect(folderOf(copilotAgent.sidecar, { HOME: '/h', COPILOT_HOME: '/c' })).toBe(`/c/session-state/${SESSION}`);
  });

  it('a file of Qwen Code belongs to a session by its name', () => {
    const record = qwenAgent.sidecar(SESSION, { environment: { HOME: '/h' } });
    expect([record?.matches(`${SESSION}.jsonl`), record?.matches('other.jsonl')]).toEqual([true, false]);
  });
});

it('what a model of Qwen Code thought is output, whether its output count has it or not', () => {
  const [request] =
    qwenAgent.sidecar(SESSION, { environment: { HOME: '/h' } })?.reader(EARLIER)(
      qwen('r1', 100, 10, LATER, { total_token_count: 115 }),
    ) ?? [];
  expect(request).toMatchObject({ spend: { outputTokens: 15, reasoningTokens: 5 } });
});

it.each([-1, 0, 0.5, 1e300])('a context window of %d tokens in the record of Copilot is not one', (window) => {
  const reader = copilotAgent.sidecar(SESSION, { environment: { HOME: '/h' } })?.reader(EARLIER);
  const line = copilot('r1', 100, 10).replace('128000', String(window));
  expect(eventsOf(reader?.(line) ?? [], 'context')).toEqual([]);
});
