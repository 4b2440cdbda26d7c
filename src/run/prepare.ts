import { endCrashed, reapCrashed } from '../iteration/end-crashed.js';
import { ConfigError, InvalidState, PawlError } from '../model/errors.js';
import type { StopCondition } from '../model/condition.js';
import { isTerminal } from '../model/loop-state.js';
import { withLimit } from '../model/policy.js';
import { reduce } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { VERSION } from '../version.js';
import type { LiveRun } from './live-run.js';
import { questionsOf } from './questions.js';
import type { RunParts } from './run-parts.js';

const MOST_CRASHES = 3;

/** Brings a record to where the loop can go on: a new one begins, one that ended is resumed, a crash is cleared up. */
export async function prepare(
  live: LiveRun,
  parts: RunParts,
  raised: readonly StopCondition[],
  onRunning: () => void,
): Promise<void> {
  const { state } = live;
  if (state.seq === 0) begin(live, parts);
  else if (isTerminal(state.status)) resumeStopped(live, raised);
  else await resumeCrashed(live, parts, raised);
  onRunning();
  if (live.state.baseline === undefined && live.state.iterations === 0) await live.observeStart();
}

function begin(live: LiveRun, { runId, spec, agent, versions }: RunParts): void {
  const { model } = spec.agent;
  live.record({
    type: 'run-started',
    runId,
    kind: 'loop',
    policy: spec.policy,
    spec,
    agent: { name: agent.name, usage: agent.usage, model },
    versions: { pawl: VERSION, node: process.versions.node, ...versions },
  });
}

/** An operator's decision: streaks start anew, limits never. */
function resumeStopped(live: LiveRun, raised: readonly StopCondition[]): void {
  for (const limit of raised) live.record({ type: 'limit-extended', limit, by: 'resume' });
  live.record({ type: 'run-resumed', cause: 'operator' });
}

async function resumeCrashed(live: LiveRun, parts: RunParts, raised: readonly StopCondition[]): Promise<void> {
  const { open } = live.state;
  const { left } = await reapCrashed(parts.runId, open);
  if (left.length > 0) {
    const pids = left.map(({ pid }) => pid).join(', ');
    throw new PawlError('InvalidState', `processes of the interrupted run could not be ended: ${pids}`);
  }
  for (const limit of raised) live.record({ type: 'limit-extended', limit, by: 'resume' });
  live.record({ type: 'run-resumed', cause: 'crash' });
  if (open !== undefined) await endOpen(live, parts);
  if (live.state.crashesInARow >= MOST_CRASHES) {
    throw new PawlError('InvalidState', `the runner died ${MOST_CRASHES} times in a row without an iteration ended`);
  }
}

async function endOpen(live: LiveRun, parts: RunParts): Promise<void> {
  const { state } = live;
  const { open, session } = state;
  if (open === undefined) return;
  const { spec, runId, agent, tree, environment, now } = parts;
  const ended = await endCrashed(
    {
      spec,
      runId,
      open,
      // After a result everything is told; the same requests would count again.
      session: state.latest.finished === true ? undefined : session?.id,
      lostRecords: parts.lostRecords ?? 0,
      durationMs: Math.max(0, Date.parse(state.at ?? open.startedAt) - Date.parse(open.startedAt)),
      treeBefore: state.trees.at(-1),
    },
    {
      agent,
      tree,
      environment,
      questions: questionsOf(() => live.state),
      record: (event) => live.record(event),
      now: () => new Date(now()),
    },
  );
  live.record({ type: 'iteration-ended', ...ended });
}

/** Throws when a run cannot go on, before anything is recorded: it is completed, or a limit still holds. */
export function checkResumable(state: RunState, raised: readonly StopCondition[]): void {
  if (state.status === 'completed') throw new InvalidState('completed', 'resume');
  if (!isTerminal(state.status)) return;
  const policy = raised.reduce(withLimit, state.policy);
  const envelope = { v: 1, seq: state.seq + 1, at: state.at ?? '', activeMs: state.activeMs };
  const event: RunEvent = { ...envelope, type: 'run-resumed', cause: 'operator' };
  const verdict = evaluateRun(reduce({ ...state, policy }, event));
  if (!verdict.stop) return;
  throw new ConfigError(
    verdict.reasons.map(({ condition, message, path }) => ({ path, message: `${message}${remedyFor(condition)}` })),
  );
}

const FLAGS: Partial<Record<StopCondition['type'], string>> = {
  max_iterations: '--max-iterations N',
  max_cost: '--max-cost USD',
  max_duration: '--max-duration D',
  max_tokens: '--max-tokens N',
};

function remedyFor(condition: StopCondition | undefined): string {
  const flag = condition === undefined ? undefined : FLAGS[condition.type];
  return flag === undefined ? '; it still holds' : `; raise it with ${flag}`;
}
