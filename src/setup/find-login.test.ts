import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENTS } from '../agents/index.js';
import { findLogin } from './find-login.js';

let home = '';
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'pawl-login-'))));
afterEach(() => rmSync(home, { recursive: true }));

const SECRET = 'sk-ant-very-secret-value';

function write(name: string, text: string): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function login(agent: string, environment: Readonly<Record<string, string>> = {}, platform: NodeJS.Platform = 'linux') {
  return findLogin({
    agent: AGENTS.find(({ name }) => name === agent) ?? expect.fail(agent),
    environment,
    home,
    platform,
  });
}

describe('a login', () => {
  it.each<[string, string, string]>([
    ['claude', '.claude/.credentials.json', `{"claudeAiOauth":{"accessToken":"${SECRET}"}}`],
    ['codex', '.codex/auth.json', `{"tokens":{"access_token":"${SECRET}"}}`],
    ['codex', '.codex/auth.json', `{"OPENAI_API_KEY":"${SECRET}","tokens":null}`],
    ['gemini', '.gemini/oauth_creds.json', `{"refresh_token":"${SECRET}"}`],
    ['opencode', '.local/share/opencode/auth.json', `{"anthropic":{"key":"${SECRET}"}}`],
    ['copilot', '.copilot/config.json', '{"logged_in_users":[{"login":"somebody"}]}'],
    ['qwen', '.qwen/oauth_creds.json', `{"access_token":"${SECRET}"}`],
    ['pi', '.pi/agent/auth.json', `{"anthropic":{"key":"${SECRET}"}}`],
  ])('of %s is found in %s', (agent, name, text) => {
    const from = write(name, text);
    expect(login(agent)).toEqual({ kind: 'login', from });
  });

  it('is looked for where a variable says that it is', () => {
    write('elsewhere/.credentials.json', '{"claudeAiOauth":{"accessToken":"x"}}');
    expect(login('claude')).toEqual({ kind: 'none' });
    expect(login('claude', { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') })).toMatchObject({ kind: 'login' });
  });

  it.each([
    ['not there', undefined],
    ['empty', ''],
    ['no JSON', '{"tokens":'],
    ['null', 'null'],
    ['logged out', '{"tokens":null,"OPENAI_API_KEY":null}'],
    ['a key of nothing', '{"tokens":{},"OPENAI_API_KEY":""}'],
  ])('is none when the file is %s', (_, text) => {
    if (text !== undefined) write('.codex/auth.json', text);
    expect(login('codex')).toEqual({ kind: 'none' });
  });

  it('is none when the file leads to itself or is a folder', () => {
    mkdirSync(join(home, '.codex', 'auth.json'), { recursive: true });
    mkdirSync(join(home, '.claude'));
    symlinkSync('.credentials.json', join(home, '.claude', '.credentials.json'));
    expect(login('codex')).toEqual({ kind: 'none' });
    expect(login('claude')).toEqual({ kind: 'none' });
  });

  it('cannot be told where it may be in a keychain', () => {
    expect(login('claude', {}, 'darwin')).toEqual({ kind: 'unknown' });
    for (const name of ['gemini', 'opencode', 'copilot', 'qwen', 'pi']) {
      expect(login(name)).toEqual({ kind: 'unknown' });
    }
  });

  it('steps back behind a key, and the key is told by its name only', () => {
    write('.claude/.credentials.json', '{"claudeAiOauth":{"accessToken":"x"}}');
    const found = login('claude', { ANTHROPIC_API_KEY: SECRET });
    expect(found).toEqual({ kind: 'variable', name: 'ANTHROPIC_API_KEY', hasLogin: true });
    expect(login('codex', { CODEX_API_KEY: SECRET })).toEqual({
      kind: 'variable',
      name: 'CODEX_API_KEY',
      hasLogin: false,
    });
    expect(login('codex', { CODEX_API_KEY: '' })).toEqual({ kind: 'none' });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });
});
