import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { statOf } from './process-table.js';
import { startDetached } from './start-detached.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-detached-'));
const log = join(folder, 'log');
const output = openSync(log, 'a');
afterAll(() => {
  closeSync(output);
  rmSync(folder, { recursive: true, force: true });
});

const start = (script: string, more: { file?: string; cwd?: string } = {}) =>
  startDetached({ file: '/bin/sh', args: ['-c', script], cwd: folder, env: { WORD: 'word' }, output, ...more });

describe('a detached process', () => {
  it('has a session of its own, nothing to read, and prints into its file', async () => {
    const { pid, exited } = await start('cat; echo "$WORD $HOME"; echo complaint >&2');
    expect(statOf(pid)).toMatchObject({ sessionId: pid, groupId: pid });
    expect(await exited).toBe(0);
    expect(readFileSync(log, 'utf8')).toContain('word \ncomplaint\n');
  });

  it('tells its exit code, and none when a signal ended it', async () => {
    expect(await (await start('exit 3')).exited).toBe(3);
    expect(await (await start('kill -KILL $$')).exited).toBeUndefined();
  });

  it('holds nobody up once it is released', async () => {
    const waitedFor = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
    const before = waitedFor();
    const { pid, release } = await start('exec sleep 30');
    try {
      expect(waitedFor()).toBe(before + 1);
      release();
      expect(waitedFor()).toBe(before);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it.each([
    ['its program', { file: '/no/such/program' }],
    ['its folder', { cwd: '/no/such/folder' }],
  ])('that cannot be started for want of %s says so', async (_, more) => {
    await expect(start('', more)).rejects.toMatchObject({
      code: 'FileSystemError',
      message: expect.stringContaining('cannot start'),
    });
  });
});
