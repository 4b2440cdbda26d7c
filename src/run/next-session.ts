import type { RunSpec } from '../model/run-spec.js';
import { lastWork } from '../model/work.js';
import { answersToSend } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { isRefusal } from '../model/wait-policy.js';
import { createNarration } from '../iteration/narrate.js';
import type { RunContext } from '../iteration/run-context.js';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { NODE_DISK, makeFolder } from '../journal/disk.js';
import { messageOf } from '../model/errors.js';
import type { RunParts } from './run-host.js';
import { feedbackValues, NOT_DONE_YET, type PromptValues } from '../iteration/prompt.js';
import { whatIsLeft } from '../stop/what-is-left.js';

/** What the next iteration talks in. */
export type NextSession =
  | { readonly kind: 'continue'; readonly session: string }
  | { readonly kind: 'fresh' }
  /** A session is given up: a fresh one takes over. */
  | { readonly kind: 'reboot'; readonly reason: string };

export interface SessionFacts {
  readonly canResume: boolean;
  /** It continues where it was, whatever cut it off. */
  readonly keepsConversation?: boolean | undefined;
  readonly nowMs: number;
}

/** Goes on with the session until the redline, unless it may have been cut off in the middle of something. */
export function nextSession(
  state: RunState,
  { session: rules, contextRedlinePercent }: Pick<RunSpec, 'session' | 'contextRedlinePercent'>,
  { canResume, keepsConversation = false, nowMs }: SessionFacts,
): NextSession {
  const { session, context, recent } = state;
  if (!canResume || rules.mode === 'fresh' || session === undefined) return { kind: 'fresh' };
  // An agent tells its own name for it, which is then one of its arguments: none of its options.
  if (/^\s*-|\0/.test(session.id)) return { kind: 'fresh' };
  const last = recent.at(-1);
  const isWhole = last === undefined || last.outcome === 'completed' || isRefusal(last.outcome);
  if (!isWhole && !keepsConversation) return { kind: 'fresh' };
  if (!isWhole && state.latest.errors.some(({ kind }) => kind === 'context')) {
    return { kind: 'reboot', reason: 'the context is full' };
  }
  // It may have been done, and no one has looked: that comes first.
  if (keepsConversation && last?.interruption === 'crash') return { kind: 'continue', session: session.id };
  // A window of nothing reports nothing.
  const percent =
    context === undefined || context.windowTokens === 0 ? 0 : (context.usedTokens / context.windowTokens) * 100;
  if (percent > contextRedlinePercent) {
    return { kind: 'reboot', reason: `the context is ${Math.floor(percent)}% full, above ${contextRedlinePercent}%` };
  }
  // The session that asked is the one that is told, however long the answer took.
  const isAnswered = answersToSend(state).length > 0;
  if (!isAnswered && nowMs - Date.parse(session.openedAt) > rules.timeoutMs) {
    return { kind: 'reboot', reason: 'the session is older than its timeout' };
  }
  return { kind: 'continue', session: session.id };
}

const HANDOVER_CHARACTERS = 4096;

/** What a fresh session is told of the one before. */
export function handoverOf(state: RunState): string | undefined {
  const last = lastWork(state);
  const { files } = state.latest.observation;
  const changed = [...(files?.created ?? []), ...(files?.modified ?? [])].slice(0, 30);
  const parts = [
    last?.summary === undefined ? undefined : `What was done last:\n${last.summary}`,
    changed.length === 0 ? undefined : `Files changed last:\n${changed.map((name) => `- ${name}`).join('\n')}`,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return ['You take over from an earlier session.', ...parts].join('\n\n').slice(0, HANDOVER_CHARACTERS);
}

/** The session to continue, or undefined for a fresh one. A session that is given up is handed over, on record. */
export async function chooseSession(context: RunContext): Promise<string | undefined> {
  const { journal, spec, agent, now, record } = context;
  const { session } = journal.state;
  const { reboot } = journal.state.requests;
  const { canResume, keepsConversation } = agent;
  const next = nextSession(journal.state, spec, { canResume, keepsConversation, nowMs: now() });
  if (next.kind === 'fresh') return undefined;
  if (next.kind === 'continue' && reboot === undefined) return next.session;
  const reason = next.kind === 'reboot' ? next.reason : `requested by ${reboot?.by ?? 'an operator'}`;
  record({ type: 'reboot-started', reason });
  const own = session === undefined ? undefined : await ownHandover(context, session.id);
  record({ type: 'reboot-completed', handover: own ?? handoverOf(journal.state) });
  return undefined;
}

/** What the agent itself has to say; what that costs is recorded. */
async function ownHandover(context: RunContext, session: string): Promise<string | undefined> {
  const { agent, checkRecord, stop } = context;
  if (agent.handOver === undefined) return undefined;
  checkRecord();
  const narration = createNarration(context, { prompt: '' });
  const handover = await agent.handOver(session, { onEvent: (event) => narration.tell(event) }, stop.agent);
  narration.end();
  return handover;
}

/**
 * `<session.state_dir>/<run>.json`: the session that the next iteration continues, for people and scripts that want to open
 * it with the agent's own CLI. A resume reads the record, not this file.
 */
export class SessionFile {
  readonly #parts: RunParts;
  #kept: string | undefined;
  #hasWarned = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Brings the file up to date after an iteration, for a run that keeps files. Never throws. */
  keep(): void {
    const { outputPlace, tree, warn } = this.#parts;
    const text = textOf(this.#parts);
    if (outputPlace === undefined || text === this.#kept) return;
    try {
      const isInTree = write(this.#parts, text);
      this.#kept = text;
      // The agent did not make this change.
      if (isInTree) tree?.disturb();
    } catch (error) {
      if (!this.#hasWarned) warn?.(`session.state_dir: the session is not kept: ${messageOf(error)}`);
      this.#hasWarned = true;
    }
  }
}

/** Empty when there is no session to continue. */
function textOf({ runId, spec, agent, journal, now }: RunParts): string {
  const { session } = journal.state;
  const { canResume, keepsConversation } = agent;
  const next = nextSession(journal.state, spec, { canResume, keepsConversation, nowMs: now() });
  if (!spec.session.persist || keepsConversation === true || next.kind !== 'continue') return '';
  const { workingDir } = spec;
  const kept = { runId, agent: agent.name, session: next.session, openedAt: session?.openedAt, workingDir };
  return `${JSON.stringify(kept, null, 2)}\n`;
}

/** Whether it has changed the tree that is tracked. */
function write({ spec: { session, workingDir }, runId }: RunParts, text: string): boolean {
  const path = join(session.stateDir, `${runId}.json`);
  if (text === '' && !existsSync(path)) return false;
  const inside = relative(workingDir, session.stateDir);
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
  const place = isInside
    ? { base: workingDir, segments: inside.split(sep) }
    : { base: dirname(session.stateDir), segments: [basename(session.stateDir)], makesBase: true as const };
  const draft = join(makeFolder(NODE_DISK, place, 'refuse'), `.${runId}.${process.pid}`);
  if (text === '') rmSync(path, { force: true });
  else {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  }
  return isInside && place.segments[0] !== '.ralph';
}

/** What the prompt of the next iteration says of the run so far. A goal that the feedback names is not named twice. */
export function promptValues(state: RunState, iteration: number): PromptValues {
  const values = feedbackValues(state, iteration);
  const { limits, goals } = whatIsLeft(state, iteration);
  const isNamed = values.feedback.includes(NOT_DONE_YET);
  const left = isNamed || goals === '' ? limits : `${limits} ${goals}`;
  const goal = state.spec?.review?.goal;
  return {
    ...values,
    left: goal === undefined ? left : `${left}\n\nA reviewer judges whether this goal is reached: ${goal}`,
  };
}
