import { confirm, isCancel, select, text } from '@clack/prompts';
import { AGENT_PROGRAMS, type AgentProgram } from '../../setup/agent-programs.js';
import { DEFAULT_COST_USD } from '../../setup/setup-choices.js';
import type { InitFlags } from './init-flags.js';
import type { Seen } from './init-look.js';

/** Asks in the terminal what no flag has said; undefined when the user would rather not. */
export async function askQuestions(flags: InitFlags, seen: Seen): Promise<InitFlags | undefined> {
  const agent = flags.agent ?? (await askAgent(seen));
  if (agent === null) return undefined;
  const tests = flags.tests === undefined ? await askTests(seen.tests?.command ?? '') : { command: flags.tests };
  if (tests === null) return undefined;
  const globs = seen.tests?.testFiles ?? [];
  const protect = flags.protect ?? (tests.command === null || globs.length === 0 ? [] : await askProtected(globs));
  if (protect === null) return undefined;
  const maxCostUsd = flags.maxCostUsd ?? (await askCost());
  return maxCostUsd === null ? undefined : { ...flags, agent, tests: tests.command, protect, maxCostUsd };
}

async function askAgent({ installed, likely }: Seen): Promise<AgentProgram | null> {
  const name = await select({
    message: 'Which agent does the work?',
    options: AGENT_PROGRAMS.map((agent) => ({
      value: agent.name,
      label: installed.includes(agent) ? `${agent.title} (installed)` : agent.title,
    })),
    initialValue: likely.name,
  });
  return isCancel(name) ? null : (AGENT_PROGRAMS.find((agent) => agent.name === name) ?? likely);
}

async function askTests(initial: string): Promise<{ readonly command: string | null } | null> {
  const answer = await text({ message: 'Which command runs the tests? (empty for none)', initialValue: initial });
  if (isCancel(answer)) return null;
  const command = answer.trim();
  return { command: command === '' ? null : command };
}

async function askProtected(globs: readonly string[]): Promise<readonly string[] | null> {
  const mayChange = await confirm({
    message: `May the agent change the tests? (${globs.join('  ')})`,
    initialValue: true,
  });
  if (isCancel(mayChange)) return null;
  return mayChange ? [] : globs;
}

async function askCost(): Promise<number | null> {
  const answer = await text({
    message: 'How many US dollars may a run spend?',
    initialValue: String(DEFAULT_COST_USD),
    validate: (value = '') => (isAmount(value.trim()) ? undefined : 'An amount above 0, such as 5 or 2.50'),
  });
  return isCancel(answer) ? null : Number(answer.trim());
}

function isAmount(value: string): boolean {
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(value) && Number(value) > 0;
}
