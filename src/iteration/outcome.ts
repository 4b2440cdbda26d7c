import { headOf } from '../model/figures.js';
import { formatDuration } from '../model/duration.js';
import type { AgentEventOf } from '../model/agent-event.js';
import type { Interruption, IterationOutcome, EventBodies } from '../model/run-event.js';
import type { AgentEnd } from './agent.js';
import type { Interrupt } from './stop-signal.js';

export interface Outcome {
  readonly outcome: IterationOutcome;
  readonly interruption?: Interruption | undefined;
  readonly error?: string | undefined;
  /** It failed by itself, and said so, before any answer of its model. */
  readonly unanswered?: true | undefined;
}

/** Everything that speaks for or against an iteration. */
export interface OutcomeFacts {
  readonly end: AgentEnd;
  readonly interrupt?: Interrupt | undefined;
  readonly result?: AgentEventOf<'result'> | undefined;
  readonly limit?: AgentEventOf<'limit'> | undefined;
  readonly lastError?: string | undefined;
  /** Why it was trying again by itself when it ended. */
  readonly retryReason?: string | undefined;
  /** No one calls it an error: it is only the last line that was printed next to the agent's stream. */
  readonly isStray?: boolean | undefined;
  readonly tellsResult: boolean;
  /** It tells while it works what it uses, so that what it has not reported yet it has not used. */
  readonly tellsUsage?: boolean | undefined;
  /** Something came that represents an answer of its model. */
  readonly hasAnswer?: boolean | undefined;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** It made an item of a pipeline. */
  readonly isGenerator?: boolean | undefined;
}

/** How an iteration ended. What Pawl did to the agent comes before what the agent says, and that before its exit code. */
export function outcomeOf(facts: OutcomeFacts): Outcome {
  const { end, result, limit, isGenerator = false } = facts;
  const agent = isGenerator ? 'the generator' : 'the agent';
  switch (end.cause) {
    case 'not-started':
      return failed(`${agent} could not be started: ${end.error ?? 'no reason given'}`);
    case 'aborted':
      return cutShort(facts);
    case 'timeout':
      return timedOut(
        `${isGenerator ? agent : 'the iteration'} did not end within ${formatDuration(facts.timeoutMs)}`,
        facts,
      );
    case 'idle':
      return timedOut(`${agent} printed nothing for ${formatDuration(facts.idleTimeoutMs)}`, facts);
    case 'exit':
    case 'lingering':
      break;
    default:
      return end.cause satisfies never;
  }
  if (limit !== undefined && result?.outcome !== 'success') {
    return { outcome: 'limited', error: limit.message, ...(facts.hasAnswer === false ? { unanswered: true } : {}) };
  }
  return result === undefined ? withoutResult(facts) : byResult(result, facts);
}

/** An agent that tries again and again says nothing else: the reason is the one that it gave for that. */
function timedOut(what: string, { retryReason }: OutcomeFacts): Outcome {
  return {
    outcome: 'timed-out',
    error: retryReason === undefined ? what : `${what}; it was retrying after this error: ${retryReason}`,
  };
}

function cutShort({ interrupt, lastError }: OutcomeFacts): Outcome {
  switch (interrupt) {
    case 'skip':
      return { outcome: 'skipped' };
    case 'refused':
      return failed(lastError ?? 'the provider refused the agent');
    case 'limit':
    case 'failure':
      return { outcome: 'interrupted', interruption: interrupt };
    case 'budget':
      return { outcome: 'interrupted', interruption: 'limit' };
    case 'operator':
    case 'broken':
    case undefined:
      return { outcome: 'interrupted', interruption: 'operator' };
    default:
      return interrupt satisfies never;
  }
}

function byResult(result: AgentEventOf<'result'>, facts: OutcomeFacts): Outcome {
  const { end, lastError } = facts;
  switch (result.outcome) {
    case 'success':
      // An agent that had to be ended after its result has no exit code of its own.
      return end.cause === 'lingering' || end.exitCode === 0
        ? { outcome: 'completed' }
        : failed(`it reported success, but ${exitOf(end)}`);
    case 'turns':
      return { outcome: 'completed' };
    case 'budget':
      return { outcome: 'interrupted', interruption: 'limit' };
    case 'interrupted':
      return failed(lastError ?? 'something other than Pawl interrupted the agent');
    case 'error':
    case 'no-such-session':
      return failed(lastError ?? firstLine(result.text) ?? 'the agent reported an error');
    default:
      return result.outcome satisfies never;
  }
}

function withoutResult(facts: OutcomeFacts): Outcome {
  const { end, lastError, isStray, tellsResult } = facts;
  if (isUnanswered(facts)) {
    const error = `the agent ended before its first answer, counted as nothing spent: ${exitOf(end)}${lastWords(lastError)}`;
    return { ...failed(isStray === true ? error : (lastError ?? error)), unanswered: true };
  }
  if (tellsResult) return failed(isStray === true ? noResult(end, lastError) : (lastError ?? noResult(end)));
  return end.exitCode === 0 ? { outcome: 'completed' } : failed(lastError ?? exitOf(end));
}

/**
 * Only of an agent whose stream is known to tell everything, that exits by itself and says why: a shell tells a death by
 * signal as 128 and more, and who is killed does not know what is on its bill.
 */
function isUnanswered({ end, lastError, tellsResult, tellsUsage, hasAnswer }: OutcomeFacts): boolean {
  const { cause, exitCode = 0, signal } = end;
  const failedItself = cause === 'exit' && signal === undefined && exitCode > 0 && exitCode < 128;
  return tellsResult && tellsUsage === true && hasAnswer === false && failedItself && lastError !== undefined;
}

function noResult(end: AgentEnd, lastLine?: string): string {
  return `the agent ended without a result: ${exitOf(end)}${lastWords(lastLine)}`;
}

function lastWords(line: string | undefined): string {
  return line === undefined ? '' : `; its last output: ${line}`;
}

function exitOf({ exitCode, signal }: AgentEnd): string {
  if (exitCode !== undefined) return `its exit code is ${exitCode}`;
  return signal === undefined ? 'its exit code is not known' : `it was ended by ${signal}`;
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n')[0];
  return line === undefined || line === '' ? undefined : headOf(line, 500);
}

function failed(error: string): Outcome {
  return { outcome: 'failed', error };
}

/** What a program that fails prints last mostly says why. */
export function lastLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n').at(-1)?.trim();
  return line === undefined || line === '' ? undefined : headOf(line, 500);
}

const NOT_STARTED = { agentStarted: false, durationMs: 0, observation: {} } as const;

/** The end of an iteration before its agent was started: no one wants it any more, or something `held` it back. */
export function unstartedIteration(
  iteration: number,
  why: Interrupt | { readonly held: string },
): EventBodies['iteration-ended'] {
  if (typeof why === 'object') return { ...NOT_STARTED, iteration, outcome: 'skipped', error: why.held };
  const end = { cause: 'aborted', stragglers: 0, survivors: 0 } as const;
  const outcome = outcomeOf({ end, interrupt: why, tellsResult: false, timeoutMs: 0, idleTimeoutMs: 0 });
  return { ...NOT_STARTED, iteration, ...outcome };
}
