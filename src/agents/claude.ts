import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentEnvironment, AgentRequest, Invocation } from './adapter.js';
import { claudeBilling } from './claude-billing.js';
import { claudeRecord } from './claude-record.js';
import { parseClaude } from './parse-claude.js';

/** Reads and edits in the working tree. Plain `Edit` or `Write` would let it write anywhere on the machine. */
const TREE_RULES = ['Read(./**)', 'Edit(./**)'];

/** Entries of `allow` that name a tool; anything else is a command. */
const TOOL_NAMES: ReadonlySet<string> = new Set([
  'Agent',
  'Bash',
  'Edit',
  'Glob',
  'Grep',
  'LS',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'Skill',
  'Task',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write',
]);

/** Left by a Claude Code around us: with them ours would take itself for a part of that session. */
const OF_AN_OUTER_SESSION: ReadonlySet<string> = new Set([
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_EFFORT',
  'CLAUDE_PID',
]);

/** A task in the background would keep the process after its result; a version that changes under a run is no help. */
const CALM: AgentEnvironment = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1', DISABLE_AUTOUPDATER: '1' };

/** Claude Code without a screen. */
export const claudeAgent: AgentAdapter = {
  name: 'claude',
  usage: 'live',
  context: 'reported',
  canResume: true,
  signals: ['SIGTERM'],
  // It needs up to two seconds to end the commands that it has started.
  graceMs: 3000,
  tellsResult: true,
  invocation,
  parse: parseClaude,
  sessionRecord: claudeRecord,
  billing: claudeBilling,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'claude', ...words] = agent.command ?? [];
  const args = [
    ...words,
    '-p',
    // The list of tools takes every word up to the next option, so options of ours follow it.
    ...permissionArgs(agent),
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    ...(agent.model === undefined ? [] : ['--model', agent.model]),
    ...(request.session === undefined ? [] : ['--resume', request.session]),
    ...budgetArgs(request.budgetUsd),
    ...agent.args,
  ];
  return { command, args, env: environmentOf(agent, request), input: request.prompt };
}

/** As root, `bypass` needs IS_SANDBOX=1. It says where Claude Code runs, so it is the user's to set, never ours. */
function permissionArgs({ permissions, allow }: AgentSpec): readonly string[] {
  switch (permissions) {
    case 'edit':
      return ['--permission-mode', 'dontAsk', '--allowedTools', ...TREE_RULES, ...allow.map(toolRule)];
    case 'bypass':
      return ['--dangerously-skip-permissions'];
    case 'agent':
      return [];
    default:
      return permissions satisfies never;
  }
}

function toolRule(entry: string): string {
  const isRule = TOOL_NAMES.has(entry) || /^[A-Z]\w*\(.*\)$/.test(entry) || entry.startsWith('mcp__');
  return isRule ? entry : `Bash(${entry}:*)`;
}

/** In whole cents, up: Claude Code stops after the request that crosses it, and refuses nothing. */
function budgetArgs(budgetUsd: number | undefined): readonly string[] {
  if (budgetUsd === undefined || !Number.isFinite(budgetUsd)) return [];
  return ['--max-budget-usd', Math.max(0.01, Math.ceil(budgetUsd * 100) / 100).toFixed(2)];
}

function environmentOf(agent: AgentSpec, { environment }: AgentRequest): AgentEnvironment {
  const inherited = Object.entries(environment).filter(([name]) => !OF_AN_OUTER_SESSION.has(name));
  return { ...CALM, ...Object.fromEntries(inherited), ...agent.env };
}
