import type { AgentSpec } from '../../model/run-spec.js';
import type { AgentEnvironment, AgentRequest, Invocation, ReviewRequest } from '../adapter.js';
import { flag, invocationOf, REVIEWER_INSTRUCTIONS, type KnownAgent } from '../known-agent.js';
import { parseClaude } from './parse.js';
import { CLAUDE_HOME, claudeTranscript } from './transcript.js';

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

/** Set by a Claude Code that started Pawl: with them ours would join that session. */
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

/** A background task would outlive the result, and an update would change the version during a run. */
const DEFAULTS: AgentEnvironment = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1', DISABLE_AUTOUPDATER: '1' };

/** These use an account of a cloud instead of any login. */
const CLOUDS = [
  ['CLAUDE_CODE_USE_BEDROCK', 'an AWS account through Bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'a Google Cloud project through Vertex'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'an Azure account through Foundry'],
] as const;

/** In the order in which Claude Code prefers them: the first one pays. */
const CREDENTIALS = [
  ['ANTHROPIC_AUTH_TOKEN', 'bills the account of that token, not a subscription'],
  ['ANTHROPIC_API_KEY', 'bills that key, not a subscription'],
  ['CLAUDE_CODE_OAUTH_TOKEN', 'uses the subscription of that token, not the one you are logged in to'],
] as const;

export const claudeAgent = {
  name: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  smallModel: 'haiku',
  oldest: '2.1.197',
  offline: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  home: CLAUDE_HOME,
  login: {
    how: 'start claude once and log in, or set ANTHROPIC_API_KEY',
    variables: [...CLOUDS, ...CREDENTIALS].map(([name]) => name),
    file: '.credentials.json',
    keys: ['claudeAiOauth'],
    // On macOS it is in the keychain.
    isOnlyPlace: (platform) => platform !== 'darwin',
  },
  hasAllow: true,
  refusesBypassAsRoot: true,
  usage: 'live',
  context: 'reported',
  canResume: true,
  signals: ['SIGTERM'],
  // It needs up to two seconds to end the commands that it has started.
  graceMs: 3000,
  tellsResult: true,
  invocation,
  review,
  parse: parseClaude,
  sessionRecord: claudeTranscript,
  billing,
} satisfies KnownAgent;

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  return call(agent, request, [
    '-p',
    // The list of tools takes every word up to the next option, so options of ours follow it.
    ...permissionArgs(agent),
    ...STREAM,
    ...flag('--model', agent.model),
    ...flag('--resume', request.session),
    ...budgetArgs(request.budgetUsd),
    ...agent.args,
  ]);
}

const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];

/** Customizations of the user are off by a variable, because older versions do not know the option. Logins still work. */
function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  const { env, ...rest } = call(agent, request, [
    '-p',
    '--tools',
    '',
    '--strict-mcp-config',
    '--setting-sources',
    'user',
    '--disable-slash-commands',
    '--no-session-persistence',
    '--permission-mode',
    'dontAsk',
    '--max-turns',
    '1',
    '--system-prompt',
    REVIEWER_INSTRUCTIONS,
    ...STREAM,
    ...flag('--model', agent.model),
    ...budgetArgs(request.budgetUsd),
    ...agent.args,
  ]);
  return { ...rest, env: { ...env, CLAUDE_CODE_SAFE_MODE: '1' } };
}

function call(agent: AgentSpec, request: AgentRequest | ReviewRequest, args: readonly string[]): Invocation {
  const inherited = Object.entries(request.environment).filter(([name]) => !OF_AN_OUTER_SESSION.has(name));
  return invocationOf('claude', agent, { ...request, environment: Object.fromEntries(inherited) }, args, DEFAULTS);
}

/** As root, `bypass` needs IS_SANDBOX=1. It says where Claude Code runs, so it is the user's to set, never ours. */
function permissionArgs({ permissions, allow }: AgentSpec): readonly string[] {
  return {
    edit: ['--permission-mode', 'dontAsk', '--allowedTools', ...TREE_RULES, ...allow.map(toolRule)],
    bypass: ['--dangerously-skip-permissions'],
    agent: [],
  }[permissions];
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

/** What in the environment decides who pays for Claude Code, as sentences. The values are not shown. */
function billing(environment: AgentEnvironment): readonly string[] {
  const cloud = CLOUDS.find(([name]) => isOn(environment[name]));
  if (cloud !== undefined) return [`${cloud[0]} is set: Claude Code bills ${cloud[1]}`];
  const credential = CREDENTIALS.find(([name]) => (environment[name] ?? '') !== '');
  const server = hostOf(environment['ANTHROPIC_BASE_URL']);
  return [
    ...(credential === undefined ? [] : [`${credential[0]} is set: Claude Code ${credential[1]}`]),
    ...(server === undefined ? [] : [`ANTHROPIC_BASE_URL is set: requests go to ${server}, and it decides who pays`]),
  ];
}

function isOn(value = ''): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
}

/** Only the host: an address can hold a password. */
function hostOf(address = ''): string | undefined {
  if (address === '') return undefined;
  const host = URL.canParse(address) ? new URL(address).host : 'another server';
  return host === 'api.anthropic.com' ? undefined : host;
}
