import { AGENT_NAMES } from '../agents/find-adapter.js';
import type { AgentDefinition, EventRules, FieldMatch, FieldPaths, UsageRule } from '../model/agent-definition.js';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import { didYouMean } from '../model/nearest.js';
import type { ConfigValues } from './config-shape.js';
import type { Layer } from './layer.js';
import { keyPath } from './source-node.js';
import { splitCommand } from './split-command.js';

type OwnAgent = NonNullable<ConfigValues['agents']>[string];
type Events = NonNullable<OwnAgent['events']>;
type Usage = NonNullable<Events['usage']>;
type One = string | number | boolean;

/** How the agent that a config names is called and read, if it is one of its own. */
export function definitionOf({ agents = {}, agent }: ConfigValues): AgentDefinition | undefined {
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
  const message = `there is no agent ${JSON.stringify(name.slice(0, 60))}${didYouMean(name, known) || `; there are ${known.slice(0, 20).join(', ')}`}`;
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
    say('.resume_flag', 'no rule under events names the session, so there is none to continue');
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
