import { describe, expect, it } from 'vitest';
import type { AgentDefinition, EventRules } from '../model/agent-definition.js';
import { mappedReader } from './mapped.js';

const RESULT: EventRules = { text: { when: {}, text: ['say'] }, result: { when: { type: ['end'] } } };

function definition(events: EventRules | undefined, output: 'text' | 'ignore' = 'ignore'): AgentDefinition {
  return { name: 'mine', command: ['mine'], args: [], usage: 'live', signals: ['SIGTERM'], output, events };
}

function complaintOf(agent: AgentDefinition, lines: readonly string[], errors: readonly string[] = []) {
  const reader = mappedReader(agent);
  for (const line of lines) reader.read(line);
  for (const line of errors) reader.readError?.(line);
  return reader.end().map((event) => (event.kind === 'error' ? event.message : event.kind));
}

describe('rules that promise usage or a result', () => {
  it('and are for none of the lines are told wrong, with a line that could have been meant', () => {
    expect(complaintOf(definition(RESULT), ['hello', '{"kind":"end"}', ' '])).toEqual([
      expect.stringMatching(/events of mine .*2 lines.*\{"kind":"end"\}.*text, result$/),
    ]);
  });

  it('and a program that printed something else: what it printed and its standard error are shown', () => {
    expect(complaintOf(definition(RESULT), ['usage: mine [--json]'], ['mine: no such option', ''])).toEqual([
      expect.stringMatching(
        /events of mine .*1 line\b.*JSON: usage: mine \[--json\].*standard error.*mine: no such option.*text, result$/,
      ),
    ]);
  });

  it('are told wrong also where lines that no rule is for are what the agent says', () => {
    expect(complaintOf(definition(RESULT, 'text'), ['{"kind":"end"}'])).toHaveLength(1);
  });

  it.each<[string, EventRules | undefined, readonly string[]]>([
    ['when one of them was for a line', RESULT, ['{"kind":"end"}', '{"say":"hi"}']],
    ['when nothing was printed', RESULT, ['', '  ']],
    ['when nothing is promised', { text: { when: {}, text: ['say'] } }, ['{"kind":"end"}']],
    ['when there are none', undefined, ['{"kind":"end"}']],
  ])('are in order %s', (_when, events, lines) => {
    expect(complaintOf(definition(events), lines)).toEqual([]);
  });

  it('a line of any length is quoted in short', () => {
    const [message = ''] = complaintOf(definition(RESULT), [`{"a":"${'x'.repeat(100_000)}"}`]);
    expect(message.length).toBeLessThan(500);
  });
});
