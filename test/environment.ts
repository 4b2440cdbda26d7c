import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';

/** What a test may need beside Node and git, found on this machine or not. */
export interface Environment {
  readonly chromium: string | undefined;
  /** The folder with initdb, pg_ctl and psql. */
  readonly postgresBin: string | undefined;
  readonly tmux: string | undefined;
  readonly zsh: string | undefined;
  readonly fish: string | undefined;
  readonly claude: string | undefined;
  readonly codex: string | undefined;
  readonly gemini: string | undefined;
  readonly opencode: string | undefined;
  readonly qwen: string | undefined;
  readonly pi: string | undefined;
  readonly copilot: string | undefined;
  readonly jest: string | undefined;
  readonly mocha: string | undefined;
  readonly python: string | undefined;
  readonly pytest: string | undefined;
  readonly go: string | undefined;
  readonly cargo: string | undefined;
  readonly make: string | undefined;
  /** The file to import. */
  readonly claudeAgentSdk: string | undefined;
}

const LEFT_OUT: Readonly<Record<keyof Environment, string>> = {
  chromium: 'browser: chromium is not installed',
  postgresBin: 'Postgres: the postgresql package is not installed',
  tmux: 'terminal: tmux is not installed',
  zsh: 'shells: zsh is not installed',
  fish: 'shells: fish is not installed',
  claude: 'agent CLIs: Claude Code is not in the cache of .ci/run',
  codex: 'agent CLIs: Codex is not in the cache of .ci/run',
  gemini: 'agent CLIs: Gemini CLI is not in the cache of .ci/run',
  opencode: 'agent CLIs: opencode is not in the cache of .ci/run',
  qwen: 'agent CLIs: Qwen Code is not in the cache of .ci/run',
  pi: 'agent CLIs: pi is not in the cache of .ci/run',
  copilot: 'agent CLIs: Copilot CLI is not in the cache of .ci/run',
  jest: 'test runners: jest is not in the cache of .ci/run',
  mocha: 'test runners: mocha is not in the cache of .ci/run',
  python: 'test runners: python3 is not installed',
  pytest: 'test runners: python3-pytest is not installed',
  go: 'test runners: golang-go is not installed',
  cargo: 'test runners: cargo is not installed',
  make: 'test runners: make is not installed',
  claudeAgentSdk: 'SDKs: the Claude Agent SDK is not in the cache of .ci/run',
};

export const environment: Environment = {
  chromium: onPath('chromium') ?? onPath('chromium-browser'),
  postgresBin: newest('/usr/lib/postgresql', (version) => join('/usr/lib/postgresql', version, 'bin'), 'initdb'),
  tmux: onPath('tmux'),
  zsh: onPath('zsh'),
  fish: onPath('fish'),
  claude: agentCli('claude'),
  codex: agentCli('codex'),
  gemini: agentCli('gemini'),
  opencode: agentCli('opencode'),
  qwen: agentCli('qwen'),
  pi: agentCli('pi'),
  copilot: agentCli('copilot'),
  jest: agentCli('jest'),
  mocha: agentCli('mocha'),
  python: onPath('python3'),
  pytest: onPath('pytest') ?? onPath('pytest-3'),
  go: onPath('go'),
  cargo: onPath('cargo'),
  make: onPath('make'),
  claudeAgentSdk: agentSdk(),
};

/** The path of a thing that the test needs; a test without it is skipped and says why. */
export function need(name: keyof Environment, context: TestContext): string {
  return environment[name] ?? context.skip(LEFT_OUT[name]);
}

function agentCli(name: string): string | undefined {
  return inAgentCache(`${name}-`, join('node_modules', '.bin'), name, isExecutable);
}

function agentSdk(): string | undefined {
  return inAgentCache(
    'claude-agent-sdk-',
    join('node_modules', '@anthropic-ai', 'claude-agent-sdk'),
    'sdk.mjs',
    existsSync,
  );
}

function inAgentCache(
  prefix: string,
  place: string,
  file: string,
  isThere: (path: string) => boolean,
): string | undefined {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pawl', 'agents');
  const folder = newest(cache, (entry) => join(cache, entry, place), file, prefix, isThere);
  return folder === undefined ? undefined : join(folder, file);
}

/** The folder of the highest version that holds the program. */
function newest(
  parent: string,
  folderOf: (entry: string) => string,
  program: string,
  prefix = '',
  isThere = isExecutable,
): string | undefined {
  if (!existsSync(parent)) return undefined;
  return readdirSync(parent)
    .filter((entry) => entry.startsWith(prefix) && /^\d+(?:\.\d+)*$/.test(entry.slice(prefix.length)))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map(folderOf)
    .find((folder) => isThere(join(folder, program)));
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
