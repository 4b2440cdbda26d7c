import { describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { RunSpec } from '../model/run-spec.js';
import { reviewAgent } from './review-agent.js';

function warnings(config: LoopConfig, isCheck = false): readonly string[] {
  const { spec, origins } = resolveConfig({ trackFileChanges: false, ...config });
  return reviewAgent(spec, origins, isCheck).map(({ path, message }) => `${path}: ${message}`);
}

const limits = (...given: RunSpec['policy']['limits']): LoopConfig => ({ stop: { limits: given } });
const CONTEXT = limits({ type: 'context_above', percent: 80 });

describe('a limit on the context', () => {
  it.each<[string, NonNullable<LoopConfig['agent']>, string | undefined]>([
    ['gemini, which reports sums only', { name: 'gemini' }, 'gemini does not report the tokens of each request'],
    ['opencode without a model', { name: 'opencode' }, 'agent.model is not set'],
    ['opencode with a model that nobody knows', { name: 'opencode', model: 'x/y' }, 'window of x/y is not known'],
    ['opencode', { name: 'opencode', model: 'anthropic/claude-sonnet-4-5' }, undefined],
    ['qwen with a model that nobody knows', { name: 'qwen', model: 'my-qwen' }, 'window of my-qwen is not known'],
    ['pi', { name: 'pi', model: 'claude-sonnet-4-5' }, undefined],
    ['claude', { name: 'claude' }, undefined],
    ['codex', { name: 'codex' }, undefined],
  ])('is warned of where it is never met: %s', (_, agent, why) => {
    expect(warnings({ agent, ...CONTEXT })).toEqual(
      why === undefined ? [] : [expect.stringMatching(/^stop\.limits\[0\]: it is never met: /)],
    );
    if (why !== undefined) expect(warnings({ agent, ...CONTEXT })[0]).toContain(why);
  });
});

describe('a redline that does nothing', () => {
  const GEMINI: LoopConfig = { agent: { name: 'gemini' } };

  it('is warned of by check, and by a run where it was asked for', () => {
    const warned = [expect.stringMatching(/^context_redline_percent: the redline has no effect: gemini/)];
    expect(warnings(GEMINI, true)).toEqual(warned);
    expect(warnings({ ...GEMINI, contextRedlinePercent: 60 })).toEqual(warned);
    expect(warnings(GEMINI)).toEqual([]);
    expect(warnings({ ...GEMINI, session: { mode: 'fresh' } }, true)).toEqual([]);
    expect(warnings({ agent: { name: 'claude' } }, true)).toEqual([]);
  });
});

describe('a limit on spend', () => {
  const COST = limits({ type: 'max_cost', usd: 5 });

  it('with a command is warned of by check: nobody knows whether it reports anything', () => {
    const agent = { name: 'command', command: './a.sh' };
    expect(warnings({ agent, ...COST }, true)).toEqual([expect.stringMatching(/first iteration.*reports.* usage/)]);
    expect(warnings({ agent, ...COST })).toEqual([]);
    expect(warnings({ agent: { name: 'claude' }, ...COST }, true)).toEqual([]);
  });

  it('is refused with the way out where the agent is known to report nothing', () => {
    const agents = { quiet: { command: 'quiet --json', events: { text: 'text' } } };
    expect(() => warnings({ agents, agent: { name: 'quiet' }, ...COST })).toThrow(
      /quiet does not report usage.*--max-cost 0/,
    );
  });

  it('names a model whose price nobody knows', () => {
    const agent = { name: 'claude' };
    const cost = (model: string) => limits({ type: 'max_cost', usd: 5, model });
    expect(warnings({ agent, ...cost('mystery') })).toEqual([expect.stringMatching(/price.*mystery/)]);
    expect(warnings({ agent, ...cost('claude-sonnet-4-5') })).toEqual([]);
    expect(warnings({ agent, ...cost('mystery'), prices: { mystery: { input: 1, output: 1 } } })).toEqual([]);
  });
});
