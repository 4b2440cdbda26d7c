import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The whole environment for a Claude Code that knows this home and this model server, and nothing of the machine. */
export function claudeEnvironment(server: { readonly url: string }, home: string): Readonly<Record<string, string>> {
  const config = join(home, '.claude');
  mkdirSync(config, { recursive: true });
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    IS_SANDBOX: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '2',
    DISABLE_AUTOUPDATER: '1',
  };
}
