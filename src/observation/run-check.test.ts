import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Harness } from './harness.js';
import { runCheck } from './run-check.js';

const workingDir = mkdtempSync(join(tmpdir(), 'pawl-run-check-'));
afterAll(() => rmSync(workingDir, { recursive: true, force: true }));

const check = (command: string, timeoutMs = 60_000, setting: Partial<Harness> = {}) =>
  runCheck({ command, timeoutMs }, { workingDir, environment: process.env, cookie: randomUUID(), ...setting });

describe('a named check', () => {
  it('passes with exit code 0, and with no other', async () => {
    expect(await check('echo fine')).toEqual({ passed: true, exitCode: 0, output: 'fine' });
    expect(await check('echo bad >&2; exit 3')).toEqual({ passed: false, exitCode: 3, output: 'bad' });
    expect(await check('no-such-command')).toMatchObject({ passed: false, exitCode: 127 });
  });

  it('that hangs has failed and says so, even if it exits with 0 when it is asked to go', async () => {
    const result = await check('trap "exit 0" TERM; echo on; sleep 600 & wait', 500);
    expect(result).toMatchObject({ passed: false, output: 'on\n[timed out after 500ms]' });
  });

  it('that is killed has failed', async () => {
    expect(await check('kill -9 $$')).toEqual({ passed: false, output: '[killed by SIGKILL]' });
  });

  it('that was cut short, or could not be started, is unknown', async () => {
    const stopped = await check('sleep 600', 60_000, { signal: AbortSignal.timeout(300) });
    expect(stopped).toMatchObject({ output: '[interrupted]' });
    expect(stopped).not.toHaveProperty('passed');
    const away = await check('true', 60_000, { workingDir: join(workingDir, 'away') });
    expect(away).not.toHaveProperty('passed');
    expect(away.output).toContain('[not started: ');
  });

  it('hands on the end of a long output', async () => {
    const { output } = await check('yes word | head -n 100000; echo last');
    expect(output).toHaveLength(4000);
    expect(output?.endsWith('word\nlast')).toBe(true);
  });
});
