import { deathIn, endCrashed } from '../iteration/end-crashed.js';
import { ConfigError, InvalidState } from '../model/errors.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, isSharedLimit, NEWEST_RULES } from '../model/condition-catalog.js';
import type { Quantity } from '../model/judging/quantity.js';
import { loadPrompt } from '../iteration/prompt.js';
import { taskLine } from '../model/run-name.js';
import { dayLimitUsd } from '../model/policy.js';
import { reduceAll } from '../model/reduce.js';
import type { NewEvent, RunEvent, EventBodies } from '../model/run-event.js';
import type { RunSpec, SpecChange } from '../model/run-spec.js';
import { hasEnded, loopStateOf, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { isSilent } from '../model/spend-account.js';
import type { StopReason } from '../model/verdict.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { checkCrashes, reapRun, reapRuns } from './after-crash.js';
import type { LiveRun } from './live-run.js';
import { ownTree } from '../workspace/git.js';
import { committedIteration } from '../workspace/read-repository.js';
import { VERSION } from '../version.js';
import type { RunParts } from './run-host.js';

/** What is to be different from a resume on. */
export interface ResumeWishes {
  /** Limits in place of those of the same type. */
  readonly raise: readonly StopCondition[];
  /** For the next prompt. */
  readonly steer?: string | undefined;
  readonly changed?: SpecChange | undefined;
  /** The newest rules of the conditions, in place of those that the run was started with. */
  readonly newestRules?: boolean | undefined;
  /** The tests as they are now are accepted in place of those of the start. */
  readonly acceptTests?: boolean | undefined;
}

/** Brings a record to where the loop can continue: a new one begins, one that ended is resumed, a crash is cleared up. */
export async function prepare(live: LiveRun, wishes: ResumeWishes, onRunning: () => void): Promise<void> {
  const { state, context } = live;
  const { deadRuns = [] } = context;
  if (deadRuns.length > 0) await reapRuns(deadRuns);
  if (state.seq === 0)
    live.record({
      ...startedEvent(context, { kind: context.agent.keepsConversation === true ? 'agent' : 'loop' }),
      ...taskInFile(context.spec),
    });
  else if (hasEnded(state)) resume(live, 'operator', wishes);
  else await resumeCrashed(live, wishes);
  live.core.checkRecord();
  await live.core.watchSpend();
  onRunning();
  if (live.state.baseline === undefined && live.state.iterations === 0) await live.observeStart();
  if (wishes.acceptTests === true) await live.acceptTests('resume');
}

/** A prompt that cannot be read is reported by the iteration that needs it: a hook may write it first. */
function taskInFile(spec: RunSpec): { readonly task?: string } {
  if (spec.prompt !== undefined) return {};
  try {
    const task = taskLine(loadPrompt(spec));
    return task === undefined ? {} : { task };
  } catch {
    return {};
  }
}

type Cause = Extract<NewEvent, { readonly type: 'run-resumed' }>['cause'];

/** After an operator's decision, streaks start again; limits never do. A raised limit replaces what the code says. */
function resumeEvents(cause: Cause, { raise, steer, changed, newestRules }: ResumeWishes): readonly NewEvent[] {
  const rules = newestRules === true ? { rules: NEWEST_RULES } : {};
  const resumed = { type: 'run-resumed', cause, ...changed, ...rules } as const;
  const limits = raise.map((limit) => ({ type: 'limit-extended', limit, by: 'resume' }) as const);
  // The views show the limits of a resumed run as they are at this event.
  const events: readonly NewEvent[] = changed === undefined ? [...limits, resumed] : [resumed, ...limits];
  if (steer === undefined) return events;
  return [...events, { type: 'command-received', command: { type: 'steer', text: steer }, by: 'resume' }];
}

function resume(live: LiveRun, cause: Cause, wishes: ResumeWishes): void {
  for (const event of resumeEvents(cause, wishes)) live.record(event);
}

async function resumeCrashed(live: LiveRun, wishes: ResumeWishes): Promise<void> {
  const { context } = live;
  const { at: diedAt } = live.state;
  const open = openIteration(live.state);
  await reapRun(context.runId, deathIn(live.state, context.now));
  resume(live, context.host?.wasLeft === true && open === undefined ? 'moved' : 'crash', wishes);
  if (open !== undefined) await endOpen(live, diedAt);
  checkCrashes(live.state, 'an iteration', context.host?.mostCrashes);
}

/** `diedAt`: the last that is recorded of it. */
async function endOpen(live: LiveRun, diedAt: string | undefined): Promise<void> {
  const { state, context } = live;
  const { session } = state;
  const open = openIteration(state);
  if (open === undefined) return;
  const wasElsewhere = context.host !== undefined;
  const isTold = state.commits?.iteration === open.iteration;
  const arrived = wasElsewhere && !isTold ? await arrivedWork(context, open.iteration) : undefined;
  if (arrived !== undefined) live.record(arrived);
  const ended = await endCrashed(
    {
      open,
      // After a result everything is told; the same requests would count again.
      session: state.latest.finished === true ? undefined : session?.id,
      lostRecords: context.lostRecords ?? 0,
      durationMs: Math.max(0, Date.parse(diedAt ?? open.startedAt) - Date.parse(open.startedAt)),
      treeBefore: state.restoredTree ?? state.trees.at(-1),
      wasElsewhere,
      guardBefore: state.guard,
      isFinished: state.latest.finished === true,
    },
    context,
  );
  live.record({ type: 'iteration-ended', ...ended });
}

/** Throws when a run cannot continue, before anything is recorded: it is completed, or a limit still holds. */
export function checkResumable(state: RunState, wishes: ResumeWishes): void {
  if (loopStateOf(state) === 'completed') throw new InvalidState('completed', 'resume');
  if (!hasEnded(state)) return;
  const envelope = { v: 1, seq: state.seq + 1, at: state.at ?? '', activeMs: state.activeMs };
  const events = resumeEvents('operator', wishes).map((event): RunEvent => ({ ...event, ...envelope }));
  const after = reduceAll(events, state);
  const reasons = evaluateRun(after).reasons.filter((reason) => !isOfOthers(reason));
  if (reasons.length === 0) return;
  throw new ConfigError(
    reasons.map((reason) => ({ path: reason.path, message: `${reason.message}; ${remedyFor(reason, after)}` })),
  );
}

/** What others spend is inspected again before the first verdict: the record may be of another day. */
function isOfOthers({ condition }: StopReason): boolean {
  return condition !== undefined && leavesOf(condition).some(isSharedLimit);
}

/** What is written in place of an amount. */
const AMOUNTS: Readonly<Partial<Record<Quantity, string>>> = {
  iterations: 'N',
  attempts: 'N',
  costUsd: 'USD',
  activeMs: 'D',
  totalTokens: 'N',
  inputTokens: 'N',
  outputTokens: 'N',
  atMs: 'TIME',
};

/** The flag that raises a limit, or how an agent in code does it, which has no command line. */
function raiseText(condition: StopCondition, isInCode: boolean): string | undefined {
  const { type, limit, flag } = CONDITION_CATALOG[condition.type];
  const amount = limit === undefined ? undefined : AMOUNTS[limit(condition).quantity];
  if (amount === undefined) return undefined;
  if (!isInCode) return flag === undefined ? `--limit '${type}: ${amount}'` : `--${flag.name} ${amount}`;
  const factory = type.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `\`raise: [${factory}(${amount})]\``;
}

/** `--max-cost 0` from `--max-cost USD`. */
function withNone(flag: string): string {
  return flag.replace(/\b(?:N|USD|D)\b/, '0');
}

/** How an operator gets a run past what still holds it. */
export function remedyFor({ condition, class: stopClass }: StopReason, { spend, policy, kind }: RunState): string {
  const isInCode = kind === 'agent';
  const flag = condition === undefined ? undefined : raiseText(condition, isInCode);
  if (flag === undefined) return 'it still applies';
  if (stopClass !== 'blocked') return `raise it with ${flag}`;
  const ofDay = dayLimitUsd(policy);
  if (spend.unknownIterations > 0 && ofDay !== undefined) {
    return isInCode
      ? `\`raise: [maxCostPerDay(${ofDay})]\` accepts that`
      : `--limit 'max_cost_per_day: ${ofDay}' accepts that`;
  }
  if (isSilent(spend) && !isInCode) {
    return `no ${kind === 'pipeline' ? 'attempt' : 'iteration'} has reported its usage, so a higher limit would stop the run again: ${withNone(flag)} resumes without it`;
  }
  // What was recorded without a price stays without one.
  return spend.unknownIterations > 0
    ? `raise it with ${flag}, which accepts that`
    : `that cannot change for this run: set the price under ${isInCode ? '`prices`' : '`prices:` in pawl.yaml'}, and start a new run`;
}

interface ArrivedRun {
  readonly runId: string;
  /** Its tree is fresh, at the tip of its branch. */
  readonly spec: RunSpec;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The record that is missing of an iteration whose runner died between its push and telling of it. */
async function arrivedWork({ runId, spec, environment }: ArrivedRun, iteration: number): Promise<NewEvent | undefined> {
  const place = { environment, ...ownTree(spec.worktree?.path ?? spec.workingDir) };
  const found = await committedIteration(place, runId);
  return found?.iteration === iteration ? { type: 'work-committed', iteration, commit: found.commit } : undefined;
}

type Started = EventBodies['run-started'];

/** The first event of a record. */
export function startedEvent(
  { runId, spec, agent, versions }: Pick<RunParts, 'runId' | 'spec' | 'agent' | 'versions'>,
  kind: Pick<Started, 'kind' | 'items' | 'pipeline'>,
): NewEvent {
  return {
    type: 'run-started',
    runId,
    policy: spec.policy,
    spec,
    agent: { name: agent.name, usage: agent.usage, model: spec.agent.model },
    ...(Object.keys(NEWEST_RULES).length === 0 ? {} : { rules: NEWEST_RULES }),
    versions: { pawl: VERSION, node: process.versions.node, ...versions },
    ...kind,
  };
}
