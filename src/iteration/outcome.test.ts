import { describe, expect, it } from 'vitest';
import type { AgentEnd } from './agent.js';
import { type Outcome, type OutcomeFacts, outcomeOf } from './outcome.js';

function outcome(end: Partial<AgentEnd>, more: Partial<OutcomeFacts> = {}): Outcome {
  return outcomeOf({
    end: { cause: 'exit', exitCode: 0, stragglers: 0, survivors: 0, ...end },
    tellsResult: false,
    timeoutMs: 1_800_000,
    idleTimeoutMs: 600_000,
    ...more,
  });
}

/** Begun, and not answered yet. */
const silent = { tellsResult: true, tellsUsage: true, hasAnswer: false } as const;
const success = { kind: 'result', outcome: 'success' } as const;
const limit = { kind: 'limit', limit: 'usage-limit', message: 'come back later' } as const;

describe('the outcome of an iteration', () => {
  it.each<[string, Partial<AgentEnd>, Partial<OutcomeFacts>, Outcome]>([
    ['a clean exit completes', {}, {}, { outcome: 'completed' }],
    [
      'exit 0 without the result that this agent always tells is a failure',
      {},
      { tellsResult: true },
      { outcome: 'failed', error: 'the agent ended without a result: its exit code is 0' },
    ],
    [
      'a stray line is not why an agent failed that told no result',
      {},
      { tellsResult: true, lastError: 'warning: old config', isStray: true },
      {
        outcome: 'failed',
        error: 'the agent ended without a result: its exit code is 0; its last output: warning: old config',
      },
    ],
    [
      'an agent that fails by itself before its first answer has spent nothing, and the record says so',
      { exitCode: 1 },
      { ...silent, lastError: 'getaddrinfo EAI_AGAIN', isStray: true },
      {
        outcome: 'failed',
        unanswered: true,
        error:
          'the agent ended before its first answer, counted as nothing spent: its exit code is 1; its last output: getaddrinfo EAI_AGAIN',
      },
    ],
    [
      'what it calls an error is the error',
      { exitCode: 1 },
      { ...silent, lastError: 'no route to host', isStray: false },
      { outcome: 'failed', unanswered: true, error: 'no route to host' },
    ],
    [
      'a storm in which the agent itself retries is named where nothing else is known',
      { cause: 'idle' },
      { retryReason: '503 Overloaded' },
      {
        outcome: 'timed-out',
        error: 'the agent printed nothing for 10m; it was retrying after this error: 503 Overloaded',
      },
    ],
    [
      'an error that was told as one is',
      { exitCode: 1 },
      { tellsResult: true, lastError: 'not logged in', isStray: false },
      { outcome: 'failed', error: 'not logged in' },
    ],
    [
      'exit 0 with an error inside is a failure',
      {},
      { result: { kind: 'result', outcome: 'error', text: 'boom\nmore' } },
      { outcome: 'failed', error: 'boom' },
    ],
    [
      'a success with an exit code that denies it is a failure',
      { exitCode: 3 },
      { result: success },
      { outcome: 'failed', error: 'it reported success, but its exit code is 3' },
    ],
    [
      'a success that had to be helped out of the door is a success',
      { cause: 'lingering', exitCode: 143 },
      { result: success },
      { outcome: 'completed' },
    ],
    [
      'a failing exit code tells what the agent said last',
      { exitCode: 1 },
      { lastError: 'no such model' },
      { outcome: 'failed', error: 'no such model' },
    ],
    [
      'a signal from outside is named',
      { exitCode: undefined, signal: 'SIGSEGV' },
      {},
      { outcome: 'failed', error: 'it was ended by SIGSEGV' },
    ],
    [
      'the time of the iteration ran out',
      { cause: 'timeout', exitCode: undefined, signal: 'SIGKILL' },
      { result: success },
      { outcome: 'timed-out', error: 'the iteration did not end within 30m' },
    ],
    [
      'silence ran out',
      { cause: 'idle', exitCode: 143 },
      {},
      { outcome: 'timed-out', error: 'the agent printed nothing for 10m' },
    ],
    [
      'it could not be started',
      { cause: 'not-started', error: 'no such file' },
      {},
      { outcome: 'failed', error: 'the agent could not be started: no such file' },
    ],
    ['a skip is neutral', { cause: 'aborted' }, { interrupt: 'skip' }, { outcome: 'skipped' }],
    [
      'a limit in mid-iteration interrupts',
      { cause: 'aborted' },
      { interrupt: 'limit', result: success },
      { outcome: 'interrupted', interruption: 'limit' },
    ],
    [
      'an operator interrupts',
      { cause: 'aborted' },
      { interrupt: 'operator' },
      { outcome: 'interrupted', interruption: 'operator' },
    ],
    [
      'a refused login fails at once',
      { cause: 'aborted' },
      { interrupt: 'refused', lastError: 'authentication_failed 401' },
      { outcome: 'failed', error: 'authentication_failed 401' },
    ],
    [
      'a usage limit costs no iteration',
      { exitCode: 1 },
      { limit, result: { kind: 'result', outcome: 'error' } },
      { outcome: 'limited', error: 'come back later' },
    ],
    ['a usage limit that passed is none', {}, { limit, result: success }, { outcome: 'completed' }],
    [
      'an agent that stopped for its own budget was interrupted by a limit',
      { exitCode: 1 },
      { result: { kind: 'result', outcome: 'budget' } },
      { outcome: 'interrupted', interruption: 'limit' },
    ],
    [
      'an exit on request of somebody else is a failure, although its code is 0',
      {},
      { result: { kind: 'result', outcome: 'interrupted' }, tellsResult: true },
      { outcome: 'failed', error: 'something other than Pawl interrupted the agent' },
    ],
  ])('%s', (_, end, more, expected) => expect(outcome(end, more)).toEqual(expected));

  it.each<[string, Partial<AgentEnd>, Partial<OutcomeFacts>]>([
    ['was killed', { exitCode: undefined, signal: 'SIGKILL' }, {}],
    ['was killed under a shell, which tells it as an exit code', { exitCode: 137 }, {}],
    ['did not fail', { exitCode: 0 }, {}],
    ['says nothing of why', {}, { lastError: undefined }],
    ['was answered', {}, { hasAnswer: true }],
    ['tells what it used only at its end', {}, { tellsUsage: false }],
    ['is any command, which may tell nothing at all', {}, { tellsResult: false }],
  ])('what an agent has spent that %s is not taken as nothing', (_name, end, facts) => {
    const found = outcome({ exitCode: 1, ...end }, { ...silent, lastError: 'socket hang up', isStray: true, ...facts });
    expect(found.unanswered).toBeUndefined();
  });
});
