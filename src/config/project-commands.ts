import { type ConditionOf, leavesOf } from '../model/condition.js';
import { policyEntries } from '../model/policy.js';
import { itemPath, keyPath } from './key-path.js';
import type { Origins } from './origin.js';
import type { ResolvedConfig } from './resolve-layers.js';

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
  /** All of it: by this it is known again. */
  readonly whole: string;
}

type Config = Pick<ResolvedConfig, 'spec' | 'origins'>;

/** What the project's own file names, as far as it is in force. What flags, variables or the user's own file say is not in it. */
export function projectCommands(config: Config): readonly ProjectCommand[] {
  const { spec, origins } = config;
  const { tests, checks, hooks, notify } = spec;
  const found = [
    ...agentCommands(config),
    one(origins, 'tests', 'tests', tests?.command),
    ...Object.entries(checks).map(([name, { command }]) =>
      one(origins, keyPath('checks', name), `check ${name}`, command),
    ),
    ...Object.entries(hooks).map(([name, hook]) => one(origins, `hooks.${name}`, `hook ${name}`, hook?.command)),
    ...scripts(config),
    one(origins, 'notify.command', 'notify', notify.command),
    one(origins, 'notify.webhook', 'posts to', hostOf(notify.webhook), notify.webhook),
  ];
  return found.filter((command) => command !== undefined);
}

/** What makes the agent another program, or lets it do more. Which of the known agents it is does neither. */
function agentCommands({ spec, origins }: Config): readonly (ProjectCommand | undefined)[] {
  const { command, args, env, permissions, allow, name, definition } = spec.agent;
  const own = definition === undefined ? undefined : [...definition.command, ...definition.args];
  // Flags may have added some of their own.
  const given = args.filter((_, index) => originOf(origins, itemPath('agent.args', index)) !== undefined);
  const isWhole = originOf(origins, 'agent.args') !== undefined;
  const words = isWhole ? args : given;
  return [
    one(origins, 'agent.command', 'agent', wordsOf(command)),
    one(origins, keyPath('agents', name), `agent ${name}`, wordsOf(own)),
    words.length === 0
      ? undefined
      : one(origins, isWhole ? 'agent.args' : 'agent.args[0]', 'agent arguments', wordsOf(words)),
    ...Object.entries(env).flatMap(([variable, value]) =>
      ['env', 'agent.env'].map((path) =>
        one(origins, keyPath(path, variable), 'agent variable', variable, `${variable}=${value}`),
      ),
    ),
    permissions === 'bypass'
      ? one(origins, 'agent.permissions', 'agent may do', 'everything, unasked (permissions: bypass)')
      : undefined,
    allow.length === 0 ? undefined : one(origins, 'agent.allow', 'agent may run', allow.join(', ')),
  ];
}

function scripts({ spec, origins }: Config): readonly (ProjectCommand | undefined)[] {
  return policyEntries(spec.policy).flatMap(({ path, condition }) =>
    leavesOf(condition)
      .filter((leaf): leaf is ConditionOf<'custom_script'> => leaf.type === 'custom_script')
      .map(({ script, args = [] }) => one(origins, path, 'script', wordsOf([script, ...args]))),
  );
}

function one(
  origins: Origins,
  path: string,
  what: string,
  shown: string | undefined,
  whole = shown,
): ProjectCommand | undefined {
  const origin = originOf(origins, path);
  if (shown === undefined || whole === undefined || origin === undefined) return undefined;
  return { path, place: origin.place, what, shown, whole };
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
  return address === undefined ? undefined : new URL(address).host;
}
