import type { Questions } from '../iteration/questions.js';
import { leavesOf } from '../model/condition.js';
import { needsOf } from '../model/condition-catalog.js';
import { isNewBest, metricKey } from '../model/metric.js';
import { askedOnce, type Policy, policyEntries } from '../model/policy.js';
import { startOf } from '../model/work.js';
import { reduce } from '../model/reduce.js';
import { saysDone } from '../model/reduce-iteration.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { areDoubtful, type TestResults } from '../model/test-results.js';
import { evaluatePolicy, nextProbe } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { ifAgreed } from '../stop/review-decision.js';
import { totalSpend } from '../model/spend-account.js';

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
      const policy = askedOnce(after.policy);
      const verdict = evaluatePolicy(policy, ifAgreed(policy, factsOf(after)));
      return verdict.reasons.some((reason) => reason.class === 'goal') ? wanted - 1 : 0;
    },
    originals(draft) {
      // Anyone who accepts the tests as they are does not ask those of the start.
      const hasEarlier = draft.type === 'baseline-observed' && draft.observation.earlier !== undefined;
      if (draft.type !== 'iteration-ended' && !hasEarlier) return undefined;
      const after = stateAfter(state(), draft);
      const { tree, kept, tests: baseline } = startOf(after);
      const now = after.trees.at(-1);
      if (tree === undefined || now === undefined || !isTestGoalMet(after)) return undefined;
      const { originals, startedAt } = state();
      return {
        tree,
        now,
        kept: kept ?? {},
        baseline,
        startedAtMs: startedAt === undefined ? undefined : Date.parse(startedAt),
        isConfirmed: timesAsked(after.policy) > 1,
        known: originals?.tree === now ? originals.last : undefined,
      };
    },
    startTests: () => startOf(state()).tests,
    isDoubtful(draft) {
      const before = state();
      const { tests } = 'observation' in draft ? draft.observation : {};
      const last = before.latest.observation.tests ?? before.factsBefore?.observation.tests ?? before.lastLook?.tests;
      return tests !== undefined && areDoubtful(tests, last, saysDone(before));
    },
    bestOf(condition, { value }) {
      const { probe } = needsOf(condition);
      if (probe?.kind !== 'measurement') return undefined;
      return isNewBest(state().metrics?.[metricKey(probe)], value, probe) ? probe : undefined;
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

/** Whether a goal would be met by tests, as far as the tests that the agent left can show. Names are a matter of the originals. */
function isTestGoalMet(state: RunState): boolean {
  const original = { changed: [], mayChange: true } as const;
  const facts = { ...ifAgreed(state.policy, factsOf(state)), original };
  const { reasons } = evaluatePolicy(askedOnce(state.policy), facts);
  const goals = reasons.filter((reason) => reason.class === 'goal').map(({ condition }) => condition);
  const leaves = goals.flatMap((goal) => (goal === undefined ? [] : leavesOf(goal)));
  return leaves.some((leaf) => {
    const { originalsSince = Number.POSITIVE_INFINITY } = needsOf(leaf);
    return (state.rules?.[leaf.type] ?? 1) >= originalsSince;
  });
}

function timesAsked(policy: Policy): number {
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  return Math.max(1, ...goals.map(({ condition }) => condition.confirm ?? policy.confirm ?? 1));
}

/** What a condition that is a function is called with: the figures of the run at the end of the iteration. */
function functionContext(state: RunState) {
  const { costUsd, ...usage } = totalSpend(state.spend);
  const { observation, errors } = state.latest;
  return {
    iteration: state.iterations,
    startTime: state.startedAt,
    currentTime: state.at,
    workingDir: state.spec?.workingDir,
    recentOutput: observation.summary,
    testFailureStreak: state.streaks.testFailures,
    iterationsSinceProgress: state.streaks.withoutProgress,
    passedTests: namesOf(observation.tests, 'passed'),
    failedTests: namesOf(observation.tests, 'failed'),
    hasError: errors.length > 0,
    errorMessage: errors.at(-1)?.message,
    usage,
    model: state.agent?.model,
    costUsd,
    probes: observation.probes,
  };
}

function namesOf(tests: TestResults | undefined, status: 'passed' | 'failed'): readonly string[] | undefined {
  return tests?.details.filter((detail) => detail.status === status).map(({ name }) => name);
}
