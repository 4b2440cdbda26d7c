import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseDuration } from '../model/duration.js';
import type { Policy } from '../model/policy.js';
import type {
  AgentSpec,
  CommandSpec,
  HookName,
  HookSpec,
  ModelRates,
  ReviewSpec,
  RunSpec,
  TestsSpec,
} from '../model/run-spec.js';
import { CONFIG_KEYS, type ConfigValues } from './config-shape.js';
import { definitionOf } from './own-agent.js';
import { placeOutside } from './real-place.js';
import { splitCommand } from './split-command.js';

type Tests = NonNullable<ConfigValues['tests']>;
type Command = NonNullable<ConfigValues['checks']>[string];
type Hook = NonNullable<NonNullable<ConfigValues['hooks']>['on_stop']>;

/** The agent that is any program. */
const OWN_PROGRAM = 'command';
const PROMPT_NAMES = ['PROMPT.md', CONFIG_KEYS.prompt_path.default];

/** The run spec of settings that are complete and valid. */
export function buildSpec(
  values: ConfigValues,
  policy: Policy,
  paths: { readonly workingDir: string; readonly promptPath: string },
): RunSpec {
  const { workingDir, promptPath } = paths;
  const promptPlace = placeOutside(promptPath, workingDir);
  return {
    workingDir,
    promptPath,
    ...(promptPlace === undefined ? {} : { promptPlace }),
    ...(values.prompt === undefined ? {} : { prompt: values.prompt }),
    agent: agentOf(values),
    policy,
    ...(values.tests === undefined ? {} : { tests: testsOf(values.tests) }),
    checks: mapValues(values.checks ?? {}, commandOf),
    ...(values.review === undefined ? {} : { review: reviewOf(values.review) }),
    iterationDelayMs: milliseconds(values.iteration_delay),
    iterationTimeoutMs: milliseconds(values.iteration_timeout),
    idleTimeoutMs: milliseconds(values.idle_timeout),
    maxWaitMs: milliseconds(values.max_wait),
    questions: {
      callWaitMs: milliseconds(values.questions?.call_wait),
      maxWaitMs: milliseconds(values.questions?.max_wait),
    },
    contextRedlinePercent: present(values.context_redline_percent),
    attendedMode: present(values.attended_mode),
    session: sessionOf(values, workingDir),
    hooks: hooksOf(values.hooks ?? {}),
    commit: present(values.commit),
    trackFileChanges: present(values.track_file_changes),
    ...(values.progress?.also === undefined || values.progress.also.length === 0
      ? {}
      : { progressAlso: values.progress.also }),
    ...(values.tests_may_change === undefined || values.tests_may_change.length === 0
      ? {}
      : { testsMayChange: values.tests_may_change }),
    parseTests: present(values.parse_tests),
    statusLine: present(values.status_line),
    notify: { ...values.notify },
    prices: mapValues(values.prices ?? {}, ratesOf),
  };
}

/** The prompt where none was named: `PROMPT.md` or `prompt.md`, whichever is there. */
export function defaultPromptPath(workingDir: string): string {
  const name = PROMPT_NAMES.find((candidate) => existsSync(join(workingDir, candidate)));
  return join(workingDir, name ?? CONFIG_KEYS.prompt_path.default);
}

function agentOf(values: ConfigValues): AgentSpec {
  const { agent, env } = values;
  const definition = definitionOf(values);
  const { name, command, args, model, permissions, allow } = present(agent);
  const words = typeof command === 'string' ? splitCommand(command) : command;
  return {
    name: present(name),
    ...(words === undefined ? {} : { command: words }),
    args: present(args),
    ...(model === undefined ? {} : { model }),
    env: { ...env, ...agent?.env },
    permissions: present(permissions),
    allow: present(allow),
    ...(definition === undefined ? {} : { definition }),
  };
}

function reviewOf(review: NonNullable<ConfigValues['review']>): ReviewSpec {
  const { when, every, max_cost, timeout, goal } = review;
  const agent = reviewerOf(review);
  return {
    ...(agent === undefined ? {} : { agent }),
    when: present(when),
    ...(every === undefined ? {} : { every }),
    maxCostUsd: present(max_cost),
    timeoutMs: milliseconds(timeout),
    ...(goal === undefined ? {} : { goal }),
  };
}

/** Without an agent's name it is a program of the user's own; without both it is given in code. */
function reviewerOf({ agent, command, args = [], model, env }: NonNullable<ConfigValues['review']>) {
  if (agent === undefined && command === undefined) return undefined;
  const words = typeof command === 'string' ? splitCommand(command) : command;
  return {
    name: agent ?? OWN_PROGRAM,
    ...(words === undefined ? {} : { command: words }),
    args,
    ...(model === undefined ? {} : { model }),
    env: { ...env },
    permissions: 'agent' as const,
    allow: [],
  };
}

function sessionOf({ session }: ConfigValues, workingDir: string): RunSpec['session'] {
  const { mode, timeout, persist, state_dir } = present(session);
  return {
    mode: present(mode),
    timeoutMs: milliseconds(timeout),
    persist: present(persist),
    stateDir: resolve(workingDir, present(state_dir)),
  };
}

function commandOf({ command, timeout }: Command): CommandSpec {
  return { command, timeoutMs: milliseconds(timeout) };
}

function testsOf({ report, ...command }: Tests): TestsSpec {
  return { ...commandOf(command), ...(report === undefined ? {} : { report }) };
}

function hooksOf(hooks: NonNullable<ConfigValues['hooks']>): RunSpec['hooks'] {
  const entries = Object.entries(hooks) as [HookName, Hook][];
  return Object.fromEntries(entries.map(([name, hook]) => [name, hookOf(hook)]));
}

function hookOf({ command, timeout, on_failure }: Hook): HookSpec {
  return { command, timeoutMs: milliseconds(timeout), onFailure: present(on_failure) };
}

function ratesOf(price: NonNullable<ConfigValues['prices']>[string]): ModelRates {
  return {
    input: price.input,
    output: price.output,
    ...(price.cache_read === undefined ? {} : { cacheRead: price.cache_read }),
    ...(price.cache_write === undefined ? {} : { cacheWrite: price.cache_write }),
    ...(price.cache_write_hour === undefined ? {} : { cacheWriteHour: price.cache_write_hour }),
  };
}

function milliseconds(duration: string | 0 | undefined): number {
  const text = present(duration);
  return text === 0 ? 0 : present(parseDuration(text));
}

/** For what validation and the defaults have made sure of. */
function present<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a setting without a default was not checked');
  return value;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
