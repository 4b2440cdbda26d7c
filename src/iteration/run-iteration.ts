/** R2: an iteration never rejects. Whatever happens in it is an outcome. */
import type { Claim } from '../model/claim.js';
import { errorFingerprint } from '../model/error-fingerprint.js';
import type { Observation, SeenRequest } from '../model/observation.js';
import type { EventBodies } from '../model/run-event.js';
import type { AgentEnd, AgentTask } from './agent.js';
import { Excerpt } from './speech.js';
import type { Told } from './prompt.js';
import { GreenWatch } from './agent-tools.js';
import { createNarration, type Narration } from './narrate.js';
import { observeIteration } from './observe.js';
import { lastLine, type Outcome, outcomeOf, unstartedIteration } from './outcome.js';
import { createRawOutput, keepText, type OutputPlace } from './raw-output.js';
import type { RunContext } from './run-context.js';
import { type Interrupt, interruptOf } from './stop-signal.js';
import { isFingerprint } from '../observation/files/status-fingerprint.js';
import { isRefusal } from '../model/wait-policy.js';
import { asksPerson } from '../observation/message/asks-person.js';
import { closingOf, summaryOf } from '../observation/message/closing.js';
import type { RunSpec } from '../model/run-spec.js';
import { claimAtEnd, withoutStatusLine } from '../observation/message/status-line.js';
import { recordedMessage } from '../observation/review/evidence.js';
import { isAbsolute, relative, resolve } from 'node:path';
import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { headOf } from '../model/figures.js';
import { fileKind, isWork } from '../model/file-kind.js';
import { shortDigest } from '../model/json.js';
import { withoutTimes } from '../model/test-results.js';

export interface IterationRequest {
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
  /** Where raw output is kept; nowhere when undefined. */
  readonly place?: OutputPlace | undefined;
}

/** What is known of the tests before an iteration. */
export interface GreenRequest {
  /** Tests that a green result must have. */
  readonly leastTests: number;
  /** They were green when the last iteration ended. */
  readonly isGreen: boolean;
}

type IterationEnded = EventBodies['iteration-ended'];

/** One iteration: the agent, its stream as live events, the observers, the outcome. Does not record its own end. */
export async function runIteration(request: IterationRequest, context: RunContext): Promise<IterationEnded> {
  const startedAtMs = performance.now();
  const label = `iteration ${request.number}`;
  const treeBefore = await context.tree?.begin(`before ${label}`);
  await context.guard?.begin();
  const interrupt = interruptOf(context.stop.agent);
  if (interrupt !== undefined) return unstartedIteration(request.number, interrupt);
  context.record({ type: 'iteration-status', status: 'executing', guard: context.guard?.digest });
  const green = watchGreen(request, context, treeBefore);
  const invoked = await invokeAgent(request, context, green);
  const { end, outcome, claim } = invoked;
  if (claim !== undefined) context.record({ type: 'claim-made', ...claim, by: 'the agent' });
  context.record({ type: 'iteration-status', status: 'observing' });
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
      context,
      cookie: request.cookie,
      seen: invoked.seen,
      skipCommands: context.stop.now.aborted,
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
  { tree, record, stop }: RunContext,
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
    hurry: stop.now,
  });
}

async function invokeAgent(
  request: IterationRequest,
  context: RunContext,
  green: GreenWatch | undefined,
): Promise<Invoked> {
  const first = await invokeOnce(request, context, 'stdout', green);
  // The agent has forgotten the conversation: a fresh one can do the work.
  if (first.result !== 'no-such-session' || context.stop.agent.aborted) return first;
  return invokeOnce({ ...request, session: undefined }, context, 'stdout-fresh', green);
}

async function invokeOnce(
  request: IterationRequest,
  context: RunContext,
  outputName: string,
  green: GreenWatch | undefined,
): Promise<Invoked & { readonly result: string | undefined }> {
  const { prompt, place } = request;
  const { agent, record, spec, stop } = context;
  const narration = createNarration(context, { ...request, contextOfRequests: agent.contextOfRequests, green });
  const trace = new ToolTrace(spec.workingDir, context.redact);
  const [output, errors] = [new Excerpt(), new Excerpt()];
  const raw = place === undefined ? undefined : rawFiles(place, outputName);
  const running = agent.run(
    taskOf(request, context),
    {
      onSpawn: (process) => record({ type: 'agent-spawned', ...process }),
      onLine({ text, bytes, omittedBytes }, source) {
        (source === 'stdout' ? output : errors).add(text, bytes);
        raw?.[source].write(text, omittedBytes);
      },
      onEvent(event) {
        narration.tell(event);
        trace.add(event);
        if (narration.refusal !== undefined) stop.endAgent('refused');
      },
    },
    stop.agent,
  );
  // The agent starts meanwhile.
  if (place !== undefined) keepText(place, 'prompt.md', prompt);
  const end = await running;
  narration.end();
  raw?.stdout.end();
  raw?.stderr.end();
  const outcome = settle(context, { end, narration, stderr: errors.tail ?? errors.head });
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

function taskOf(request: IterationRequest, { spec, stop }: RunContext): AgentTask {
  const { iterationTimeoutMs: timeoutMs, idleTimeoutMs } = spec;
  const { prompt, session, budgetUsd, cookie, claimKey, told } = request;
  const news = told === undefined ? {} : { told };
  return { prompt, session, budgetUsd, cookie, claimKey, timeoutMs, idleTimeoutMs, cutOff: stop.kill, ...news };
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
function settle(context: RunContext, { end, narration, stderr }: Ended): Outcome {
  const { spec } = context;
  const interrupt: Interrupt | undefined = interruptOf(context.stop.agent);
  const outcome = outcomeOf({
    end,
    interrupt,
    result: narration.result,
    limit: narration.limit,
    lastError: narration.lastError ?? lastLine(stderr),
    retryReason: narration.retryReason,
    isStray: narration.lastError === undefined,
    tellsResult: context.agent.tellsResult,
    tellsUsage: context.agent.usage === 'live',
    hasAnswer: narration.hasAnswer,
    timeoutMs: spec.iterationTimeoutMs,
    idleTimeoutMs: spec.idleTimeoutMs,
  });
  const { error } = outcome;
  const isFailure = outcome.outcome === 'failed' || outcome.outcome === 'timed-out';
  if (isFailure && error !== undefined && narration.lastError === undefined) {
    context.record({
      type: 'error-seen',
      kind: 'other',
      message: error,
      fingerprint: errorFingerprint(context.redact(error)),
    });
  }
  return outcome;
}

/** What the agent's own words and events show. */
function narrated({ statusLine, review }: RunSpec, narration: Narration, outcome: Outcome): Observation {
  const said = statusLine === true ? withoutStatusLine : (text: string | undefined) => text;
  const closing = said(narration.closing);
  return {
    ...(review === undefined || closing === undefined ? {} : { lastMessage: recordedMessage(closing) }),
    summary: summaryOf(said(narration.result?.text), said(narration.lastMessage)),
    request: requestOf(closing, outcome),
    closing: closingOf(closing),
    contextPercent: narration.contextPercent,
    tests: narration.tests,
    ...(narration.droppedEvents === 0 ? {} : { unobserved: [droppedText(narration.droppedEvents)] }),
  };
}

/** What the provider refused was not the agent's turn. Words say that all is done only where the agent came to its end. */
function claimOf(closing: string | undefined, { outcome }: Outcome): Claim | undefined {
  const claim = closing === undefined || isRefusal(outcome) ? undefined : claimAtEnd(closing);
  return claim?.from === 'words' && outcome !== 'completed' ? undefined : claim;
}

/** Only an agent that ended its turn itself has said all it had to say. */
function requestOf(closing: string | undefined, { outcome }: Outcome): SeenRequest | undefined {
  if (closing === undefined || closing.trim() === '') return undefined;
  if (outcome !== 'completed' && outcome !== 'failed') return undefined;
  return asksPerson(closing) ?? { kind: 'none' };
}

function droppedText(count: number): string {
  return `the record leaves out ${count.toLocaleString('en-US')} events of the agent: there were too many in one iteration`;
}

const MOST_OPEN = 200;
const MOST_FAILURES = 20;
const MOST_LINES = 32;
const TEXT_CHARACTERS = 200;
/** What Claude Code shows above the output of a command. */
const EXIT_CODE = /^(?:Error: )?Exit code \d+$/;
/** A line that says what is wrong. Warnings and progress may come before it. */
const SAYS_WHY =
  /\b(?:error|fatal|panic|exception|denied|refused|unauthori[sz]ed|unable|cannot|failed|not (?:found|installed|recognized|logged in))\b/i;
const COMPARED_CHARACTERS = 10_000;
const PATH = /"(?:file_?path|path|filename|notebook_path)"\s*:\s*"((?:[^"\\]|\\.)*)"/i;
const TEMPORARY = /^(?:\/private)?\/(?:var\/)?(?:tmp|folders)\//;
const CONTENT = /"(?:content|new_?str(?:ing)?|new_?text|new_source|patch)"\s*:\s*"((?:[^"\\]|\\.)*)/i;

const COMMAND = /"(?:command|cmd)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|\[(.*?)\])/;
const MOST_RESULTS = 20;
/** With a fraction, or from 1,000 on: such a figure may vary by chance. Smaller whole ones count something. */
const FIGURE = /\d+(?:[.,]\d+)+|\d{4,}/g;
const FRACTION = /\.\d+$|,(?!\d{3}$)\d+$/;
const FIGURE_DIGITS = 3;
/** Each part of such a command only shows files. */
const SHOWS =
  /^(?:cd|cat|head|tail|less|more|nl|bat|ls|tree|find|wc|stat|du|file|diff|git|grep|egrep|rg|ag|awk|sed|sort|uniq|cut|echo|printf|pwd|true|sleep)\b/;

/** Of Claude Code, Codex, Copilot, Gemini, opencode, Qwen, pi, and of servers of files. */
const WRITES =
  /(?:^|[./]|__)(?:write|edit|multi_?edit|notebook_?edit|create|create_file|write_file|edit_file|replace|str_replace|apply_?patch|patch|insert)$/i;

/** What the tools of an agent did in one iteration: calls that failed, what commands printed, and files that were written outside the folder. */
export class ToolTrace {
  readonly #workingDir: string;
  readonly #redact: (text: string) => string;
  readonly #open = new Map<string, string>();
  readonly #failures = new Map<string, string>();
  readonly #results = new Map<string, string>();
  readonly #outside = new Set<string>();
  #hasWritten = false;

  constructor(workingDir: string, redact: (text: string) => string) {
    this.#workingDir = workingDir;
    this.#redact = redact;
  }

  add(event: AgentEvent): void {
    if (event.kind === 'tool-call') this.#called(event);
    else if (event.kind === 'tool-result') this.#answered(event);
  }

  get observed(): Pick<Observation, 'toolFailures' | 'commandResults' | 'outsideLines' | 'wroteFiles'> {
    const toolFailures = [...this.#failures].map(([digest, text]) => ({ digest, text }));
    return {
      ...(toolFailures.length === 0 ? {} : { toolFailures }),
      ...(this.#results.size === 0
        ? {}
        : { commandResults: [...this.#results].map(([command, result]) => `${command}:${result}`) }),
      ...(this.#hasWritten ? { wroteFiles: true } : {}),
      ...(this.#outside.size === 0 ? {} : { outsideLines: [...this.#outside].sort().slice(0, MOST_LINES) }),
    };
  }

  #called({ id, name, input = '' }: AgentEventOf<'tool-call'>): void {
    if (id !== undefined && this.#open.size < MOST_OPEN) this.#open.set(id, `${name} ${input}`);
    const [, path] = PATH.exec(input) ?? [];
    const [, content] = CONTENT.exec(input) ?? [];
    this.#hasWritten ||= WRITES.test(name) || (path !== undefined && content !== undefined);
    if (path === undefined || content === undefined || !this.#isOutside(path)) return;
    for (const line of content.split('\\n')) {
      const words = line.replace(/\s+/g, '');
      if (words !== '') this.#outside.add(shortDigest(`outside ${path} ${words}`));
    }
  }

  #answered({ id, failed, denied, output = '' }: AgentEventOf<'tool-result'>): void {
    const call = id === undefined ? undefined : this.#open.get(id);
    if (id !== undefined) this.#open.delete(id);
    if (call === undefined || denied === true) return;
    const outcome = withoutTimes(this.#redact(output).slice(0, COMPARED_CHARACTERS));
    if (!failed) this.#printed(call, outcome);
    if (!failed || this.#failures.size >= MOST_FAILURES) return;
    const digest = shortDigest(`${call}\n${outcome}`);
    this.#failures.set(digest, headOf(this.#redact(whyOf(output) ?? call), TEXT_CHARACTERS));
  }

  /** The last time counts: it was run on the files as they are left. */
  #printed(call: string, outcome: string): void {
    const [, text, words] = COMMAND.exec(call) ?? [];
    const parts = (text ?? words?.replace(/"/g, ' ') ?? '').split(/&&|\|\|?|;|\\n/).map((part) => part.trim());
    if (outcome.trim() === '' || parts.every((part) => part === '' || SHOWS.test(part))) return;
    const command = shortDigest(call);
    if (this.#results.size < MOST_RESULTS || this.#results.has(command)) {
      this.#results.set(command, shortDigest(outcome.replace(FIGURE, firstDigits)));
    }
  }

  /** Scratch files, notes and logs are not work, wherever they are. */
  #isOutside(path: string): boolean {
    const full = resolve(this.#workingDir, path);
    const below = relative(this.#workingDir, full);
    const isOut = below.startsWith('..') || isAbsolute(below);
    const isScratch = TEMPORARY.test(full) && !TEMPORARY.test(this.#workingDir);
    return isOut && !isScratch && isWork(fileKind(full));
  }
}

/** 4,101 is 4,100; 103.94 and 103.9 are 103. */
function firstDigits(figure: string): string {
  const point = figure.search(FRACTION);
  let kept = 0;
  return figure.replace(/./g, (character, index: number) => {
    const isFraction = point !== -1 && index >= point;
    if (kept === FIGURE_DIGITS) return isFraction ? '' : character.replace(/\d/, '0');
    if (kept > 0 ? /\d/.test(character) : /[1-9]/.test(character)) kept += 1;
    return character;
  });
}

function whyOf(output: string): string | undefined {
  const lines = output
    .slice(0, COMPARED_CHARACTERS)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first] = lines;
  const own = lines.filter((line, index) => index > 0 || !EXIT_CODE.test(line));
  return own.find((line) => SAYS_WHY.test(line)) ?? own[0] ?? first;
}
