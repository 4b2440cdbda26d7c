import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visitConditions } from '../../src/config/condition-place.js';
import { childrenOf, type StopCondition } from '../../src/model/condition.js';
import { CONDITION_TYPES } from '../../src/model/condition-catalog.js';
import { parseCondition } from '../../src/model/parse-condition.js';
import { policyEntries } from '../../src/model/policy.js';
import type { StopConditionResult } from '../../src/model/verdict.js';
import { allOf, anyOf, not } from '../../src/stop/conditions.js';
import { describe as inWords, judge } from '../../src/stop/judge.js';
import { evaluatePolicy } from '../../src/stop/evaluate-policy.js';
import type { Facts } from '../../src/model/judging/facts.js';
import { anyCondition, anyFacts, anyPolicy } from './arbitraries.js';

const status = (condition: StopCondition, facts: Facts) => judge(condition, facts).status;
const law = (name: string, ...rest: Parameters<typeof fc.property<[StopCondition, StopCondition, Facts]>>) => {
  it(name, () => fc.assert(fc.property(...rest)));
};
const two = [anyCondition, anyCondition, anyFacts] as const;

it('every condition of the catalog is tried', () => {
  const types = new Set<string>();
  for (const condition of fc.sample(anyCondition, { numRuns: 3000, seed: 1 })) {
    visitConditions(condition, '', ({ type }) => void types.add(type));
  }
  expect([...types].sort()).toEqual(CONDITION_TYPES.toSorted());
});

describe('the algebra of conditions', () => {
  law('De Morgan: not all is any not', ...two, (a, b, facts) => {
    expect(status(not(allOf(a, b)), facts)).toBe(status(anyOf(not(a), not(b)), facts));
  });

  law('De Morgan: not any is all not', ...two, (a, b, facts) => {
    expect(status(not(anyOf(a, b)), facts)).toBe(status(allOf(not(a), not(b)), facts));
  });

  law('double negation', ...two, (a, _, facts) => {
    expect(status(not(not(a)), facts)).toBe(status(a, facts));
  });

  law('idempotence', ...two, (a, _, facts) => {
    expect(status(allOf(a, a), facts)).toBe(status(a, facts));
    expect(status(anyOf(a, a), facts)).toBe(status(a, facts));
  });

  law('the order inside all and any changes neither status nor progress', ...two, (a, b, facts) => {
    for (const combine of [allOf, anyOf]) {
      const [one, other] = [judge(combine(a, b), facts), judge(combine(b, a), facts)];
      expect(one.status).toBe(other.status);
      expect(one.progress ?? -1).toBeCloseTo(other.progress ?? -1);
    }
  });

  law('absorption', ...two, (a, b, facts) => {
    if (status(b, facts) === 'unknown') return;
    expect(status(allOf(a, anyOf(a, b)), facts)).toBe(status(a, facts));
  });

  it('[c7] survives a round trip through JSON, and is judged the same after it', () => {
    fc.assert(
      fc.property(anyCondition, anyFacts, (condition, facts) => {
        const copy = parseCondition(JSON.parse(JSON.stringify(condition)));
        expect(copy).toEqual(condition);
        expect(judge(copy, facts)).toEqual(judge(condition, facts));
        expect(inWords(copy)).toBe(inWords(condition));
      }),
    );
  });

  it('has progress from 0 to 1, at every level, and 1 exactly when met', () => {
    const check = (result: StopConditionResult): void => {
      expect(result.progress ?? 0).toBeGreaterThanOrEqual(0);
      expect(result.progress ?? 0).toBeLessThanOrEqual(1);
      expect(result.isMet).toBe(result.status === 'met');
      if (result.isMet) expect(result.progress).toBe(1);
      expect(result.children?.length ?? 0).toBe(childrenOf(result.condition).length);
      result.children?.forEach(check);
    };
    fc.assert(fc.property(anyCondition, anyFacts, (condition, facts) => check(judge(condition, facts))));
  });

  it('has a sentence for everything', () => {
    fc.assert(
      fc.property(anyCondition, anyFacts, (condition, facts) => {
        expect(judge(condition, facts).reason).toMatch(/\S/);
        expect(judge(condition, facts).reason).not.toMatch(/undefined|NaN|\[object/);
        expect(inWords(condition)).not.toMatch(/undefined|NaN|\[object/);
      }),
    );
  });
});

describe('the verdict of any policy on any facts', () => {
  it('never lets a veto lose to a goal', () => {
    const veto = { protected_path_changed: ['a'] };
    const touched = { [JSON.stringify({ paths: ['a'], type: 'protected_path_changed' })]: { met: true } };
    fc.assert(
      fc.property(
        anyPolicy,
        anyFacts,
        fc.constantFrom('success', 'failure', 'limits', 'conditions'),
        (policy, facts, list) => {
          const guarded = { ...policy, [list]: [...(policy[list as 'success'] ?? []), parseCondition(veto)] };
          const verdict = evaluatePolicy(guarded, { ...facts, probes: { ...facts.probes, ...touched } });
          expect(verdict).toMatchObject({ stop: true, class: 'veto' });
        },
      ),
    );
  });

  it('never turns unknown spend into going on', () => {
    const budget = fc.constantFrom({ max_cost: 1 }, { max_tokens: 10 }, { not: { max_cost: 1 } });
    fc.assert(
      fc.property(anyPolicy, anyFacts, budget, anyCondition, fc.boolean(), (policy, facts, limit, other, inAny) => {
        const wrapped = inAny ? anyOf(parseCondition(limit), other) : parseCondition(limit);
        const blind = {
          ...facts,
          spend: {},
          spendProblem: { tokens: 'it was not told', cost: 'it was not told' },
          costAtModel: {},
          stoppedItself: undefined,
        };
        const verdict = evaluatePolicy({ ...policy, limits: [...policy.limits, wrapped] }, blind);
        expect(verdict.stop).toBe(true);
      }),
    );
  });

  it('stops exactly when there is a reason, names each met condition, and ranks them', () => {
    const rank = ['veto', 'goal', 'operator', 'blocked', 'failure', 'limit'];
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const verdict = evaluatePolicy({ ...policy, stopOnFirst: false }, facts);
        expect(verdict.stop).toBe(verdict.reasons.length > 0);
        expect(verdict.class).toBe(verdict.reasons[0]?.class);
        const ranks = verdict.reasons.map((reason) => rank.indexOf(reason.class));
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
        expect(verdict.judgements.map((judgement) => judgement.path)).toEqual(
          policyEntries(policy).map((entry) => entry.path),
        );
        const first = evaluatePolicy({ ...policy, stopOnFirst: true }, facts);
        expect(first.reasons).toEqual(verdict.reasons.slice(0, 1));
      }),
    );
  });

  it('does not depend on the order of the lists, but for reasons of equal rank', () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const reversed = {
          ...policy,
          success: policy.success.toReversed(),
          failure: policy.failure.toReversed(),
          limits: policy.limits.toReversed(),
        };
        const [one, other] = [evaluatePolicy(policy, facts), evaluatePolicy(reversed, facts)];
        expect(other.stop).toBe(one.stop);
        expect(other.class).toBe(one.class);
      }),
    );
  });
});
