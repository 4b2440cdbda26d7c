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
import { placeOutside } from './config-file.js';
import { keyPath } from '../model/read-value.js';
import { defaultOf } from './shape.js';
import { splitCommand } from './split-command.js';
import { AGENT_NAMES } from '../agents/find-adapter.js';
import type { AgentDefinition, EventRules, FieldMatch, FieldPaths, UsageRule } from '../model/agent-definition.js';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { didYouMean } from '../model/nearest.js';
import type { Layer } from './layer.js';

type Tests = NonNullable<ConfigValues['tests']>;
type Command = NonNullable<ConfigValues['checks']>[string];
type Hook = NonNullable<NonNullable<ConfigValues['hooks']>['on_stop']>;

/** The agent that is any program. */
const OWN_PROGRAM = 'command';
const DEFAULT_PROMPT = defaultOf(CONFIG_KEYS.prompt_path);
const PROMPT_NAMES = ['PROMPT.md', DEFAULT_PROMPT];

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
    ...(values.records === undefined ? {} : { records: values.records }),
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
  return join(workingDir, name ?? DEFAULT_PROMPT);
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

type OwnAgent = NonNullable<ConfigValues['agents']>[string];
type Events = NonNullable<OwnAgent['events']>;
type Usage = NonNullable<Events['usage']>;
type One = string | number | boolean;

/** How the agent that a config names is called and read, if it is one of its own. */
function definitionOf({ agents = {}, agent }: ConfigValues): AgentDefinition | undefined {
  const name = agent?.name;
  const own = name === undefined || !Object.hasOwn(agents, name) ? undefined : agents[name];
  if (name === undefined || own === undefined) return undefined;
  const { command, args = [], model_flag: modelFlag, resume_flag: resumeFlag, signals = ['SIGTERM'] } = own;
  const events = rulesOf(own.events ?? {});
  const hasRules = Object.keys(events).length > 0;
  return {
    name,
    command: typeof command === 'string' ? (splitCommand(command) ?? []) : command,
    args,
    ...given({ modelFlag, resumeFlag }),
    usage: own.usage ?? (hasRules && events.usage === undefined ? 'none' : 'live'),
    signals,
    output: own.output ?? (hasRules ? 'ignore' : 'text'),
    ...(hasRules ? { events } : {}),
  };
}

function rulesOf({ session, text, tool_call, tool_result, usage, limit, error, result }: Events): EventRules {
  return given({
    session: session && ruleOf(session, { id: session.id }),
    text: text && ruleOf(text, { text: text.text }),
    toolCall:
      tool_call &&
      ruleOf(tool_call, { each: tool_call.each, name: tool_call.name, id: tool_call.id, input: tool_call.input }),
    toolResult: tool_result && {
      ...ruleOf(tool_result, { each: tool_result.each, output: tool_result.output, id: tool_result.id }),
      ...given({ failedWhen: matchOf(tool_result.failed_when) }),
    },
    usage: usage && usageOf(usage),
    limit: limit && {
      ...ruleOf(limit, { message: limit.message, resetsAt: limit.resets_at }),
      limit: limit.limit ?? 'usage-limit',
    },
    error: error && ruleOf(error, { message: error.message, status: error.status }),
    result: result && {
      ...ruleOf(result, { text: result.text }),
      ...given({ successWhen: matchOf(result.success_when) }),
    },
  });
}

function usageOf(usage: Usage): UsageRule {
  const { input, output, cache_read, cache_write, reasoning, total, cost, model, id, session } = usage;
  const paths = {
    input,
    output,
    cacheRead: cache_read,
    cacheWrite: cache_write,
    reasoning,
    total,
    cost,
    model,
    id,
    session,
  };
  return {
    ...ruleOf(usage, paths),
    scope: usage.scope ?? 'request',
    inputIncludesCache: usage.input_includes_cache ?? true,
    outputIncludesReasoning: usage.output_includes_reasoning ?? true,
  };
}

type AllPaths<P> = { readonly [K in keyof P]: FieldPaths | Extract<P[K], undefined> };

/** A rule with its condition and its paths, each as a list. */
function ruleOf<P extends Readonly<Record<string, string | FieldPaths | undefined>>>(
  { when }: { readonly when?: Readonly<Record<string, One | readonly One[]>> | undefined },
  paths: P,
): AllPaths<P> & { readonly when: FieldMatch } {
  const lists = Object.entries(given(paths)).map(([key, path]) => [key, listOf(path)]);
  return { when: matchOf(when) ?? {}, ...(Object.fromEntries(lists) as AllPaths<P>) };
}

function matchOf(match: Readonly<Record<string, One | readonly One[]>> | undefined): FieldMatch | undefined {
  if (match === undefined) return undefined;
  return Object.fromEntries(Object.entries(match).map(([path, values]) => [path, listOf(values)]));
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** Without what is not there: the definition is recorded. */
function given<T extends object>(values: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** What takes more than one value of `agents` to see. */
export function ownAgentIssues(values: ConfigValues, layers: readonly Layer[]): readonly Issue[] {
  const { agents = {}, agent } = values;
  const own = Object.entries(agents).flatMap(([name, one]) => {
    const layer = layers.findLast(({ values: { agents: given } }) => given !== undefined && Object.hasOwn(given, name));
    const at = keyPath('agents', name);
    return issuesOf(one).map(({ path, message }) => locate(layer, { path: `${at}${path}`, message }));
  });
  const name = agent?.name;
  const known = [...AGENT_NAMES, ...Object.keys(agents)];
  if (Object.keys(agents).length === 0 || name === undefined || known.includes(name)) return own;
  const layer = layers.findLast(({ values: { agent: given } }) => given?.name !== undefined);
  const message = `there is no agent ${JSON.stringify(name.slice(0, 60))}${didYouMean(name, known) || `; known agents: ${known.slice(0, 20).join(', ')}`}`;
  return [...own, locate(layer, { path: 'agent.name', message })];
}

function locate(layer: Layer | undefined, issue: Issue): Issue {
  return layer?.locate(issue) ?? issue;
}

function issuesOf({ events = {}, usage, model_flag, resume_flag }: OwnAgent): readonly Issue[] {
  const issues: Issue[] = [...flagIssues('model_flag', model_flag), ...flagIssues('resume_flag', resume_flag)];
  const say = (path: string, message: string) => void issues.push({ path, message });
  const hasRules = Object.keys(events).length > 0;
  if (events.usage !== undefined) issues.push(...usageIssues(events.usage));
  if (events.usage !== undefined && usage === 'none')
    say('.usage', 'there is also a rule for usage; remove one of the two');
  if (hasRules && events.usage === undefined && usage !== undefined && usage !== 'none') {
    say('.usage', `no rule under events reports usage, so it cannot be ${usage}`);
  }
  if (hasRules && events.session === undefined && resume_flag !== undefined) {
    say('.resume_flag', 'no rule under events names the session, so it cannot be continued');
  }
  const { result } = events;
  if (result !== undefined && result.text === undefined && Object.keys(result.when ?? {}).length === 0) {
    say('.events.result', 'needs when or text: without them it would match every line');
  }
  return issues;
}

/** It is one argument: the program would look for a flag with a space in its name. */
function flagIssues(key: string, flag: string | undefined): readonly Issue[] {
  if (flag === undefined || !/\s/.test(flag)) return [];
  const [first = '', ...others] = flag.trim().split(/\s+/);
  const hint = others.length === 0 ? first : `${first}, and put ${others.join(' ')} under args or command`;
  return [
    { path: `.${key}`, message: `must be one word, such as --resume or --resume=, without spaces: ${clip(hint)}` },
  ];
}

function usageIssues(usage: Usage): readonly Issue[] {
  const { input, output, cache_read, cache_write, reasoning, total, cost, input_includes_cache } = usage;
  const path = '.events.usage';
  if ([input, output, cache_read, cache_write, reasoning, total, cost].every((figure) => figure === undefined)) {
    return [{ path, message: 'needs the path of a figure: input, output, total or cost' }];
  }
  const hasCache = cache_read !== undefined || cache_write !== undefined;
  if (!hasCache || input === undefined || input_includes_cache !== undefined) return [];
  return [{ path, message: 'needs input_includes_cache: are the tokens of the cache a part of input?' }];
}
