import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { processesWithCookie } from '../process/process-table.js';
import type { Harness } from './harness.js';
import { type CommandOptions, type CommandWords, runCommand } from './run-command.js';

const workingDir = mkdtempSync(join(tmpdir(), 'pawl-run-command-'));
afterAll(() => rmSync(workingDir, { recursive: true, force: true }));

async function run(
  words: string | CommandWords,
  options: Partial<CommandOptions> = {},
  setting: Partial<Harness> = {},
) {
  const cookie = randomUUID();
  const harness = { workingDir, environment: process.env, cookie, ...setting };
  const command = typeof words === 'string' ? { shell: words } : words;
  const outcome = await runCommand(command, { timeoutMs: 60_000, ...options }, harness);
  expect(processesWithCookie(cookie)).toEqual([]);
  return outcome;
}

describe('a command of the harness', () => {
  it('tells its exit code and both of its streams', async () => {
    const outcome = await run('echo one; echo two >&2; exit 7');
    expect(outcome).toMatchObject({ exitCode: 7, timedOut: false, aborted: false, omittedBytes: 0 });
    expect(outcome.output.split('\n').toSorted()).toEqual(['one', 'two']);
    expect(outcome.durationMs).toBeGreaterThan(0);
  });

  it('has a closed input, so that a question does not hang it', async () => {
    expect(await run('read answer || echo nobody')).toMatchObject({ exitCode: 0, output: 'nobody' });
    expect(await run('cat', { input: 'given' })).toMatchObject({ output: 'given' });
  });

  it('gets the environment that is given and what is added to it', async () => {
    const setting = { environment: { PATH: process.env['PATH'], A: '1', B: '1' } };
    expect(await run('echo "$A $B $HOME"', { env: { B: '2' } }, setting)).toMatchObject({ output: '1 2 ' });
  });

  it('is no shell when it is a program: metacharacters stay what they are', async () => {
    const words = { program: 'printf', args: ['%s', '$(touch made); `id` > x "\n*'] };
    expect(await run(words)).toMatchObject({ exitCode: 0, output: '$(touch made); `id` > x "\n*' });
  });

  it('that hangs is killed with everything it started', async () => {
    const outcome = await run('setsid sleep 600 & trap "" TERM; echo started; sleep 600; sleep 600', {
      timeoutMs: 500,
    });
    expect(outcome).toMatchObject({ timedOut: true, aborted: false, output: 'started' });
  });

  it('with a timeout of months is not killed at once', async () => {
    expect(await run('sleep 0.1; echo done', { timeoutMs: 90 * 86_400_000 })).toMatchObject({ output: 'done' });
  });

  it('that leaves a child with its pipe behind does not hold up the harness', async () => {
    expect(await run('sleep 600 & echo gone')).toMatchObject({ exitCode: 0, output: 'gone' });
  });

  it('is told apart when it is aborted, before its start and in the midst of it', async () => {
    expect(await run('touch never', {}, { signal: AbortSignal.abort() })).toMatchObject({
      aborted: true,
      output: '',
      durationMs: 0,
    });
    const controller = new AbortController();
    const running = run('touch started; sleep 600', {}, { signal: controller.signal });
    await expect.poll(() => existsSync(join(workingDir, 'started')), { timeout: 60_000 }).toBe(true);
    rmSync(join(workingDir, 'started'));
    controller.abort();
    expect(await running).toMatchObject({ aborted: true, timedOut: false });
    expect(await run('ls')).toMatchObject({ output: '' });
  });

  it('that cannot be started says why', async () => {
    expect((await run({ program: 'no-such-program', args: [] })).notStarted).toContain('no-such-program');
    const away = join(workingDir, 'away');
    expect((await run('true', {}, { workingDir: away })).notStarted).toContain(away);
    writeFileSync(join(workingDir, 'file'), '');
    expect((await run('true', {}, { workingDir: join(workingDir, 'file') })).notStarted).toContain('not a folder');
    rmSync(join(workingDir, 'file'));
  });

  it('that dies by a signal tells it', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ signal: 'SIGKILL', timedOut: false });
  });
});

describe('output without end', () => {
  it('keeps its beginning and its end, and counts the rest', async () => {
    const { output, omittedBytes } = await run('echo first; yes 0123456789 | head -n 1000000; echo last');
    expect(output.length).toBeLessThan(1024 * 1024 + 100);
    expect(output.length).toBeGreaterThan(1024 * 1024 - 100);
    expect(output.startsWith('first\n0123456789\n')).toBe(true);
    expect(output.endsWith('\n0123456789\nlast')).toBe(true);
    expect(output.split('\n').filter((line) => line !== '0123456789')).toEqual([
      'first',
      `[${omittedBytes} bytes left out]`,
      'last',
    ]);
    const kept = output.length - `[${omittedBytes} bytes left out]\n`.length + 1;
    expect(kept + omittedBytes).toBe('first\nlast\n'.length + 11 * 1_000_000);
  });

  it('is complete when it just fits', async () => {
    const { output, omittedBytes } = await run('yes 0123456789 | head -n 90000');
    expect({ length: output.length, omittedBytes }).toEqual({ length: 90_000 * 11 - 1, omittedBytes: 0 });
  });

  it('in one line is cut, and the line after it is kept', async () => {
    const { output, omittedBytes } = await run("head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last");
    expect(output.slice(-60)).toMatch(/^x+ \[\d+ bytes left out\]\nlast$/);
    expect(omittedBytes).toBe(50_000_000 - 512 * 1024);
  });

  it('of empty lines and of noise that is no text costs no more', async () => {
    const { output } = await run('yes "" | head -n 3000000; head -c 3000000 /dev/urandom; echo; echo last');
    expect(output.length).toBeLessThan(1024 * 1024 + 100);
    expect(output.endsWith('\nlast')).toBe(true);
  });
});
