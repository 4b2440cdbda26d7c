import { claudeEnvironment } from './claude-environment.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What makes an agent CLI ask a model server, in a home of its own that knows nothing of the machine. */
export interface AgentHome {
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly model: string | undefined;
}

interface Server {
  readonly url: string;
}

const MODEL = 'claude-sonnet-4-5';
const KEY = 'sk-scripted';

export const AGENT_HOMES = {
  claude: (server, home) => ({ environment: claudeEnvironment(server, home), args: [], model: MODEL }),
  codex: codexHome,
  gemini: geminiHome,
  opencode: opencodeHome,
  qwen: qwenHome,
  pi: piHome,
  copilot: copilotHome,
} satisfies Readonly<Record<string, (server: Server, home: string) => AgentHome>>;

function codexHome({ url }: Server, home: string): AgentHome {
  const folder = join(home, '.codex');
  mkdirSync(folder, { recursive: true });
  const provider = `{name="scripted",base_url="${url}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}`;
  const settings = ['model_provider="scripted"', `model_providers.scripted=${provider}`, 'analytics.enabled=false'];
  return {
    environment: { ...plain(home), CODEX_HOME: folder, SCRIPTED_KEY: KEY },
    args: settings.flatMap((setting) => ['-c', setting]),
    model: 'gpt-5.5',
  };
}

function geminiHome({ url }: Server, home: string): AgentHome {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  };
  writeJson(join(home, '.gemini'), 'settings.json', settings);
  const environment = { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_HOME: home };
  return { environment: { ...plain(home), ...environment }, args: [], model: 'gemini-2.5-pro' };
}

function opencodeHome({ url }: Server, home: string): AgentHome {
  const limit = { context: 200_000, output: 32_000 };
  const scripted = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${url}/v1`, apiKey: KEY },
    models: { [MODEL]: { limit, tool_call: true } },
  };
  const config = { autoupdate: false, share: 'disabled', provider: { scripted } };
  const folders = ['DATA', 'CONFIG', 'STATE', 'CACHE'].map((name) => [`XDG_${name}_HOME`, join(home, name)]);
  const environment = {
    ...Object.fromEntries(folders),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  };
  return { environment: { ...plain(home), ...environment }, args: [], model: `scripted/${MODEL}` };
}

function qwenHome({ url }: Server, home: string): AgentHome {
  const args = ['--auth-type', 'openai', '--openai-api-key', KEY, '--openai-base-url', `${url}/v1`];
  return { environment: { ...plain(home), QWEN_HOME: join(home, '.qwen') }, args, model: MODEL };
}

function piHome({ url }: Server, home: string): AgentHome {
  const folder = join(home, '.pi');
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const model = { id: MODEL, reasoning: false, input: ['text'], cost, contextWindow: 200_000, maxTokens: 32_000 };
  const scripted = { baseUrl: url, api: 'anthropic-messages', apiKey: KEY, models: [model] };
  writeJson(folder, 'models.json', { providers: { scripted } });
  const environment = { PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1', PI_TELEMETRY: '0' };
  const args = ['--provider', 'scripted', '--offline'];
  return { environment: { ...plain(home), ...environment }, args, model: MODEL };
}

function copilotHome({ url }: Server, home: string): AgentHome {
  const environment = {
    COPILOT_HOME: join(home, '.copilot'),
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_API_KEY: KEY,
    COPILOT_MODEL: MODEL,
  };
  return { environment: { ...plain(home), ...environment }, args: [], model: undefined };
}

function plain(home: string): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? '', HOME: home };
}

function writeJson(folder: string, name: string, value: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), JSON.stringify(value));
}
