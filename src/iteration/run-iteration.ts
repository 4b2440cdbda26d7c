/** R2: an iteration never rejects. Whatever happens in it is an outcome. */
import type { Claim } from '../model/claim.js';
import { errorFingerprint } from '../model/error-fingerprint.js';
import type { ConditionFunctions } from '../model/condition-function.js';
import type { Observation } from '../model/observation.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Agent, AgentEnd, AgentTask } from './agent.js';
import { Excerpt } from './excerpt.js';
import type { Told } from './feedback.js';
import { GreenWatch } from './green-watch.js';
import type { GuardWatch } from './guard-watch.js';
import { type Interrupt, interruptOf } from './interrupt.js';
import { createNarration, type Narration } from './narrate.js';
import { claimOf, narrated } from './narrated.js';
import { observeIteration, type Questions } from './observe.js';
import { lastLine, type Outcome, outcomeOf } from './outcome.js';
import { createRawOutput, keepText, type OutputPlace } from './raw-output.js';
import { ToolTrace } from './tool-trace.js';
import { isFingerprint } from '../observation/files/status-fingerprint.js';
import type { TreeWatch } from './tree-watch.js';
import { unstartedIteration } from './unstarted-iteration.js';
import { isRefusal } from '../model/wait-policy.js';

export interface IterationRequest {
  readonly spec: RunSpec;
  readonly number: number;
  readonly prompt: string;
  /** The user's own part of the prompt. */
  readonly ownPrompt?: string | undefined;
  readonly session?: string | undefined;
  readonly budgetUsd?: number | undefined;
  readonly windowTokens?: number | undefined;
  readonly cookie: string;
  readonly claimKey?: string | undefined;
  /** For an agent that keeps its own conversation. */
  readonly told?: Told | undefined;
  readonly green?: GreenRequest | undefined;
}

/** What is known of the tests before an iteration. */
export interface GreenRequest {
  /** Tests that a green result must have. */
  readonly leastTests: number;
  /** They were green when the last iteration ended. */
  readonly isGreen: boolean;
}

/** Everything outside that an iteration touches. */
export interface IterationSetting {
  readonly agent: Agent;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly tree: TreeWatch | undefined;
  readonly guard: GuardWatch | undefined;
  readonly functions: ConditionFunctions;
  readonly questions: Questions;
  /** Where raw output is kept; nowhere when undefined. */
  readonly place?: OutputPlace | undefined;
  /** Must not throw. */
  readonly record: (event: NewEvent) => void;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Ends the agent. Its reason is an `Interrupt`. */
  readonly interruption: AbortController;
  /** The agent that is being ended gets no more time for it. */
  readonly cutOff?: AbortSignal | undefined;
  /** Ends the observers, too. */
  readonly hurry: AbortSignal;
  /** The run is to end, for the reason of the signal. */
  readonly ending?: AbortSignal | undefined;
  readonly now: () => Date;
}

type IterationEnded = EventBodies['iteration-ended'];

/** One iteration: the agent, its stream as live events, the observers, the outcome. Does not record its own end. */
export async function runIteration(request: IterationRequest, setting: IterationSetting): Promise<IterationEnded> {
  const startedAtMs = performance.now();
  const label = `iteration ${request.number}`;
  const treeBefore = await setting.tree?.begin(`before ${label}`);
  await setting.guard?.begin();
  const interrupt = interruptOf(setting.interruption.signal);
  if (interrupt !== undefined) return unstartedIteration(request.number, interrupt);
  setting.record({ type: 'iteration-status', status: 'executing', guard: setting.guard?.digest });
  const green = watchGreen(request, setting, treeBefore);
  const invoked = await invokeAgent(request, setting, green);
  const { end, outcome, claim } = invoked;
  if (claim !== undefined) setting.record({ type: 'claim-made', ...claim, by: 'the agent' });
  setting.record({ type: 'iteration-status', status: 'observing' });
  await green?.end();
  const endedWith = (observation: Observation): IterationEnded => ({
    iteration: request.number,
    ...outcome,
    agentStarted: end.cause !== 'not-started',
    durationMs: Math.round(performance.now() - startedAtMs),
    ending: {
      cause: end.cause,
      stragglers: end.stragglers,
      survivors: end.survivors,
      ...(end.spentOn === true ? { spentOn: true } : {}),
    },
    observation,
  });
  const observation = await observeIteration(
    {
      spec: request.spec,
      harness: {
        workingDir: request.spec.workingDir,
        environment: setting.environment,
        cookie: request.cookie,
        signal: setting.hurry,
      },
      tree: setting.tree,
      guard: setting.guard,
      questions: setting.questions,
      functions: setting.functions,
      ending: setting.ending,
      seen: invoked.seen,
      skipCommands: setting.hurry.aborted,
      isRefused: isRefusal(outcome.outcome),
      label,
      draft: (observed) => ({ type: 'iteration-ended', ...endedWith(observed) }),
    },
    treeBefore,
  );
  return endedWith(observation);
}

interface Invoked {
  readonly end: AgentEnd;
  readonly outcome: Outcome;
  readonly seen: Observation;
  readonly claim: Claim | undefined;
}

/** Where the tree is known at the start, it is tracked. */
function watchGreen(
  { number, green }: IterationRequest,
  { tree, record, hurry }: IterationSetting,
  treeBefore: string | undefined,
): GreenWatch | undefined {
  if (tree === undefined || green === undefined || treeBefore === undefined || isFingerprint(treeBefore)) {
    return undefined;
  }
  return new GreenWatch({
    leastTests: green.leastTests,
    knownTree: green.isGreen ? treeBefore : undefined,
    snapshot: (signal) => tree.capture(`green in iteration ${number}`, signal),
    record: (seen) => record({ type: 'green-seen', iteration: number, ...seen }),
    hurry,
  });
}

async function invokeAgent(
  request: IterationRequest,
  setting: IterationSetting,
  green: GreenWatch | undefined,
): Promise<Invoked> {
  const first = await invokeOnce(request, setting, 'stdout', green);
  // The agent has forgotten the conversation: a fresh one can do the work.
  if (first.result !== 'no-such-session' || setting.interruption.signal.aborted) return first;
  return invokeOnce({ ...request, session: undefined }, setting, 'stdout-fresh', green);
}

async function invokeOnce(
  request: IterationRequest,
  setting: IterationSetting,
  outputName: string,
  green: GreenWatch | undefined,
): Promise<Invoked & { readonly result: string | undefined }> {
  const { spec, prompt, ownPrompt, session, windowTokens } = request;
  const { agent, interruption, place, record } = setting;
  const narration = createNarration({
    spec,
    prompt,
    ownPrompt,
    session,
    contextOfRequests: agent.contextOfRequests,
    windowTokens,
    record,
    redact: setting.redact,
    place,
    now: setting.now,
    green,
  });
  const trace = new ToolTrace(spec.workingDir, setting.redact);
  const [output, errors] = [new Excerpt(), new Excerpt()];
  const raw = place === undefined ? undefined : rawFiles(place, outputName);
  const running = agent.run(
    { ...taskOf(request), cutOff: setting.cutOff },
    {
      onSpawn: (process) => record({ type: 'agent-spawned', ...process }),
      onLine({ text, bytes, omittedBytes }, source) {
        (source === 'stdout' ? output : errors).add(text, bytes);
        raw?.[source].write(text, omittedBytes);
      },
      onEvent(event) {
        narration.tell(event);
        trace.add(event);
        if (narration.refusal !== undefined && !interruption.signal.aborted) interruption.abort('refused');
      },
    },
    interruption.signal,
  );
  // The agent starts meanwhile.
  if (place !== undefined) keepText(place, 'prompt.md', prompt);
  const end = await running;
  narration.end();
  raw?.stdout.end();
  raw?.stderr.end();
  const outcome = settle(request, setting, { end, narration, stderr: errors.tail ?? errors.head });
  const seen: Observation = {
    exitCode: end.exitCode,
    signal: end.signal,
    outputHead: output.head,
    outputTail: output.tail,
    outputBytes: output.bytes,
    stderrTail: errors.tail ?? errors.head,
    ...narrated(spec, narration, outcome),
    ...trace.observed,
  };
  const claim = spec.statusLine === true ? claimOf(narration.closing, outcome) : undefined;
  return { end, outcome, seen, claim, result: narration.result?.outcome };
}

function taskOf({ spec, told, ...request }: IterationRequest): AgentTask {
  const { iterationTimeoutMs: timeoutMs, idleTimeoutMs } = spec;
  const { prompt, session, budgetUsd, cookie, claimKey } = request;
  const news = told === undefined ? {} : { told };
  return { prompt, session, budgetUsd, cookie, claimKey, timeoutMs, idleTimeoutMs, ...news };
}

function rawFiles(place: OutputPlace, outputName: string) {
  return { stdout: createRawOutput(place, `${outputName}.log`), stderr: createRawOutput(place, 'stderr.log') };
}

interface Ended {
  readonly end: AgentEnd;
  readonly narration: Narration;
  readonly stderr: string | undefined;
}

/** A failure that the agent did not put into words is an error all the same, for conditions that count errors. */
function settle(request: IterationRequest, setting: IterationSetting, { end, narration, stderr }: Ended): Outcome {
  const { spec } = request;
  const interrupt: Interrupt | undefined = interruptOf(setting.interruption.signal);
  const outcome = outcomeOf({
    end,
    interrupt,
    result: narration.result,
    limit: narration.limit,
    lastError: narration.lastError ?? lastLine(stderr),
    retryReason: narration.retryReason,
    isStray: narration.lastError === undefined,
    tellsResult: setting.agent.tellsResult,
    tellsUsage: setting.agent.usage === 'live',
    hasAnswer: narration.hasAnswer,
    timeoutMs: spec.iterationTimeoutMs,
    idleTimeoutMs: spec.idleTimeoutMs,
  });
  const { error } = outcome;
  const isFailure = outcome.outcome === 'failed' || outcome.outcome === 'timed-out';
  if (isFailure && error !== undefined && narration.lastError === undefined) {
    setting.record({
      type: 'error-seen',
      kind: 'other',
      message: error,
      fingerprint: errorFingerprint(setting.redact(error)),
    });
  }
  return outcome;
}
