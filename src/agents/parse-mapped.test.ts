import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import type { AgentDefinition, EventRules, UsageRule } from '../model/agent-definition.js';
import { mappedParser } from './parse-mapped.js';

const definition = (events: EventRules | undefined, output: 'text' | 'ignore' = 'ignore'): AgentDefinition => ({
  name: 'mine',
  command: ['mine'],
  args: [],
  usage: 'live',
  signals: ['SIGTERM'],
  output,
  events,
});

const FIGURES: UsageRule = {
  when: {},
  scope: 'request',
  input: ['usage.input'],
  output: ['usage.output'],
  cacheRead: ['usage.cached'],
  cacheWrite: ['usage.written'],
  reasoning: ['usage.thought'],
  cost: ['usage.usd'],
  model: ['model'],
  id: ['id'],
  inputIncludesCache: true,
  outputIncludesReasoning: true,
};

const RULES: EventRules = {
  session: { when: { type: ['start'] }, id: ['session', 'thread.id'] },
  text: { when: { type: ['message'], role: ['assistant', 'model'] }, text: ['content[*].text', 'content'] },
  toolCall: { when: { type: ['message'] }, each: ['content'], name: ['tool'], id: ['id'], input: ['with'] },
  toolResult: { when: {}, each: ['results'], output: ['out'], id: ['id'], failedWhen: { ok: [false] } },
  usage: FIGURES,
  limit: { when: { type: ['wait'] }, limit: 'usage-limit', message: ['why'], resetsAt: ['until'] },
  error: { when: { type: ['error'] }, message: ['error.message'], status: ['error.status'] },
  result: { when: { type: ['end'] }, text: ['last'], successWhen: { code: [0] } },
};

const LINES: readonly (readonly [string, readonly object[]])[] = [
  ['{"type":"start","session":"s-1"}', [{ kind: 'session', id: 's-1' }]],
  ['{"type":"start","thread":{"id":"t-1"}}', [{ kind: 'session', id: 't-1' }]],
  ['{"type":"start","session":"--yolo"}', []],
  ['{"type":"start","session":"a\\u0000b"}', []],
  ['{"type":"message","role":"model","content":"hello"}', [{ kind: 'text', text: 'hello' }]],
  ['{"type":"message","role":"user","content":"hello"}', []],
  [
    '{"type":"message","role":"assistant","content":[{"text":"a"},{"tool":"sh","id":"t1","with":{"c":1}},{"text":"b"},{"tool":"ls"}]}',
    [
      { kind: 'text', text: 'a\nb' },
      { kind: 'tool-call', id: 't1', name: 'sh', input: '{"c":1}' },
      { kind: 'tool-call', name: 'ls' },
    ],
  ],
  [
    '{"results":[{"out":"yes","id":"t1","ok":true},{"out":"no","ok":false},{"other":1}]}',
    [
      { kind: 'tool-result', id: 't1', failed: false, output: 'yes' },
      { kind: 'tool-result', failed: true, output: 'no' },
    ],
  ],
  [
    '{"id":"r1","model":"m","usage":{"input":100,"output":10,"cached":60,"written":20,"thought":4,"usd":0.5}}',
    [
      {
        kind: 'usage',
        scope: 'request',
        id: 'r1',
        model: 'm',
        spend: {
          inputTokens: 100,
          outputTokens: 10,
          cacheReadTokens: 60,
          cacheWriteTokens: 20,
          reasoningTokens: 4,
          totalTokens: 110,
          costUsd: 0.5,
        },
      },
    ],
  ],
  [
    '{"type":"wait","why":"later","until":1767225600}',
    [{ kind: 'limit', limit: 'usage-limit', resetsAt: '2026-01-01T00:00:00.000Z', message: 'later' }],
  ],
  [
    '{"type":"error","error":{"message":"who are you","status":401}}',
    [{ kind: 'error', error: 'auth', message: 'who are you' }],
  ],
  ['{"type":"error","error":{"message":"busy","status":529}}', [{ kind: 'limit', limit: 'overload', message: 'busy' }]],
  ['{"type":"end","code":0,"last":"done"}', [{ kind: 'result', outcome: 'success', text: 'done' }]],
  ['{"type":"end","code":1}', [{ kind: 'result', outcome: 'error' }]],
  ['{"type":"other"}', []],
  ['no JSON', []],
  ['', []],
];

const parse = mappedParser(definition(RULES));
const spendOf = (rule: UsageRule, line: string) => mappedParser(definition({ usage: rule }))(line);

describe('rules', () => {
  it.each(LINES)('read %s', (line, events) => {
    expect(JSON.parse(JSON.stringify(parse(line)))).toEqual(events);
  });

  it('leave no line out when what they do not know is text', () => {
    const speaking = mappedParser(definition(RULES, 'text'));
    for (const [line, events] of LINES) {
      expect(speaking(line)).toHaveLength(Math.max(1, events.length));
      if (events.length === 0) expect(speaking(line)).toEqual([{ kind: 'output', text: line }]);
    }
  });

  it('a result without a condition is only where its words are', () => {
    const lines = mappedParser(definition({ result: { when: {}, text: ['answer'] } }));
    expect(lines('{"type":"message"}')).toEqual([]);
    expect(lines('{"answer":"42"}')).toEqual([{ kind: 'result', outcome: 'success', text: '42' }]);
  });

  it('without any, the lines are those of the protocol', () => {
    const plain = mappedParser(definition(undefined, 'text'));
    expect(plain('{"pawl":"text","text":"hi"}')).toEqual([{ kind: 'text', text: 'hi' }]);
    expect(plain('hi')).toEqual([{ kind: 'output', text: 'hi' }]);
    expect(mappedParser(definition(undefined, 'ignore'))('hi')).toEqual([]);
  });
});

describe('figures', () => {
  it('that leave the cache and the reasoning out are made whole', () => {
    const apart = { ...FIGURES, inputIncludesCache: false, outputIncludesReasoning: false };
    expect(spendOf(apart, '{"usage":{"input":10,"output":5,"cached":60,"written":20,"thought":4}}')).toMatchObject([
      { spend: { inputTokens: 90, outputTokens: 9, cacheReadTokens: 60, reasoningTokens: 4, totalTokens: 99 } },
    ]);
    expect(spendOf(apart, '{"usage":{"input":10,"output":5}}')).toMatchObject([
      { spend: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
    ]);
  });

  it('with an absurd part are unknown, not small', () => {
    const apart = { ...FIGURES, inputIncludesCache: false };
    const [event] = spendOf(apart, '{"usage":{"input":10,"output":5,"cached":1e300}}');
    expect(event).toMatchObject({ spend: { outputTokens: 5 } });
    expect(event?.kind === 'usage' && [event.spend.inputTokens, event.spend.totalTokens]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each(['1e999', '-1', '"7"', 'true', '[]', '{}', '1e13'])('%s is none', (figure) => {
    expect(spendOf(FIGURES, `{"usage":{"input":${figure}}}`)).toEqual([]);
  });

  it('only a total is a total', () => {
    const rule = { ...FIGURES, total: ['tokens'] };
    expect(spendOf(rule, '{"tokens":7}')).toMatchObject([{ spend: { totalTokens: 7 } }]);
  });
});

describe('any line', () => {
  const hostile = fc.constantFrom(
    '{"__proto__":{"type":"start","session":"x"}}',
    '{"type":"message","content":{"__proto__":[{"text":"x"}]}}',
    '{"usage":{"__proto__":{"input":5}}}',
    '{"usage":{"input":1e999,"output":-0,"cached":1e308}}',
    '{"type":"wait","why":"x","until":1e300}',
    '{"type":"wait","why":"x","until":"never"}',
    '{"type":["start"],"session":{"toString":null}}',
  );
  const anyLine = fc.oneof(mangledLine(LINES.map(([line]) => line)), hostile, fc.string(), fc.json());

  it('gives clean events or none, and throws nothing', () => {
    fc.assert(
      fc.property(anyLine, fc.constantFrom<'text' | 'ignore'>('text', 'ignore'), (line, output) => {
        const events = mappedParser(definition(RULES, output))(line);
        expect(events.flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(1000) },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('what lies in a prototype is not found', () => {
    expect(parse('{"__proto__":{"type":"start","session":"x"}}')).toEqual([]);
    expect(parse('{"usage":{"__proto__":{"input":5}}}')).toEqual([]);
  });
});
