import { formatDuration } from '../model/duration.js';
import type { AgentEventOf } from '../model/agent-event.js';
import type { Interruption, IterationOutcome } from '../model/run-event.js';
import type { AgentEnd } from './agent.js';
import type { Interrupt } from './interrupt.js';

export interface Outcome {
  readonly outcome: IterationOutcome;
  readonly interruption?: Interruption | undefined;
  readonly error?: string | undefined;
}

/** Everything that speaks for or against an iteration. */
export interface OutcomeFacts {
  readonly end: AgentEnd;
  readonly interrupt?: Interrupt | undefined;
  readonly result?: AgentEventOf<'result'> | undefined;
  readonly limit?: AgentEventOf<'limit'> | undefined;
  readonly lastError?: string | undefined;
  /** Nobody calls it an error: it is only the last line that was printed beside the agent's stream. */
  readonly isStray?: boolean | undefined;
  readonly tellsResult: boolean;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** How an iteration ended. What Pawl did to the agent comes before what the agent says, and that before its exit code. */
export function outcomeOf(facts: OutcomeFacts): Outcome {
  const { end, result, limit } = facts;
  switch (end.cause) {
    case 'not-started':
      return failed(`the agent could not be started: ${end.error ?? 'no reason given'}`);
    case 'aborted':
      return cutShort(facts);
    case 'timeout':
      return { outcome: 'timed-out', error: `the iteration did not end within ${formatDuration(facts.timeoutMs)}` };
    case 'idle':
      return { outcome: 'timed-out', error: `the agent showed nothing for ${formatDuration(facts.idleTimeoutMs)}` };
    case 'exit':
    case 'lingering':
      break;
    default:
      return end.cause satisfies never;
  }
  if (limit !== undefined && result?.outcome !== 'success') return { outcome: 'limited', error: limit.message };
  return result === undefined ? withoutResult(facts) : byResult(result, facts);
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
      return failed(lastError ?? 'somebody else interrupted the agent');
    case 'error':
    case 'no-such-session':
      return failed(lastError ?? firstLine(result.text) ?? 'the agent reported an error');
    default:
      return result.outcome satisfies never;
  }
}

function withoutResult({ end, lastError, isStray, tellsResult }: OutcomeFacts): Outcome {
  if (tellsResult) return failed(isStray === true ? noResult(end, lastError) : (lastError ?? noResult(end)));
  return end.exitCode === 0 ? { outcome: 'completed' } : failed(lastError ?? exitOf(end));
}

function noResult(end: AgentEnd, lastLine?: string): string {
  const said = lastLine === undefined ? '' : `; the last that it said: ${lastLine}`;
  return `the agent ended without a result: ${exitOf(end)}${said}`;
}

function exitOf({ exitCode, signal }: AgentEnd): string {
  if (exitCode !== undefined) return `its exit code is ${exitCode}`;
  return signal === undefined ? 'its exit code is not known' : `it was ended by ${signal}`;
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n')[0];
  return line === undefined || line === '' ? undefined : line.slice(0, 500);
}

function failed(error: string): Outcome {
  return { outcome: 'failed', error };
}
