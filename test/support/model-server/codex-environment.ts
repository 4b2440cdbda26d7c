import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The whole environment for a Codex that knows this home, and nothing of the machine. */
export function codexEnvironment(home: string): Readonly<Record<string, string>> {
  const config = join(home, '.codex');
  mkdirSync(config, { recursive: true });
  return { PATH: process.env.PATH ?? '', HOME: home, CODEX_HOME: config, SCRIPTED_KEY: 'sk-scripted' };
}

/** What makes Codex ask this model server, as arguments: it has no variable for it. */
export function codexArguments(server: { readonly url: string }): readonly string[] {
  const provider = `{name="scripted",base_url="${server.url}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}`;
  return [
    '-c',
    'model_provider="scripted"',
    '-c',
    `model_providers.scripted=${provider}`,
    '-c',
    'analytics.enabled=false',
  ];
}
