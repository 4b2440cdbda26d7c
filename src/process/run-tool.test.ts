import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hasExited } from '../model/proc-stat.js';
import { statOf } from './process-table.js';
import { runTool, type ToolRequest, type ToolResult } from './run-tool.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-tool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(script: string, more: Partial<ToolRequest> = {}): Promise<ToolResult> {
  return runTool({
    command: 'bash',
    args: ['--norc', '-c', script],
    cwd: folder,
    env: process.env,
    timeoutMs: 20_000,
    outputLimitBytes: 1_000_000,
    ...more,
  });
}

/** What a tool has written to a file, once the line is whole. */
async function printed(name: string): Promise<string> {
  const read = () => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  await expect.poll(read, { timeout: 60_000 }).toMatch(/\n$/);
  return read();
}

async function isGone(pidFile: string): Promise<boolean> {
  const pid = Number(readFileSync(join(folder, pidFile), 'utf8'));
  for (let round = 0; round < 200; round++) {
    const stat = statOf(pid);
    if (stat === undefined || hasExited(stat)) return true;
    // oxlint-disable-next-line no-await-in-loop -- the dead need a moment to be gone
    await pause(10);
  }
  return false;
}

/** Holds up the whole process, as a busy machine does. */
function stall(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

function stallUntilExited(pid: number): void {
  for (let stat = statOf(pid); stat !== undefined && !hasExited(stat); stat = statOf(pid)) stall(5);
}

describe('a tool', () => {
  it('that ends while the runner is too busy to read its output gives all of it', async () => {
    const running = run('echo $$ > busy; until [ -e go ]; do sleep 0.01; done; echo changed');
    const tool = Number(await printed('busy'));
    // Node asks for the end of every child as soon as one has ended, and may not have read what another one printed.
    const other = spawn('echo', ['here']);
    other.stdout.once('data', () => {
      writeFileSync(join(folder, 'go'), '');
      stallUntilExited(tool);
    });
    other.once('exit', () => stall(1000));
    stallUntilExited(other.pid ?? 0);
    expect(await running).toMatchObject({ exitCode: 0, stdout: Buffer.from('changed\n') });
  });

  it('gets its input and gives both outputs and its code', async () => {
    const result = await run('cat; echo no >&2; exit 3', { input: Buffer.from([0, 255, 10]) });
    expect(result).toMatchObject({ exitCode: 3, stderr: 'no\n', timedOut: false, aborted: false, overflow: false });
    expect([...result.stdout]).toEqual([0, 255, 10]);
  });

  it('that does not read a large input is not an error of ours', async () => {
    expect((await run('exec 0<&-; exit 0', { input: Buffer.alloc(4_000_000) })).exitCode).toBe(0);
  });

  it('that hangs is killed with what it started', async () => {
    const result = await run('sleep 60 & echo $! > hung; wait', { timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    expect(await isGone('hung')).toBe(true);
  });

  it('is killed when it is aborted, and not started when it was before', async () => {
    const abort = new AbortController();
    const running = run('echo $$ > aborted; sleep 60', { signal: abort.signal });
    await printed('aborted');
    abort.abort();
    expect(await running).toMatchObject({ aborted: true, timedOut: false });
    expect(await isGone('aborted')).toBe(true);
    expect((await run('touch never', { signal: abort.signal })).aborted).toBe(true);
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('may clear up after itself before it is killed, and no longer', async () => {
    const clears = await run('trap "touch cleared; exit 3" TERM; sleep 60 & wait', { timeoutMs: 300, graceMs: 20_000 });
    expect(clears).toMatchObject({ timedOut: true, exitCode: 3 });
    expect(existsSync(join(folder, 'cleared'))).toBe(true);
    const deaf = await run('trap "" TERM; while :; do sleep 1; done', { timeoutMs: 300, graceMs: 100 });
    expect(deaf).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  });

  it('that prints without end is stopped at the limit', async () => {
    const result = await run('yes', { outputLimitBytes: 10_000 });
    expect(result.overflow).toBe(true);
    expect(result.stdout.length).toBe(10_000);
  });

  it('that complains without end keeps only the end', async () => {
    const result = await run('head -c 3000000 /dev/zero | tr "\\0" x >&2; echo last >&2');
    expect(result.stderr.length).toBeLessThan(300_000);
    expect(result.stderr.endsWith('last\n')).toBe(true);
  });

  it('that leaves a child with its pipe does not hold up its end, and the child dies', async () => {
    const result = await run('sleep 60 & echo $! > left; echo done');
    expect(result.stdout.toString()).toBe('done\n');
    expect(await isGone('left')).toBe(true);
  });

  it('whose child left the group and holds the pipe does not hold up its end', async () => {
    const holds = `setsid sh -c 'echo $$ > holding; exec sleep 600'`;
    const result = await run(`${holds} & until [ -s holding ]; do sleep 0.01; done; echo done`);
    process.kill(Number(await printed('holding')));
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
  });

  it('is out of reach of Ctrl-C in the terminal: it has a group of its own', async () => {
    const result = await run('ps -o pgid= -p $$; echo $$');
    const [group, pid] = result.stdout.toString().trim().split(/\s+/);
    expect(group).toBe(pid);
  });

  it('that does not exist is told in words', async () => {
    expect((await run('', { command: 'no-such-tool' })).notStarted).toContain('no-such-tool');
    expect((await run('', { cwd: join(folder, 'missing') })).notStarted).toBeDefined();
    expect((await run('x'.repeat(3_000_000))).notStarted).toContain('E2BIG');
  });
});
