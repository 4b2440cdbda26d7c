import type { Questions } from '../iteration/observe.js';
import type { StopCondition } from '../model/condition.js';
import { type Policy, policyEntries } from '../model/policy.js';
import { reduce } from '../model/reduce.js';
import { saysDone } from '../model/reduce-iteration.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { areDoubtful } from '../model/test-results.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { nextProbe } from '../stop/next-probe.js';
import { functionContext } from './function-context.js';

/** What the decision wants to know, asked of the record as it would be if the observers stopped here. */
export function questionsOf(state: () => RunState): Questions {
  return {
    nextProbe(draft) {
      const after = stateAfter(state(), draft);
      return nextProbe(after.policy, factsOf(after));
    },
    confirmations(draft) {
      const after = stateAfter(state(), draft);
      const wanted = timesAsked(after.policy);
      if (wanted === 1) return 0;
      const verdict = evaluatePolicy(askedOnce(after.policy), factsOf(after));
      return verdict.reasons.some((reason) => reason.class === 'goal') ? wanted - 1 : 0;
    },
    isDoubtful(draft) {
      const before = state();
      const { tests } = 'observation' in draft ? draft.observation : {};
      const last = before.latest.observation.tests ?? before.factsBefore?.observation.tests ?? before.lastLook?.tests;
      return tests !== undefined && areDoubtful(tests, last, saysDone(before));
    },
    functionContext: (draft) => functionContext(stateAfter(state(), draft)),
    guardGap() {
      const { unguarded, guard: before, guardBroken: broken } = state();
      return unguarded === true ? { before, broken } : undefined;
    },
  };
}

function stateAfter(state: RunState, draft: NewEvent): RunState {
  const envelope = { v: 1, seq: state.seq + 1, at: state.at ?? '', activeMs: state.activeMs };
  return reduce(state, { ...draft, ...envelope });
}

function timesAsked(policy: Policy): number {
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  return Math.max(1, ...goals.map(({ condition }) => condition.confirm ?? policy.confirm ?? 1));
}

function askedOnce(policy: Policy): Policy {
  const once = (condition: StopCondition): StopCondition => ({ ...condition, confirm: 1 });
  const { conditions } = policy;
  return {
    ...policy,
    success: policy.success.map(once),
    ...(conditions === undefined ? {} : { conditions: conditions.map(once) }),
  };
}
