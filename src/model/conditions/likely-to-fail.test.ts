import { describe, expect, it } from 'vitest';
import { FAILURE_MODEL } from '../../../test/support/failure-model.js';
import { line } from '../../../test/support/facts.js';
import { evaluateLive } from '../../stop/evaluate-policy.js';
import { facts } from '../../../test/support/facts.js';
import { ConfigError } from '../errors.js';
import { FEATURES, predict, type FailureModel } from '../failure-model.js';
import type { Facts } from '../judging/facts.js';
import { parseCondition } from '../parse-condition.js';
import { NO_TOOL_USE } from '../tool-use.js';

const condition = { likely_to_fail: { model: FAILURE_MODEL, above: 0.9 } };
const toolUse = { ...NO_TOOL_USE, calls: 46, repeats: 9, recent: [] };

describe('likely_to_fail', () => {
  it('gives up with the features that decided, in plain words', () => {
    expect(line(condition, { toolUse })).toBe(
      'met 1: 99.1% likely to fail (9 of 46 tool calls repeated; and 46 tool calls, 2.3 times as much as runs that reached their goal), 90% allowed',
    );
    expect(line(condition, { toolUse: { ...toolUse, repeats: 0 } })).toBe(
      'not-met 0.77: 69.7% likely to fail (46 tool calls, 2.3 times as much as runs that reached their goal), 90% allowed',
    );
  });

  it('is met at the very likelihood, and says nothing of a run that has only good signs', () => {
    const even = { toolUse: { ...NO_TOOL_USE, calls: 0 } };
    expect(line({ likely_to_fail: { model: { ...FAILURE_MODEL, features: {} }, above: 0.5 } }, even)).toBe(
      'met 1: 50% likely to fail, 50% allowed',
    );
  });

  it('interrupts an agent at work, as a failure and never as a goal', () => {
    const policy = { success: [], failure: [parseCondition(condition)], limits: [] };
    expect(evaluateLive(policy, facts({ toolUse }))).toMatchObject({ stop: true, class: 'failure' });
  });

  it.each<[string, Partial<Facts>]>([
    ['which tools the agent called', {}],
    ['what the run has spent', { toolUse }],
  ])('is unknown when %s was not recorded', (missing, known) => {
    const feature = { weight: 0.001, mean: 0, deviation: 1 };
    const model = { ...FAILURE_MODEL, features: { repeated_calls: feature, cost_against_median: feature } };
    expect(line({ likely_to_fail: { model, above: 0 } }, known)).toBe(
      `unknown: the likelihood of failure is unknown: ${missing} was not recorded`,
    );
  });

  it('needs nothing that its model does not read', () => {
    expect(line(condition, { toolUse, spend: {}, contextPercent: undefined })).toMatch(/^met/);
  });

  it.each(Object.keys(FEATURES))('reads and explains %s', (name) => {
    const model: FailureModel = {
      ...FAILURE_MODEL,
      medians: { calls: 20, costUsd: 0.5, minutes: 4, outputTokens: 400 },
      features: { [name]: { weight: 1, mean: -5, deviation: 1 } },
    };
    const all = facts({ toolUse, contextPercent: 40, spend: { costUsd: 1, outputTokens: 920 }, activeMs: 600_000 });
    const prediction = predict(model, all);
    expect(prediction).toMatchObject({ because: [expect.stringMatching(/\d/)] });
    expect(predict(model, facts())).toHaveProperty('missing');
  });

  it.each([
    [{ ...FAILURE_MODEL, features: { luck: { weight: 1, mean: 0, deviation: 1 } } }],
    [{ ...FAILURE_MODEL, features: { edits: { weight: 1, mean: 0, deviation: 0 } } }],
    [{ ...FAILURE_MODEL, bias: Number.NaN }],
    [{ ...FAILURE_MODEL, version: 2 }],
    [{ ...FAILURE_MODEL, medians: {} }],
    ['model.json'],
    [null],
  ])('refuses %j in code', (model) => {
    expect(() => parseCondition({ likely_to_fail: { model, above: 0.9 } })).toThrow(ConfigError);
  });
});
