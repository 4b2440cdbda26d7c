import { headOf } from '../model/figures.js';
import type { ConditionFunction, ConditionFunctions } from '../model/condition-function.js';
import { formatDuration } from '../model/duration.js';
import { messageOf } from '../model/errors.js';
import type { ProbeResult } from '../model/observation.js';

export interface FunctionSetting {
  readonly functions?: ConditionFunctions | undefined;
  /** Handed to every function. */
  readonly context?: unknown;
  /** No function may take longer, whatever its own timeout is. */
  readonly functionTimeoutMs?: number | undefined;
  /** Gives functions up, and nothing else. */
  readonly functionSignal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 60_000;
const DETAIL_CHARACTERS = 200;
const FEEDBACK_CHARACTERS = 8 * 1024;

/** Calls a function of the caller's. One that throws, never answers or answers nothing of use has not answered. */
export async function probeFunction(
  { name }: { readonly name: string },
  { functions = {}, context, functionTimeoutMs = Number.POSITIVE_INFINITY, functionSignal }: FunctionSetting,
  stop: AbortSignal | undefined,
): Promise<ProbeResult> {
  const signal = AbortSignal.any([stop, functionSignal].filter((one) => one !== undefined));
  const call = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (typeof call !== 'function') return { detail: `there is no function ${name}` };
  if (signal.aborted) return { detail: `the function ${name} was not called` };
  const { ended, clear, givenUp } = patience(Math.min(functionTimeoutMs, call.timeoutMs ?? TIMEOUT_MS), signal);
  try {
    const answer: unknown = await Promise.race([invoke(call, context, givenUp), ended]);
    return answer instanceof GivenUp ? { detail: `the function ${name} ${answer.why}` } : read(answer, name);
  } catch (error) {
    return { detail: short(`the function ${name} failed: ${textOf(error)}`) };
  } finally {
    clear();
  }
}

/** What it throws at once is a rejection like any other. */
async function invoke(call: ConditionFunction, context: unknown, signal: AbortSignal): Promise<unknown> {
  return call(context, signal);
}

/** Why no one waits any longer. */
class GivenUp {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** `givenUp` tells the function that no one waits for it any longer. */
function patience(timeoutMs: number, signal: AbortSignal) {
  const clear = new AbortController();
  const givenUp = new AbortController();
  const ended = new Promise<GivenUp>((resolve) => {
    const giveUp = (why: string) => {
      resolve(new GivenUp(why));
      givenUp.abort();
    };
    const late = () => giveUp(`did not answer within ${formatDuration(timeoutMs)}`);
    const timer = setTimeout(late, timeoutMs);
    clear.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', () => giveUp('was interrupted'), { signal: clear.signal });
  });
  return { ended, clear: () => clear.abort(), givenUp: givenUp.signal };
}

function read(answer: unknown, name: string): ProbeResult {
  if (typeof answer === 'boolean') return { met: answer, detail: `the function ${name} says ${answer ? 'yes' : 'no'}` };
  const { met, reason, feedback } = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<
    string,
    unknown
  >;
  if (typeof met !== 'boolean') return { detail: `the function ${name} answered neither true nor false` };
  const detail = typeof reason === 'string' && reason !== '' ? short(reason) : read(met, name).detail;
  return typeof feedback === 'string'
    ? { met, detail, feedback: headOf(feedback, FEEDBACK_CHARACTERS) }
    : { met, detail };
}

/** Anything may be thrown, even what cannot be shown. */
function textOf(error: unknown): string {
  try {
    return messageOf(error);
  } catch {
    return 'it threw something that cannot be shown';
  }
}

function short(text: string): string {
  return headOf(text, DETAIL_CHARACTERS);
}
