import { type Told, loadPrompt, type PromptValues, renderPrompt } from '../iteration/prompt.js';
import { type Interrupt, interruptOf } from '../iteration/stop-signal.js';
import { type GreenRequest, runIteration } from '../iteration/run-iteration.js';
import { unstartedIteration } from '../iteration/outcome.js';
import { isGreen, leastTests } from '../model/progress.js';
import { messageOf } from '../model/errors.js';
import type { EventBodies } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { headForCommit } from '../workspace/commit-run.js';
import { isUnstarted } from '../model/work.js';
import type { Hooks } from './hooks.js';
import { recordCommit } from './record-commit.js';
import type { LiveParts } from './run-host.js';
import { needsOf } from '../model/condition-catalog.js';
import { lowestLimit } from '../model/policy.js';
import { totalSpend } from '../model/spend-account.js';

type IterationEnded = EventBodies['iteration-ended'];

/** One try at an iteration. */
export interface Attempt {
  readonly number: number;
  readonly try: number;
  readonly session: string | undefined;
  readonly cookie: string;
  readonly claimKey?: string | undefined;
  readonly values: PromptValues;
  /** For an agent that keeps its own conversation. */
  readonly told?: Told | undefined;
}

export interface AttemptSetting {
  readonly run: LiveParts;
  readonly hooks: Hooks;
  /** Throws when the folder that the run works in is gone. */
  readonly checkFolder: () => void;
}

/** What came of it. `broken`: why the run cannot continue. */
export interface Attempted {
  readonly ended: IterationEnded;
  readonly broken?: unknown;
}

/** The iteration with what lies around it: the hooks, the prompt, the commit. Does not record its own end. */
export async function attempt(tried: Attempt, setting: AttemptSetting): Promise<Attempted> {
  const { hooks, run } = setting;
  const { number } = tried;
  const startedAtMs = performance.now();
  const unstarted = (why: Interrupt | { readonly held: string }): IterationEnded => ({
    ...unstartedIteration(number, why),
    durationMs: Math.round(performance.now() - startedAtMs),
  });
  const held = await hooks.run('before_iteration', { iteration: number });
  if (held !== undefined) return { ended: unstarted({ held }) };
  const interrupt = interruptOf(run.stop.agent);
  if (interrupt !== undefined) return { ended: unstarted(interrupt) };
  const { spec, journal, environment, host } = run;
  let template: string;
  try {
    template = loadPrompt(spec);
  } catch (broken) {
    return { ended: unstarted({ held: messageOf(broken) }), broken };
  }
  const { prompt, own: ownPrompt } = renderPrompt(template, tried.values, spec);
  const budgetUsd = budgetLeft(journal.state);
  const windowTokens = journal.state.context?.windowTokens;
  const green = greenBefore(journal.state);
  const headBefore = await headForCommit(spec, { environment, since: host?.commitsSince });
  const place = run.outputPlace?.(number, tried.try);
  const ended = await runIteration({ ...tried, prompt, ownPrompt, budgetUsd, windowTokens, green, place }, run);
  try {
    setting.checkFolder();
  } catch (broken) {
    return { ended, broken };
  }
  return isUnstarted(ended) ? { ended } : follow(ended, headBefore, setting);
}

function greenBefore({ baseline, factsBefore }: RunState): GreenRequest {
  const last = factsBefore?.observation.tests;
  return {
    leastTests: leastTests(baseline?.tests),
    isGreen: last !== undefined && isGreen(last, baseline?.tests),
  };
}

/** What comes after the agent and the observers. */
async function follow(
  ended: IterationEnded,
  headBefore: string | undefined,
  { run, hooks }: AttemptSetting,
): Promise<Attempted> {
  const { iteration, outcome, error, observation } = ended;
  const facts = { iteration, outcome, error };
  await hooks.run('after_iteration', facts);
  if (outcome === 'failed' || outcome === 'timed-out') await hooks.run('on_error', facts);
  // Nothing of the agent's, nothing to commit. What it committed by itself is to be kept all the same.
  if (observation.files?.changedFiles === 0 && run.host === undefined) return { ended };
  const moment = { when: 'iteration', iteration, summary: observation.summary, headBefore } as const;
  try {
    const lost = await recordCommit(run, moment);
    // What was seen of it is not where the run continues.
    return { ended: lost === undefined ? ended : { ...ended, ...unpushed(lost), observation: {} } };
  } catch (broken) {
    if (run.host === undefined) throw broken;
    return { ended: { ...ended, ...unpushed(messageOf(broken)) }, broken };
  }
}

function unpushed(error: string): Pick<IterationEnded, 'outcome' | 'interruption' | 'error'> {
  return { outcome: 'interrupted', interruption: 'unpushed', error };
}

/** The next iteration's number. One that was `limited`, or whose agent was never started, gave its number back. */
export function nextTry(state: RunState): { readonly number: number; readonly try: number } {
  const number = state.iterations + 1;
  const before = [state.recent.at(-1), state.unstarted].filter((tried) => tried?.iteration === number);
  return { number, try: Math.max(0, ...before.map((tried) => tried?.try ?? 0)) + 1 };
}

/** What the cost limits leave, for agents with a cap of their own. */
export function budgetLeft(state: RunState): number | undefined {
  const ownPrices = state.policy.limits.filter((condition) => needsOf(condition).priceOf === undefined);
  const limit = lowestLimit(ownPrices, 'costUsd');
  const spent = totalSpend(state.spend).costUsd;
  if (limit === undefined || spent === undefined) return undefined;
  const left = limit - spent;
  return left > 0 ? left : undefined;
}
