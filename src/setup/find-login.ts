import { join } from 'node:path';
import { readConfigFile } from '../config/config-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Who an agent would work as. Nothing is asked of anybody: files and variables only. */
export type Login =
  /** A login of the user's that is kept in a file. */
  | { readonly kind: 'login'; readonly from: string }
  /** A variable, of which the name is told and never the value. */
  | { readonly kind: 'variable'; readonly name: string; readonly hasLogin: boolean }
  /** None was found where it would be. */
  | { readonly kind: 'none' }
  /** It may be kept where nobody can look without asking: a keychain, a setting of the agent's own. */
  | { readonly kind: 'unknown' };

export interface LoginRequest {
  readonly agent: string;
  readonly environment: Environment;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

interface LoginPlace {
  /** What comes before a login, in the agent's order of preference. */
  readonly variables: readonly string[];
  /** The file that holds a login, in the folder that a variable may name. */
  readonly file: (environment: Environment, home: string) => string;
  /** Whether a file of that content is a login. */
  readonly isLogin: (content: Readonly<Record<string, unknown>>) => boolean;
  /** Whether there is no other place: then a login that is not there is told as none. */
  readonly isOnlyPlace: (platform: NodeJS.Platform) => boolean;
}

const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
const never = () => false;

const PLACES: Readonly<Record<string, LoginPlace>> = {
  claude: {
    variables: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
    file: (env, home) => join(folderOf(env['CLAUDE_CONFIG_DIR'], home, '.claude'), '.credentials.json'),
    isLogin: (content) => isFilled(content['claudeAiOauth']),
    // On macOS it is in the keychain.
    isOnlyPlace: (platform) => platform !== 'darwin',
  },
  codex: {
    variables: ['CODEX_API_KEY'],
    file: (env, home) => join(folderOf(env['CODEX_HOME'], home, '.codex'), 'auth.json'),
    isLogin: (content) => isFilled(content['tokens']) || typeof content['OPENAI_API_KEY'] === 'string',
    isOnlyPlace: () => true,
  },
  gemini: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    file: (env, home) => join(folderOf(env['GEMINI_CLI_HOME'], home, '.'), '.gemini', 'oauth_creds.json'),
    isLogin: isFilled,
    isOnlyPlace: never,
  },
  opencode: {
    variables: [],
    file: (env, home) => join(folderOf(env['XDG_DATA_HOME'], home, join('.local', 'share')), 'opencode', 'auth.json'),
    isLogin: isFilled,
    isOnlyPlace: never,
  },
  copilot: {
    variables: ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
    file: (env, home) => join(folderOf(env['COPILOT_HOME'], home, '.copilot'), 'config.json'),
    isLogin: (content) => isFilled(content['logged_in_users']),
    isOnlyPlace: never,
  },
  qwen: {
    variables: ['OPENAI_API_KEY'],
    file: (env, home) => join(folderOf(env['QWEN_HOME'], home, '.qwen'), 'oauth_creds.json'),
    isLogin: isFilled,
    isOnlyPlace: never,
  },
  pi: {
    variables: [],
    file: (env, home) => join(folderOf(env['PI_CODING_AGENT_DIR'], home, join('.pi', 'agent')), 'auth.json'),
    isLogin: isFilled,
    isOnlyPlace: never,
  },
};

/** Clouds that an agent is told to use instead of any login. */
const CLOUDS: Readonly<Record<string, readonly string[]>> = {
  claude: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
  gemini: ['GOOGLE_GENAI_USE_VERTEXAI'],
};

export function findLogin({ agent, environment, home, platform }: LoginRequest): Login {
  const place = PLACES[agent];
  if (place === undefined) return { kind: 'unknown' };
  const isSet = (name: string) => (environment[name] ?? '') !== '';
  const file = place.file(environment, home);
  const hasLogin = place.isLogin(contentOf(file));
  const name = [...(CLOUDS[agent] ?? []), ...place.variables].find(isSet);
  if (name !== undefined) return { kind: 'variable', name, hasLogin };
  if (hasLogin) return { kind: 'login', from: file };
  return place.isOnlyPlace(platform) ? { kind: 'none' } : { kind: 'unknown' };
}

function folderOf(configured: string | undefined, home: string, usual: string): string {
  return configured === undefined || configured === '' ? join(home, usual) : configured;
}

/** Only whether something is there is looked at; nothing of it leaves this file. */
function contentOf(path: string): Readonly<Record<string, unknown>> {
  const file = readConfigFile(path);
  if (file.kind !== 'read') return {};
  try {
    const content: unknown = JSON.parse(file.text);
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
