import { type PolicyEntry, policyEntries } from '../../../../model/policy.js';
import { openIteration, refusedIn } from '../../../../model/phase.js';
import type { RunState } from '../../../../model/run-state.js';
import type { Judgement, StopConditionResult } from '../../../../model/verdict.js';
import type { StopClass } from '../../../../model/stop-class.js';
import { unitOf } from '../../../../model/figures.js';
import { judgeEntry, judgementsNow } from '../../../../stop/evaluate-policy.js';
import { factsOf } from '../../../../stop/facts.js';
import { entryText } from '../../../../words/clock-text.js';
import { expectedLimits, expectedTexts } from '../../../../words/expected-limits.js';

/** How a condition of the policy stands. */
export interface Standing extends Judgement {
  /** When it stops the run: `after 30 iterations`. */
  readonly says: string;
  /** `, reached at about iteration 34, 02:15`. */
  readonly expected: string;
  readonly parts: readonly StopConditionResult[];
}

/** What people watch first. */
const ORDER: readonly StopClass[] = ['veto', 'goal', 'limit', 'failure', 'blocked', 'operator'];

/** Every condition as it stands; a run that continues is expected to reach its limits. */
export function standingsOf(state: RunState, nowMs: number | undefined): readonly Standing[] {
  const expected = nowMs === undefined ? [] : expectedLimits(state);
  const entries = new Map(policyEntries(state.policy).map((entry) => [entry.path, entry]));
  const unit = unitOf(state);
  return judgementsNow(state)
    .map((judgement) => {
      const entry = entries.get(judgement.path);
      const reached = expected.find(({ path }) => path === judgement.path);
      const [when = ''] = expectedTexts(reached, entry, nowMs ?? 0, unit);
      return {
        ...judgement,
        says: entry === undefined ? judgement.path : entryText(entry, state.policy, unit),
        expected: judgement.status === 'met' ? '' : when,
        parts: entry === undefined ? [] : (judged(entry, state).children ?? []),
      };
    })
    .toSorted((a, b) => ORDER.indexOf(a.class) - ORDER.indexOf(b.class));
}

/** What a goal or a failure rests on was inspected when the last iteration ended. */
function judged(entry: PolicyEntry, state: RunState): StopConditionResult {
  const isCounted = entry.class === 'limit' || state.pipeline !== undefined || openIteration(state) === undefined;
  const phase = { name: 'resting', refused: refusedIn(state.phase) } as const;
  const seen = isCounted ? state : { ...state, phase, latest: state.factsBefore ?? state.latest };
  return judgeEntry(entry, state.policy, factsOf(seen));
}
