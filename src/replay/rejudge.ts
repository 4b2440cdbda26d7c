import { leavesOf } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import { compilePattern, type Matcher } from '../model/pattern.js';
import { type Policy, policyEntries } from '../model/policy.js';
import { reduce } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateLive, evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

/** Where a recorded run would have stopped under a policy. */
export interface Rejudged {
  readonly verdict: Verdict;
  /** Up to and with the event that decided. */
  readonly state: RunState;
  /** Decided in the middle of an iteration, by an event while the agent worked. */
  readonly live: boolean;
}

/**
 * Judges a recorded run anew under another policy, event by event, as the run itself was judged. Undefined when the
 * policy would not have stopped it within the record. Verdicts of the record are left out: they were another policy's.
 */
export function rejudge(events: Iterable<RunEvent>, policy: Policy): Rejudged | undefined {
  const patterns = patternsOf(policy);
  let state = INITIAL_STATE;
  for (const event of events) {
    if (event.type === 'verdict-reached' || event.type === 'run-ended' || event.type === 'limit-extended') continue;
    state = { ...reduce(state, withMatches(event, patterns)), policy };
    const boundary = event.type === 'iteration-ended' || event.type === 'baseline-observed';
    const facts = factsOf(state);
    const verdict = boundary ? evaluatePolicy(policy, facts) : evaluateLive(policy, facts);
    if (verdict.stop) return { verdict, state, live: !boundary };
    if (boundary) state = { ...state, verdict, holds: verdict.holds };
  }
  return undefined;
}

type Patterns = readonly (readonly [key: string, find: Matcher])[];

function patternsOf(policy: Policy): Patterns {
  return policyEntries(policy)
    .flatMap((entry) => leavesOf(entry.condition))
    .flatMap((leaf) => (leaf.type === 'output_pattern' ? [[conditionKey(leaf), compilePattern(leaf)] as const] : []));
}

/** Patterns that the recorded run did not look for are looked for in the messages that it recorded. */
function withMatches(event: RunEvent, patterns: Patterns): RunEvent {
  if (event.type !== 'agent-said' || patterns.length === 0) return event;
  const found = patterns.flatMap(([key, find]) => {
    const match = find(event.text);
    return match === undefined ? [] : [[key, match] as const];
  });
  return { ...event, matches: { ...event.matches, ...Object.fromEntries(found) } };
}
