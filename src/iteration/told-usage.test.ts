import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/resolve-config.js';
import type { NewEvent } from '../model/run-event.js';
import { createToldUsage } from './told-usage.js';

function reading() {
  const { spec } = resolveConfig({ agent: { name: 'claude', model: 'claude-opus-4-5' }, trackFileChanges: false });
  const recorded: NewEvent[] = [];
  const usage = createToldUsage({
    spec,
    record: (event) => recorded.push(event),
    redact: (text) => text,
    now: () => Date.parse('2026-03-01T00:00:00Z'),
  });
  return { usage, recorded };
}

describe('what a command tells of its spend', () => {
  it('is not charged at the price of the agent when it names no model', () => {
    const { usage, recorded } = reading();
    expect(usage.read('{"pawl":"usage","input_tokens":1000000,"output_tokens":0,"cost_usd":0.02}')).toBe(true);
    expect(recorded).toMatchObject([{ type: 'usage-reported', spend: { costUsd: 0.02 } }]);
    expect(usage.isUnknown).toBe(false);
  });

  it('is priced by the list when it names one', () => {
    const { usage, recorded } = reading();
    usage.read('{"pawl":"usage","model":"gpt-4o-mini","input_tokens":1000000,"output_tokens":0}');
    expect(recorded).toMatchObject([{ model: 'gpt-4o-mini', spend: { costUsd: 0.15 } }]);
  });

  it.each(['{"pawl":"usage"}', '{"pawl":"usage","cost_usd":-1}', '{"pawl":"usage","cost_usd":"much"}'])(
    'is unknown after %s',
    (line) => {
      const { usage, recorded } = reading();
      expect(usage.read(line)).toBe(true);
      expect(usage.isUnknown).toBe(true);
      expect(recorded).toEqual([]);
    },
  );

  it.each([
    '',
    'usage',
    '{"verdict":"approved","cost_usd":1}',
    '{"pawl":"text","text":"x"}',
    '{"pawl":"usage"',
    '["usage"]',
  ])('is nothing on the line %j', (line) => {
    const { usage, recorded } = reading();
    expect(usage.read(line)).toBe(false);
    expect({ recorded, isUnknown: usage.isUnknown }).toEqual({ recorded: [], isUnknown: false });
  });
});
