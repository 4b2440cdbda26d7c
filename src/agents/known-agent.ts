import type { AgentEnvironment, ReviewAdapter, AgentRequest, Invocation } from './adapter.js';
import type { AgentSpec } from '../model/run-spec.js';

/** The folder in which an agent CLI keeps its settings, logins and sessions. */
export interface AgentHome {
  /** Names another folder. */
  readonly variable: string;
  /** The usual one, in the home of the user. Empty: that home itself. */
  readonly folder: string;
}

/** An agent CLI that Pawl knows. Everything about it is in this object; every list of agents is made from these objects. */
export interface KnownAgent extends ReviewAdapter {
  /** Its name for people, such as "Claude Code". */
  readonly title: string;
  /** The package that `npm install -g` takes. */
  readonly package: string;
  /** A model that costs little, by the name that the agent has for it. */
  readonly smallModel?: string;
  /** The oldest version that Pawl was tested with. */
  readonly oldest: string;
  /** Versions with a fault that affects a run. */
  readonly faults?: readonly VersionFault[];
  /** Variables that keep it off the network while it prints its version. */
  readonly offline: AgentEnvironment;
  readonly home: AgentHome;
  readonly login: LoginPlace;
  /** Whether it enforces `allow`. */
  readonly hasAllow: boolean;
  /** What `permissions: edit` lets it edit, if that is not this folder alone. */
  readonly edits?: string;
  /** As root, it accepts `permissions: bypass` only if IS_SANDBOX is 1. */
  readonly refusesBypassAsRoot?: true;
}

interface VersionFault {
  /** The first version in which the fault was not seen. */
  readonly before: string;
  readonly fault: string;
}

interface LoginPlace {
  /** How the user logs in. */
  readonly how: string;
  /** Variables that it uses instead of a login, in its order of preference. */
  readonly variables: readonly string[];
  /** The file that holds a login, in its home. */
  readonly file: string;
  /** The file holds a login if one of these keys has a value. Absent: any key. */
  readonly keys?: readonly string[];
  /** Whether a login can be nowhere else on this system: without the file there is none. */
  readonly isOnlyPlace?: (platform: NodeJS.Platform) => boolean;
}

export function homeFolder({ variable, folder }: AgentHome, environment: AgentEnvironment): string | undefined {
  const home = environment['HOME'] || environment['USERPROFILE'];
  return environment[variable] || (home && [home, folder].filter(Boolean).join('/')) || undefined;
}

/**
 * A call of a program, or of the `command` that the config has instead of it. The prompt goes to its standard input.
 * `defaults` are variables that the user may have set to something else.
 */
export function invocationOf(
  program: string,
  agent: AgentSpec,
  { environment, prompt }: Pick<AgentRequest, 'environment' | 'prompt'>,
  args: readonly string[],
  defaults: AgentEnvironment = {},
): Invocation {
  const [command = program, ...words] = agent.command ?? [];
  return { command, args: [...words, ...args], env: { ...defaults, ...environment, ...agent.env }, input: prompt };
}

/** A flag and its value; nothing without a value. `--model=` has the value in the same word. */
export function flag(name: string | undefined, value: string | undefined): readonly string[] {
  if (name === undefined || value === undefined) return [];
  return name.endsWith('=') ? [name + value] : [name, value];
}

/** The instructions of an agent that reviews, where it takes any. */
export const REVIEWER_INSTRUCTIONS =
  'You review the work of another agent. You have no tools. You answer with one JSON object.';
