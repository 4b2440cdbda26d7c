import { type Iterating, openIteration } from '../model/phase.js';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventBodies } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { ProcessName } from '../process/process-table.js';
import { reapRun, type Reaped } from '../process/reap.js';
import type { GuardWatch } from './guard-watch.js';
import { createNarration } from './narrate.js';
import { observeIteration } from './observe.js';
import type { RunContext } from './run-context.js';
import type { TreeWatch } from './tree-watch.js';

/** How long a process that was just forked may take to become the agent, which has the cookie. */
const STARTING_MS = 500;

/** What a runner was doing when it died. */
export interface Death {
  /** The agent, if its start was recorded. */
  readonly agent?: ProcessName | undefined;
  /** How long ago the last event was recorded; not known: it may have been a moment ago. */
  readonly agoMs: number | undefined;
}

/** Ends everything that a runner which died has left running. Without a `death` it was not starting anything. */
export async function reapCrashed(runId: string, death?: Death, startingMs = STARTING_MS): Promise<Reaped> {
  const first = await reapRun(runId, death?.agent);
  if (death === undefined || death.agent !== undefined) return first;
  const agoMs = Math.max(death.agoMs ?? 0, 0);
  if (agoMs > startingMs) return first;
  await pause(startingMs - agoMs);
  const { killed, left } = await reapRun(runId);
  return { killed: first.killed + killed, left };
}

/** Undefined when the runner did not die in an iteration. */
export function deathIn(state: Pick<RunState, 'phase' | 'at'>, now?: () => number): Death | undefined {
  const { at } = state;
  const open = openIteration(state);
  if (open === undefined) return undefined;
  const { pid, pidStartTime } = open;
  const agent = pid === undefined || pidStartTime === undefined ? undefined : { pid, startTime: pidStartTime };
  return { agent, agoMs: at === undefined ? undefined : now && now() - Date.parse(at) };
}

export interface CrashedIteration {
  readonly open: Iterating;
  /** The session that it talked in, if it got that far. */
  readonly session: string | undefined;
  /** Records of it that a loss of power took. */
  readonly lostRecords: number;
  readonly durationMs: number;
  readonly treeBefore: string | undefined;
  /** What it worked in was lost with its runner, but for what is committed. */
  readonly wasElsewhere?: boolean | undefined;
  /** One figure of all protected files, as it was recorded last. */
  readonly guardBefore: string | undefined;
  /** The agent had said that it is done, and so had told all that it used. */
  readonly isFinished: boolean;
}

/**
 * What can still be told of an iteration whose runner died: usage from the agent's own record, and what became of the
 * files. The tests are not run: they would tell of now. An agent that no one recorded was not given its prompt.
 */
export async function endCrashed(
  crashed: CrashedIteration,
  context: RunContext,
): Promise<EventBodies['iteration-ended']> {
  const { open, treeBefore } = crashed;
  const endedWith = (observation: EventBodies['iteration-ended']['observation']): EventBodies['iteration-ended'] => ({
    iteration: open.iteration,
    outcome: 'interrupted',
    interruption: 'crash',
    agentStarted: open.pid !== undefined,
    durationMs: crashed.durationMs,
    observation,
  });
  if (open.pid === undefined) return endedWith({});
  const isComplete = (await completeUsage(crashed, context)) || crashed.isFinished;
  const observation = await observeIteration(
    {
      context: {
        ...context,
        tree: crashed.wasElsewhere === true ? outOfSight(context.tree) : context.tree,
        guard: await guardSince(context.guard, crashed.guardBefore),
        functions: {},
      },
      cookie: `${context.runId}.0.1`,
      seen: {},
      skipCommands: true,
      label: `iteration ${open.iteration}, interrupted`,
      draft: (observed) => ({ type: 'iteration-ended', ...endedWith(observed) }),
    },
    treeBefore,
  );
  return { ...endedWith(observation), ...(isComplete ? {} : { spendIncomplete: true }) };
}

/** The tree that is here tells nothing of what was changed in another one. */
function outOfSight(tree: TreeWatch | undefined): TreeWatch | undefined {
  return (
    tree && { ...tree, changesSince: async () => ({ problem: 'they were in a working tree that no longer exists' }) }
  );
}

/** What the guard saw before the crash is gone but for one figure: it tells whether anything changed, not what. */
async function guardSince(guard: GuardWatch | undefined, before: string | undefined): Promise<GuardWatch | undefined> {
  if (guard === undefined) return undefined;
  await guard.begin();
  // No one knows which of it the agent wrote.
  await guard.removeBytecode();
  const { digest, protectedPath } = guard;
  const paths = digest === undefined || before === undefined ? undefined : digest === before ? [] : [protectedPath];
  return { ...guard, digest, changes: async () => paths };
}

/** False when the agent keeps no record of its own that tells anything. */
async function completeUsage(crashed: CrashedIteration, context: RunContext): Promise<boolean> {
  const { open, session, lostRecords } = crashed;
  const events = session === undefined ? [] : ((await context.agent.recordedUsage?.(session, open.startedAt)) ?? []);
  if (lostRecords > 0 && events.length === 0) {
    // What was told is gone: a budget must not take it for nothing.
    context.record({ type: 'usage-reported', scope: 'request', spend: {} });
  }
  const narration = createNarration(context, { prompt: '', session });
  for (const event of events) narration.tell(event);
  narration.end();
  return events.length > 0;
}
