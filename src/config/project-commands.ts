import { leavesOf, type StopCondition } from '../model/condition.js';
import { canonicalJson } from '../model/json.js';
import { policyEntries, lowestLimit, type PolicyEntry } from '../model/policy.js';
import type { AgentSpec, RunSpec } from '../model/run-spec.js';
import { isInside, placeOutside, realPlace } from './config-file.js';
import { itemPath, keyPath } from '../model/read-value.js';
import type { Origins } from './layer.js';
import type { ResolvedConfig } from './load-config.js';
import { programOf, limitOf } from '../model/condition-catalog.js';
import type { Quantity } from '../model/judging/quantity.js';

/** Something that a project's config would have executed, or would have an agent do, on the user's machine. */
export interface ProjectCommand {
  /** The key path that it stands at. */
  readonly path: string;
  /** File, line and column. */
  readonly place: string | undefined;
  /** What it is, such as `tests` or `hook on_stop`. */
  readonly what: string;
  /** As it is to be shown: no value of a variable, of an address only the host. */
  readonly shown: string;
  /** All of it, as canonical JSON: by this it is known again. What stands under `agent` is one whole. */
  readonly whole: string;
}

type Config = Pick<ResolvedConfig, 'spec' | 'origins'>;

/** A config, and the folders that its user has chosen: the one that he is in, and that of the file. */
type ProjectConfig = Config & { readonly folders: readonly string[] };

/** Says where a value stands; undefined when it is not the project's. */
type Find = (path: string) => { readonly place?: string | undefined } | undefined;

/** What the project's own file names, as far as it is in force. What flags, variables or the user's own file say is not in it. */
export function projectCommands({ spec, origins, folders }: ProjectConfig): readonly ProjectCommand[] {
  const more = [
    outsideFolder({ spec, origins, folders }),
    outsidePrompt({ spec, origins }),
    unboundedRun({ spec, origins }),
  ];
  return [...commandsIn(spec, (path) => originOf(origins, path)), ...more.filter((one) => one !== undefined)];
}

/** A working directory that only the project names: everything in it is the agent's to read and to change. */
function outsideFolder({ spec: { workingDir }, origins, folders }: ProjectConfig): ProjectCommand | undefined {
  const { source, place } = origins['working_dir'] ?? {};
  if (source !== 'project-file' || folders.some((folder) => isInside(workingDir, folder))) return undefined;
  const shown = realPlace(workingDir);
  return { path: 'working_dir', place, what: 'works in', shown, whole: shown };
}

/** A prompt file that lies outside the folder, unless the user has named it: its text goes to the model and into the record. */
export function outsidePrompt({ spec, origins }: Config): ProjectCommand | undefined {
  const { prompt, promptPath, workingDir } = spec;
  const { source, place } = origins['prompt_path'] ?? { source: 'default' };
  if (prompt !== undefined || (source !== 'project-file' && source !== 'default')) return undefined;
  return sentFile('prompt_path', place, promptPath, workingDir);
}

/** A file whose text is sent to the model; undefined when it lies in the folder. */
export function sentFile(
  path: string,
  place: string | undefined,
  file: string,
  workingDir: string,
): ProjectCommand | undefined {
  const shown = placeOutside(file, workingDir);
  return shown === undefined ? undefined : { path, place, what: 'sends to the model', shown, whole: shown };
}

/** Limits of the project that bound nothing: its agent would work, and cost, for as long as it likes. */
function unboundedRun({ spec, origins }: Config): ProjectCommand | undefined {
  const set = Object.entries(origins).find(
    ([path, { source }]) =>
      source === 'project-file' && /^(?:max_iterations$|stop\.limits|stop\.conditions)/.test(path),
  );
  const shown = set === undefined ? undefined : unboundedText(spec);
  if (set === undefined || shown === undefined) return undefined;
  const [path, { place }] = set;
  return { path, place, what: 'runs', shown, whole: shown };
}

/** Everything that a run of this spec executes, whoever has said so. */
export function specCommands(spec: RunSpec): readonly ProjectCommand[] {
  const { command, definition, name } = spec.agent;
  const whole = canonicalJson(spec.agent);
  const isKnown = command === undefined && definition === undefined;
  const named = isKnown ? [{ path: 'agent.name', place: undefined, what: 'agent', shown: name, whole }] : [];
  // A variable is one, by whichever of the two keys it was set.
  return [...named, ...commandsIn(spec, (path) => (/^env\b/.test(path) ? undefined : {}))];
}

function commandsIn(spec: RunSpec, find: Find): readonly ProjectCommand[] {
  const { tests, checks, hooks, notify } = spec;
  const one = (path: string, what: string, shown: string | undefined, whole: unknown = shown) =>
    commandAt(find, { path, what, shown, whole });
  const found = [
    ...agentCommands(spec.agent, find),
    one('tests', 'tests', tests?.command),
    ...reviewCommands(spec.review, one),
    ...Object.entries(checks).map(([name, { command }]) => one(keyPath('checks', name), `check ${name}`, command)),
    ...Object.entries(hooks).map(([name, hook]) => one(`hooks.${name}`, `hook ${name}`, hook?.command)),
    ...scriptsIn(spec).map(({ path, words }) => one(path, 'script', wordsOf(words), words)),
    one('notify.command', 'notify', notify.command),
    one('notify.webhook', 'posts to', hostOf(notify.webhook), notify.webhook),
  ];
  return found.filter((command) => command !== undefined);
}

type One = (path: string, what: string, shown: string | undefined, whole?: unknown) => ProjectCommand | undefined;

/** One whole, as an agent is. */
function reviewCommands(review: RunSpec['review'], one: One): readonly (ProjectCommand | undefined)[] {
  const { agent } = review ?? {};
  if (agent === undefined) return [];
  const { command, args, env } = agent;
  return [
    one('review.command', 'review', wordsOf(command), agent),
    args.length === 0 ? undefined : one('review.args', 'review arguments', wordsOf(args), agent),
    ...Object.keys(env).map((variable) => one(keyPath('review.env', variable), 'review variable', variable, agent)),
  ];
}

/** What makes the agent another program, or lets it do more. Which of the known agents it is does neither. */
function agentCommands(agent: AgentSpec, find: Find): readonly (ProjectCommand | undefined)[] {
  const { command, env, allow, name, model, definition } = agent;
  const args = ownArguments(agent, find);
  const variables = Object.keys(env).flatMap((variable) =>
    ['env', 'agent.env'].map((parent) => ({ path: keyPath(parent, variable), variable })),
  );
  const ownVariables = variables.filter(({ path }) => find(path) !== undefined);
  const isOwn = definition !== undefined || find('agent.command') !== undefined;
  // One whole: what was confirmed of one agent is not confirmed of another.
  const whole = {
    ...agent,
    args,
    env: ownVariables.map(({ path, variable }) => [path, variable, env[variable]]),
    model: find('agent.model') === undefined ? undefined : model,
  };
  const one = (path: string, what: string, shown: string | undefined) => commandAt(find, { path, what, shown, whole });
  const ofDefinition = (what: string, shown: string | undefined) => one(keyPath('agents', name), what, shown);
  return [
    one('agent.command', 'agent', wordsOf(command)),
    ofDefinition(`agent ${name}`, definition && wordsOf([...definition.command, ...definition.args])),
    ofDefinition('flag for a model', definition?.modelFlag),
    ofDefinition('flag for a session', definition?.resumeFlag),
    isOwn ? one('agent.model', 'agent model', model) : undefined,
    args.length === 0
      ? undefined
      : one(find('agent.args') === undefined ? 'agent.args[0]' : 'agent.args', 'agent arguments', wordsOf(args)),
    ...ownVariables.map(({ path, variable }) => one(path, 'agent variable', variable)),
    one('agent.permissions', 'agent may do', permitted(agent)),
    allow.length === 0 ? undefined : one('agent.allow', 'agent may run', wordsOf(allow)),
  ];
}

/** Flags may have added some of their own. */
function ownArguments({ args }: AgentSpec, find: Find): readonly string[] {
  if (find('agent.args') !== undefined) return args;
  return args.filter((_, index) => find(itemPath('agent.args', index)) !== undefined);
}

function permitted({ permissions }: AgentSpec): string | undefined {
  if (permissions === 'bypass') return 'everything, without asking (permissions: bypass)';
  // For some agents that is everything, and for others it is written in the project.
  return permissions === 'agent' ? 'whatever its own settings allow, without asking (permissions: agent)' : undefined;
}

function scriptsIn({ policy }: RunSpec): readonly { readonly path: string; readonly words: readonly string[] }[] {
  return policyEntries(policy).flatMap(({ path, condition }) =>
    leavesOf(condition).flatMap((leaf) => {
      const words = programOf(leaf);
      return words === undefined ? [] : [{ path, words }];
    }),
  );
}

interface Found {
  readonly path: string;
  readonly what: string;
  readonly shown: string | undefined;
  readonly whole: unknown;
}

function commandAt(find: Find, { path, what, shown, whole }: Found): ProjectCommand | undefined {
  const origin = find(path);
  if (shown === undefined || origin === undefined) return undefined;
  return { path, place: origin.place, what, shown, whole: canonicalJson(whole) };
}

/** Undefined when it is not the project's. */
function originOf(origins: Origins, path: string): Origins[string] | undefined {
  return [origins[path], origins[`${path}.command`]].find((origin) => origin?.source === 'project-file');
}

function wordsOf(words: readonly string[] | undefined): string | undefined {
  return words?.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The rest of the address may be what keeps others from posting. */
function hostOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return address;
  return new URL(address).host;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST: Readonly<Partial<Record<Quantity, number>>> = {
  iterations: 1000,
  costUsd: 1000,
  dayCostUsd: 1000,
  totalTokens: 1_000_000_000,
  inputTokens: 1_000_000_000,
  outputTokens: 1_000_000_000,
  activeMs: 7 * DAY_MS,
  atMs: Number.POSITIVE_INFINITY,
};

/** What a run whose limits bound nothing does, in words; undefined when one of them bounds it. */
function unboundedText({ policy }: RunSpec): string | undefined {
  const entries = policyEntries(policy);
  const limits = entries.filter((entry) => entry.class === 'limit').map(({ condition }) => condition);
  if (limits.some(isBound)) return undefined;
  const most = lowestLimit(limits, 'iterations')?.toLocaleString('en-US');
  const length = most === undefined ? 'without a limit' : `up to ${most} iterations, without another limit`;
  return entries.some(givesUp) ? length : `${length}, and never gives up`;
}

function givesUp({ class: stopClass, condition }: PolicyEntry): boolean {
  return stopClass === 'failure' && condition.type !== 'never';
}

/** An amount that a run can really reach. */
function isBound(condition: StopCondition): boolean {
  const { quantity, amount } = limitOf(condition) ?? {};
  return quantity !== undefined && amount !== undefined && amount <= (MOST[quantity] ?? Number.NEGATIVE_INFINITY);
}
