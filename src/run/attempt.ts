import type { Told } from '../iteration/feedback.js';
import { headForCommit } from '../iteration/commit-run.js';
import { type Interrupt, interruptOf } from '../iteration/interrupt.js';
import { loadPrompt } from '../iteration/load-prompt.js';
import { type PromptValues, renderPrompt } from '../iteration/render-prompt.js';
import { type GreenRequest, type IterationSetting, runIteration } from '../iteration/run-iteration.js';
import { unstartedIteration } from '../iteration/unstarted-iteration.js';
import { isGreen, leastTests } from '../model/green-seen.js';
import { messageOf } from '../model/errors.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { isUnstarted } from '../model/unstarted.js';
import type { Hooks } from './hooks.js';
import { budgetLeft } from './next-try.js';
import { questionsOf } from './questions.js';
import { recordCommit } from './record-commit.js';
import type { RunParts } from './run-parts.js';

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
  readonly parts: RunParts;
  readonly hooks: Hooks;
  /** Throws when the folder that the run works in is gone. */
  readonly checkFolder: () => void;
  /** Records a boundary; throws when it cannot be. */
  readonly record: (event: NewEvent) => void;
  /** Must not throw. */
  readonly recordLive: (event: NewEvent) => void;
  readonly interruption: AbortController;
  /** The agent that is being ended gets no more time for it. */
  readonly cutOff?: AbortSignal | undefined;
  readonly hurry: AbortSignal;
  /** The run is to end after it. */
  readonly ending: AbortSignal;
}

/** What came of it. `broken`: why the run cannot go on. */
export interface Attempted {
  readonly ended: IterationEnded;
  readonly broken?: unknown;
}

/** The iteration with what lies around it: the hooks, the prompt, the commit. Does not record its own end. */
export async function attempt(tried: Attempt, setting: AttemptSetting): Promise<Attempted> {
  const { hooks, interruption, parts } = setting;
  const { number, session, cookie, claimKey } = tried;
  const startedAtMs = performance.now();
  const unstarted = (why: Interrupt | { readonly held: string }): IterationEnded => ({
    ...unstartedIteration(number, why),
    durationMs: Math.round(performance.now() - startedAtMs),
  });
  const held = await hooks.run('before_iteration', { iteration: number });
  if (held !== undefined) return { ended: unstarted({ held }) };
  const interrupt = interruptOf(interruption.signal);
  if (interrupt !== undefined) return { ended: unstarted(interrupt) };
  const { spec, journal } = parts;
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
  const { environment, commitsSince: since } = parts;
  const headBefore = await headForCommit(spec, { environment, since });
  const ended = await runIteration(
    { spec, number, prompt, ownPrompt, session, cookie, claimKey, budgetUsd, windowTokens, told: tried.told, green },
    iterationSetting(tried, setting),
  );
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

function iterationSetting({ number, try: attempt }: Attempt, setting: AttemptSetting): IterationSetting {
  const { parts, recordLive, interruption, cutOff, hurry, ending } = setting;
  const { agent, environment, tree, guard, functions, journal, now, outputPlace, redact } = parts;
  return {
    agent,
    environment,
    tree,
    guard,
    functions,
    questions: questionsOf(() => journal.state),
    place: outputPlace?.(number, attempt),
    record: recordLive,
    redact,
    interruption,
    cutOff,
    hurry,
    ending,
    now: () => new Date(now()),
  };
}

/** What comes after the agent and the observers. */
async function follow(
  ended: IterationEnded,
  headBefore: string | undefined,
  { parts, hooks, record, ending }: AttemptSetting,
): Promise<Attempted> {
  const { iteration, outcome, error, observation } = ended;
  const facts = { iteration, outcome, error };
  await hooks.run('after_iteration', facts);
  if (outcome === 'failed' || outcome === 'timed-out') await hooks.run('on_error', facts);
  // Nothing of the agent's, nothing to commit. What it committed by itself is to be kept all the same.
  if (observation.files?.changedFiles === 0 && parts.publishWork === undefined) return { ended };
  const moment = { when: 'iteration', iteration, summary: observation.summary, headBefore, ending } as const;
  try {
    const lost = await recordCommit(parts, moment, record);
    // What was seen of it is not where the run goes on.
    return { ended: lost === undefined ? ended : { ...ended, ...unpushed(lost), observation: {} } };
  } catch (broken) {
    if (parts.publishWork === undefined) throw broken;
    return { ended: { ...ended, ...unpushed(messageOf(broken)) }, broken };
  }
}

function unpushed(error: string): Pick<IterationEnded, 'outcome' | 'interruption' | 'error'> {
  return { outcome: 'interrupted', interruption: 'unpushed', error };
}
