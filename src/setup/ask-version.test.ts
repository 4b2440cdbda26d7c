import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askVersion, compareVersions, versionIn } from './ask-version.js';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-version-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function ask(script: string, timeoutMs = 20_000) {
  const file = join(folder, 'program');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return askVersion({ file, environment: { SECRET: 'x' }, path: process.env['PATH'] ?? '', timeoutMs });
}

describe('askVersion', () => {
  it.each([
    ['echo "2.1.325 (Claude Code)"', { version: '2.1.325' }],
    ['echo codex-cli 0.166.0', { version: '0.166.0' }],
    ['echo v1.2 >&2', { version: '1.2' }],
    ['pwd | sed "s#^/\\$#9.9.9#"', { version: '9.9.9' }],
    ['printf "\\033[31mnonsense\\033[0m"', { problem: 'prints something that is not a version' }],
    ['exit 3', { problem: 'fails when asked for its version (exit code 3)' }],
    ['kill -9 $$', { problem: 'fails when asked for its version (SIGKILL)' }],
    ['yes 1.2.3', { problem: 'prints endless output instead of a version' }],
  ])('%s', async (script, answer) => {
    expect(await ask(script)).toEqual(answer);
  });

  it('does not wait for a program that hangs, nor for what it has started', async () => {
    expect(await ask('sleep 1000 & sleep 1000', 300)).toEqual({
      problem: 'did not answer --version within 0.3 s',
      isSlow: true,
    });
    expect(await ask('trap "" TERM INT; sleep 1000', 300)).toEqual({
      problem: 'did not answer --version within 0.3 s',
      isSlow: true,
    });
  });

  it('survives a file that cannot be run', async () => {
    const request = { environment: {}, path: '', timeoutMs: 1000 };
    expect(await askVersion({ ...request, file: join(folder, 'gone') })).toEqual({ problem: 'cannot be started' });
    expect(await askVersion({ ...request, file: folder })).toEqual({ problem: 'cannot be started' });
  });
});

describe('version numbers', () => {
  it.each([
    ['git version 2.39.5', '2.39.5'],
    ['git version 2.39.5 (Apple Git-154)', '2.39.5'],
    ['0.0.1790142911-g1', '0.0.1790142911'],
    ['version 12', undefined],
    [`${'9'.repeat(400)}.1`, undefined],
    ['', undefined],
  ])('%s', (text, version) => expect(versionIn(text)).toBe(version));

  it('are compared by number, not by letter', () => {
    expect(compareVersions('2.9.0', '2.10.0')).toBeLessThan(0);
    expect(compareVersions('2.10', '2.9.9')).toBeGreaterThan(0);
    expect(compareVersions('2.1', '2.1.0')).toBe(0);
  });
});
