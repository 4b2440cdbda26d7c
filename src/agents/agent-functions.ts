import * as z from 'zod/mini';
import type { AgentEvent } from '../model/agent-event.js';
import { headOf } from '../model/figures.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { readValue } from '../model/read-value.js';
import { clip, isRecord, showValue } from '../model/show-value.js';
import { field, must, optional, signals } from '../model/fields.js';
import { didYouMean } from '../model/nearest.js';
import type { AgentAdapter, Invocation, LineReader } from './adapter.js';
import { eventFaults } from './event-faults.js';
import { AGENT_NAMES } from './find-adapter.js';
import { readAlone } from './line-reader.js';
import { errorEvent } from './provider-failure.js';

type Optional = 'canResume' | 'signals' | 'graceMs' | 'tellsResult' | 'parseError';

/** An agent CLI by functions, for what data cannot express. */
export interface AgentFunctions
  extends Pick<AgentAdapter, 'name' | 'usage' | 'invocation' | 'parse'>,
    Partial<Pick<AgentAdapter, Optional>> {}

const GRACE_MS = 3000;
const MOST_GRACE_MS = 60_000;
const LINE_CHARACTERS = 200;

/** The adapter of such functions. Their mistakes are errors of the agent, not of the run. Throws ConfigError. */
export function adapterOf(functions: AgentFunctions): AgentAdapter {
  const issues = issuesOf(functions);
  if (issues.length > 0) throw new ConfigError(issues);
  const { name, usage, canResume = false, signals = ['SIGTERM'], graceMs = GRACE_MS, tellsResult = false } = functions;
  const reader = () => functionReader(functions);
  return {
    name,
    usage,
    canResume,
    signals,
    graceMs,
    tellsResult,
    invocation: (agent, request) => checkedInvocation(name, () => functions.invocation(agent, request)),
    parse: (line) => readAlone(reader(), line),
    reader,
  };
}

const isFunction = z.custom((value) => typeof value === 'function', must('a function'));

const KEYS = {
  name: z.string(must('letters, digits, "_" and "-"')).check(
    z.regex(/^[A-Za-z][\w-]{0,63}$/),
    z.refine((name) => !AGENT_NAMES.includes(name), {
      error: ({ input }) =>
        `must not be a name that Pawl already knows (${AGENT_NAMES.join(', ')}), not ${showValue(input)}`,
    }),
  ),
  usage: z.enum(['live', 'end', 'none'], must('live, end or none')),
  invocation: isFunction,
  parse: isFunction,
  canResume: optional(field.flag),
  signals: optional(signals),
  graceMs: optional(z.number(must(`from 0 to ${MOST_GRACE_MS}`)).check(z.gte(0), z.lte(MOST_GRACE_MS))),
  tellsResult: optional(field.flag),
  parseError: optional(isFunction),
} satisfies { readonly [K in keyof AgentFunctions]-?: z.ZodMiniType };

function issuesOf(functions: AgentFunctions): readonly Issue[] {
  const prototype: unknown = Object.getPrototypeOf(functions);
  // Instances of a user's class may have any keys.
  const isPlain = prototype === Object.prototype || prototype === null;
  const { faults } = readValue<object>(isPlain ? z.strictObject(KEYS) : z.object(KEYS), functions);
  return faults.map(({ kind, path, message, known }) => {
    const key = String(path[0]);
    if (kind === 'missing') return { path: key, message: `must be ${message}, not nothing` };
    if (kind !== 'unknown-key') return { path: key, message };
    const hint = didYouMean(key, known) || `; an agent by functions has ${known.join(', ')}`;
    return { path: clip(key), message: `unknown key${hint}` };
  });
}

function checkedInvocation(name: string, make: () => Invocation): Invocation {
  const made: unknown = attempt(name, 'invocation', make);
  const { command, args, env, input } = isRecord(made) ? made : {};
  const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0');
  const isRight =
    isText(command) &&
    command !== '' &&
    Array.isArray(args) &&
    args.every(isText) &&
    isRecord(env) &&
    Object.values(env).every((value) => value === undefined || isText(value)) &&
    typeof input === 'string';
  if (isRight) return made as Invocation;
  throw problem(
    name,
    'invocation must return { command, args, env, input }: a text, a list of texts, texts by name, a text',
  );
}

function attempt<T>(name: string, what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw problem(name, `${what} threw: ${thrownWords(error)}`);
  }
}

function problem(name: string, message: string): ConfigError {
  return new ConfigError([{ path: name, message }]);
}

/**
 * Reads lines with functions of the user. If they throw, or return something that is not an event, it is not known what was
 * lost. So an iteration with such a mistake has failed, whatever else the agent reports.
 */
function functionReader(functions: AgentFunctions): LineReader {
  const { name } = functions;
  let first: string | undefined;
  let lastError: string | undefined;
  const read = (what: 'parse' | 'parseError', line: string): readonly AgentEvent[] => {
    const made = eventsOf(() => functions[what]?.(line) ?? (what === 'parse' ? undefined : []));
    if (typeof made !== 'string') {
      for (const event of made) if (event.kind === 'error') lastError = event.message;
      return made.map((event) => (event.kind === 'error' ? errorEvent(event.error, event.message) : event));
    }
    // Reported once, even if every line has the mistake.
    if (first !== undefined) return [];
    first = `the agent ${name}: ${what} ${made}, for the line ${showLine(line)}`;
    lastError = first;
    return [mistake(first)];
  };
  return {
    read: (line) => read('parse', line),
    readError: (line) => read('parseError', line),
    end() {
      if (first === undefined) return [];
      return [...(lastError === first ? [] : [mistake(first)]), { kind: 'result', outcome: 'error' }];
    },
  };
}

/** The events, or what is wrong with the returned value. */
function eventsOf(make: () => unknown): readonly AgentEvent[] | string {
  try {
    const made = make();
    if (made instanceof Promise) {
      // An unhandled rejection would end the process.
      made.catch(() => undefined);
      return 'must return a list of events, not a promise';
    }
    if (!Array.isArray(made)) return `must return a list of events, not ${showValue(made)}`;
    const faults = made.flatMap(eventFaults);
    if (faults.length === 0) return made as readonly AgentEvent[];
    return `returned an invalid event: ${faults.slice(0, 5).join(', ')}`;
  } catch (error) {
    return `threw: ${thrownWords(error)}`;
  }
}

function thrownWords(error: unknown): string {
  return error instanceof Error ? error.message : showValue(error);
}

function mistake(message: string): AgentEvent {
  return { kind: 'error', error: 'other', message };
}

function showLine(line: string): string {
  return JSON.stringify(line.length > LINE_CHARACTERS ? `${headOf(line, LINE_CHARACTERS)}…` : line);
}
