import { FAILURE_MODEL } from '../../../../test/support/failure-model.js';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { journalPath } from '../../../../test/corpus/journal-path.js';
import { readJournal } from '../../../journal/read-journal.js';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../../../model/condition-catalog.js';
import type { ConditionType, StopCondition } from '../../../model/condition.js';
import { kindOf } from '../../../model/fields.js';
import type { Policy } from '../../../model/policy.js';
import type { EventOf } from '../../../model/run-event.js';
import { parseTriedPolicy } from '../../../app/replay-policy.js';
import { policyText } from './policy-text.js';

const CORPUS = readdirSync(new URL('../../../../test/corpus/runs/', import.meta.url));

async function started(name: string): Promise<EventOf<'run-started'>> {
  for await (const event of readJournal(journalPath(name))) if (event.type === 'run-started') return event;
  throw new Error(`${name} has no start`);
}

/** Read again by a run with tests, which gets a goal where none is written. */
function readAgain(policy: Policy, of: 'loop' | 'pipeline' = 'loop'): Policy {
  const run = { spec: { tests: {} } } as unknown as EventOf<'run-started'>;
  return parseTriedPolicy(policyText(policy), 'policy', of).policyFor(run);
}

it.each(CORPUS)('the policy of %s is the same when it is read again', async (name) => {
  const { policy } = await started(name);
  expect(readAgain(policy)).toEqual(policy);
});

const VALUES: Readonly<Record<string, unknown>> = {
  count: 3,
  usd: 2.5,
  duration: '1h30m',
  time: '2026-01-02T03:04:05.000Z',
  percent: 80,
  rate: 0.5,
  text: 'yes: # "it" \n is ~',
  path: 'no/such: file',
  texts: ['a: b', 'true'],
  arguments: ['-x', '1'],
  flag: true,
  direction: 'lower',
  number: -1.5,
  amount: 0.25,
  allow: 'allow',
  opinion: 'blocked',
  model: FAILURE_MODEL,
  condition: { type: 'all_tests_pass', fewer_tests: 'allow' },
  conditions: [{ type: 'max_iterations', count: 2 }, { type: 'user_signal' }],
};

function withAllFields(type: ConditionType): StopCondition {
  const fields = Object.entries(CONDITION_CATALOG[type].fields).map(([name, schema]) => [
    name,
    VALUES[kindOf(schema) ?? 'text'],
  ]);
  return { type, ...Object.fromEntries(fields) } as StopCondition;
}

describe('every condition is the same when it is read again', () => {
  it.each(CONDITION_TYPES)('%s', (type) => {
    const condition = withAllFields(type);
    const policy: Policy = { success: [], failure: [], limits: [], conditions: [condition] };
    const of = CONDITION_CATALOG[type].where === 'pipeline' ? 'pipeline' : 'loop';
    expect(readAgain(policy, of)).toEqual(policy);
    const marked: StopCondition = { ...condition, class: 'goal', confirm: 2 };
    const others: Policy = { ...policy, conditions: [marked], confirm: 3, atLeast: 2, stopOnFirst: true };
    expect(readAgain(others, of)).toEqual(others);
  });
});

it('a limit of a day may be tried: it is in the record', () => {
  const policy: Policy = { success: [], failure: [], limits: [{ type: 'max_cost_per_day', usd: 5 }] };
  expect(readAgain(policy)).toEqual(policy);
});

it('what is short stays short', () => {
  const limits: readonly StopCondition[] = [{ type: 'max_cost', usd: 5 }];
  const text = policyText({ success: [{ type: 'all_tests_pass' }], failure: [], limits });
  expect(text).toBe('success:\n  - all_tests_pass\nfailure: []\nlimits:\n  - max_cost: 5\n  - max_iterations: 0\n');
});
