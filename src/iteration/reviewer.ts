import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentAdapter, AgentEnvironment, ReviewAdapter, ReviewFile } from '../agents/adapter.js';
import { findAdapter, REVIEWER_NAMES } from '../agents/find-adapter.js';
import { formatDuration } from '../model/duration.js';
import { ConfigError, messageOf } from '../model/errors.js';
import { didYouMean } from '../model/nearest.js';
import { isNotReached } from '../model/not-reached.js';
import type { ReviewOpinion, ReviewProblem } from '../model/review.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import type { AgentSpec, ReviewSpec, RunSpec } from '../model/run-spec.js';
import { makeStateFolder } from '../observation/files/shadow-repository.js';
import { ANSWER_SCHEMA } from '../observation/review/read-answer.js';
import { ReviewWords } from '../observation/review/review-words.js';
import { findProgram, whyNotRunnable } from '../process/run-tool.js';
import type { Agent, AgentEnd } from './agent.js';
import { createCliAgent } from './cli-agent.js';
import { Excerpt } from './speech.js';
import { createNarration, type Narration } from './narrate.js';
import { lastLine } from './outcome.js';

export interface ReviewQuestion {
  readonly prompt: string;
  /** What is left for reviews. */
  readonly budgetUsd: number;
  /** Whether more than that has been used, by the record. */
  readonly isOver: () => boolean;
  readonly cookie: string;
  readonly signal: AbortSignal;
}

/** What a reviewer uses, as it uses it. Its callback must not throw. */
export type OnReviewUsage = (usage: EventBodies['usage-reported']) => void;

/** What came of a question: an opinion, why there is none, or neither, if it was cut short. */
export type ReviewReply = { readonly opinion: ReviewOpinion } | { readonly problem: ReviewProblem } | undefined;

/** Who is asked for a second opinion. `ask` never rejects. */
export interface Reviewer {
  readonly name: string;
  ask(question: ReviewQuestion, onUsage: OnReviewUsage): Promise<ReviewReply>;
}

export interface ReviewerOptions {
  readonly spec: RunSpec;
  readonly environment: AgentEnvironment;
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

/**
 * The reviewer that a spec names, or an agent in code. Throws ConfigError when there is no such agent, or it cannot be asked;
 * undefined when the code that has it is missing.
 */
export function createReviewer(review: ReviewSpec, options: ReviewerOptions, given?: Agent): Reviewer | undefined {
  if (given !== undefined) {
    const asking = { ...options, review, agent: { ...options.spec.agent, model: undefined } };
    const ask: Reviewer['ask'] = (question, onUsage) =>
      askAgent(given, asking, question, onUsage).catch((error) => silent(messageOf(error)));
    return { name: given.name, ask };
  }
  if (review.agent === undefined) return undefined;
  const agent = fromWorkingDir(review.agent, options.spec.workingDir);
  const adapter = reviewAdapter(agent);
  checkProgram(adapter, agent, options);
  const name = agent.model === undefined ? programName(agent) : `${programName(agent)} (${agent.model})`;
  return { name, ask: (question, onUsage) => askCli(adapter, { ...options, review, agent }, question, onUsage) };
}

/** What is named as a file is found where the config is, although it runs elsewhere. */
function fromWorkingDir(agent: AgentSpec, workingDir: string): AgentSpec {
  const [program = '', ...words] = agent.command ?? [];
  if (!program.includes('/') || isAbsolute(program)) return agent;
  return { ...agent, command: [resolve(workingDir, program), ...words] };
}

function programName({ name, command }: AgentSpec): string {
  return name === 'command' ? (command?.[0]?.split('/').at(-1) ?? name) : name;
}

function reviewAdapter({ name, command = [] }: AgentSpec): ReviewAdapter {
  const adapter = findAdapter(name);
  if (adapter === undefined) {
    const can = `${REVIEWER_NAMES.join(', ')}, or \`command\` with your own program`;
    throw problem(
      'review.agent',
      `${JSON.stringify(name)} cannot review: use ${can}${didYouMean(name, REVIEWER_NAMES)}`,
    );
  }
  if (name === 'command' && command.length === 0) throw problem('review.command', 'which program?');
  return adapter;
}

function checkProgram(adapter: ReviewAdapter, agent: AgentSpec, { spec, environment }: ReviewerOptions): void {
  const { command, env } = adapter.review(agent, { prompt: '', environment, schemaPath: '', folder: '' });
  if (findProgram(command, spec.workingDir, env['PATH']) !== undefined) return;
  const why = command.includes('/') ? whyNotRunnable(command, spec.workingDir) : `is ${agent.name} installed?`;
  throw problem(agent.command === undefined ? 'review.agent' : 'review.command', `${command} cannot be run: ${why}`);
}

function problem(path: string, message: string): ConfigError {
  return new ConfigError([{ path, message }]);
}

interface Asking extends ReviewerOptions {
  readonly review: ReviewSpec;
  readonly agent: AgentSpec;
}

/** In an empty folder of its own: agents take files of their folder for instructions, and some of them for code. */
async function askCli(
  adapter: ReviewAdapter,
  asking: Asking,
  question: ReviewQuestion,
  onUsage: OnReviewUsage,
): Promise<ReviewReply> {
  const { agent, environment } = asking;
  let place: string | undefined;
  try {
    place = mkdtempSync(join(makeStateFolder(environment), 'review-'));
    const folder = place;
    const [workingDir, schemaPath] = [join(folder, 'empty'), join(folder, 'schema.json')];
    mkdirSync(workingDir);
    // Agents read instructions and load plugins from the folders above, too, up to the top of a repository. Some ask git.
    for (const name of ['objects', 'refs']) mkdirSync(join(folder, '.git', name), { recursive: true });
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(schemaPath, JSON.stringify(ANSWER_SCHEMA));
    for (const file of adapter.reviewFiles?.({ ...environment, ...agent.env }) ?? []) writeReviewFile(folder, file);
    const invocation: AgentAdapter['invocation'] = (given, request) =>
      adapter.review(given, { ...request, schemaPath, folder });
    const cli = createCliAgent({ adapter: { ...adapter, invocation }, agent, workingDir, environment });
    return await askAgent(cli, asking, question, onUsage);
  } catch (error) {
    return silent(messageOf(error));
  } finally {
    if (place !== undefined) rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

function writeReviewFile(folder: string, file: ReviewFile): void {
  const path = join(folder, file.path);
  mkdirSync(dirname(path), { recursive: true });
  const target = 'firstOf' in file ? file.firstOf.find((one) => existsSync(one)) : undefined;
  if (target === undefined) writeFileSync(path, 'text' in file ? file.text : '');
  else symlinkSync(target, path);
}

async function askAgent(
  asked: Agent,
  { spec, review, agent, redact, now }: Asking,
  { prompt, budgetUsd, isOver, cookie, signal }: ReviewQuestion,
  onUsage: OnReviewUsage,
): Promise<ReviewReply> {
  const { timeoutMs } = review;
  const ending = new AbortController();
  const end = (why: 'budget' | 'refused' | 'cut') => ending.signal.aborted || ending.abort(why);
  signal.addEventListener('abort', () => end('cut'), { once: true });
  if (signal.aborted) return undefined;
  const record = (event: NewEvent) => {
    if (event.type !== 'usage-reported') return;
    const { type: _type, ...usage } = event;
    onUsage(usage);
    if (isOver()) end('budget');
  };
  const narration = createNarration({ spec: { ...spec, agent }, record, redact, now }, { prompt });
  const words = new ReviewWords();
  const errors = new Excerpt();
  const ended = await asked.run(
    { prompt, cookie, budgetUsd, timeoutMs, idleTimeoutMs: timeoutMs },
    {
      onSpawn: () => undefined,
      onLine: ({ text, bytes }, source) => (source === 'stderr' ? errors.add(text, bytes) : undefined),
      onEvent(event) {
        narration.tell(event);
        words.add(event);
        if (narration.refusal !== undefined) end('refused');
      },
    },
    ending.signal,
  );
  narration.end();
  const why: unknown = ending.signal.aborted ? ending.signal.reason : undefined;
  return replyOf({ narration, words, ended, why, stderr: errors.tail ?? errors.head, review });
}

interface Ended {
  readonly narration: Narration;
  readonly words: ReviewWords;
  readonly ended: AgentEnd;
  readonly why: unknown;
  readonly stderr: string | undefined;
  readonly review: ReviewSpec;
}

function replyOf({ narration, words, ended, why, stderr, review }: Ended): ReviewReply {
  const { limit, refusal, lastError, retryReason, result } = narration;
  const said = lastError ?? lastLine(stderr);
  if (why === 'cut') return undefined;
  if (why === 'budget' || result?.outcome === 'budget') return { problem: overBudget(review.maxCostUsd) };
  if (refusal === 'auth' || refusal === 'billing') return refused(refusal, said);
  if (ended.cause === 'not-started') {
    return { problem: { kind: 'missing', message: ended.error ?? 'the reviewer could not be started' } };
  }
  if (limit !== undefined && result?.outcome !== 'success') {
    const kind = limit.limit === 'usage-limit' ? 'limit' : 'overload';
    return { problem: { kind, message: limit.message, resetsAt: limit.resetsAt } };
  }
  if (ended.cause === 'timeout' || ended.cause === 'idle') {
    const after = `it did not answer within ${formatDuration(review.timeoutMs)}`;
    return silent(retryReason === undefined ? after : `${after}; it was retrying after this error: ${retryReason}`);
  }
  const isFailed = (result !== undefined && result.outcome !== 'success') || (ended.exitCode ?? 0) !== 0;
  if (!isFailed) {
    const read = words.read();
    return 'problem' in read ? silent(read.problem) : { opinion: read };
  }
  if (said !== undefined && isNotReached(said)) return { problem: { kind: 'overload', message: said } };
  return silent(
    said ??
      (ended.exitCode === 0 ? 'it reported a failure' : `it failed with exit code ${ended.exitCode ?? 'unknown'}`),
  );
}

function refused(kind: 'auth' | 'billing', said: string | undefined): ReviewReply {
  const what = kind === 'auth' ? 'the reviewer is not logged in' : 'the account of the reviewer cannot pay';
  return { problem: { kind, message: said === undefined ? what : `${what}: ${said}` } };
}

function silent(message: string): ReviewReply {
  return { problem: { kind: 'silent', message } };
}

export function overBudget(maxCostUsd: number): ReviewProblem {
  return {
    kind: 'budget',
    message: `reviews have used up their budget of $${maxCostUsd.toFixed(2)} (review.max_cost)`,
  };
}
