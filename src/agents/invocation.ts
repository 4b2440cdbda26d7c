import type { AgentSpec } from '../model/run-spec.js';
import type { AgentEnvironment, AgentRequest, Invocation } from './adapter.js';

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
