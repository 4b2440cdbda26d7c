import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { supervise } from '../process/supervise.js';
import { type CleanRoomOptions, openCleanRoom, probeCleanRoom } from './clean-room.js';

/** More, as root and as an ordinary user, is in test/crash/clean-room.test.ts. */
let folder: string;
let tree: string;
let scratchDir: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-clean-room-')));
  tree = join(folder, 'tree');
  scratchDir = join(folder, 'scratch');
  mkdirSync(tree);
  writeFileSync(join(tree, 'test.js'), 'weakened\n');
  writeFileSync(join(tree, 'added.js'), 'added\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PUT_BACK = [
  { path: 'test.js', content: Buffer.from('as it was\n') },
  { path: 'added.js', content: undefined },
];

async function runInRoom(command: string, options: Partial<CleanRoomOptions> = {}) {
  const room = await openCleanRoom({ workTree: tree, scratchDir, putBack: PUT_BACK, ...options });
  if ('unusable' in room) return room;
  const lines: string[] = [];
  const env = { PATH: process.env['PATH'] };
  const { exitCode } = await supervise({
    ...room.wrap({ command: '/bin/sh', args: ['-c', command], cwd: tree, env }),
    cookie: 'loop_CLEANROOM.1',
    signals: ['SIGTERM'],
    graceMs: 1000,
    timeoutMs: 60_000,
    onLine: ({ text }) => lines.push(text),
  }).ended;
  const output = lines.join('\n');
  const findings = await room.inspect({ exitCode, output });
  const written = readdirSync(room.writtenDir);
  await room.close();
  return { exitCode, output, findings, written };
}

describe('a clean room', () => {
  it.each([
    ['the best kind', {}],
    ['a copy', { kind: 'copy' as const }],
    ['a copy made without programs of the system', { toolPath: '/nowhere' }],
  ])('shows earlier files and discards what is written: %s', async (_, options) => {
    const result = await runInRoom('cat test.js; ls; echo x > test.js; echo y > report.xml; exit 3', options);
    expect(result).toMatchObject({ exitCode: 3, output: 'as it was\ntest.js', findings: { touched: ['test.js'] } });
    expect(result).toMatchObject({ written: expect.arrayContaining(['report.xml', 'test.js']) });
    expect(readdirSync(tree)).toEqual(['added.js', 'test.js']);
    expect(readFileSync(join(tree, 'test.js'), 'utf8')).toBe('weakened\n');
    expect(readdirSync(scratchDir)).toEqual([]);
  });

  it('does not blame the tests for a disk that they found full', async () => {
    expect(await runInRoom('echo "ENOSPC: no space left on device, write"; exit 1')).toMatchObject({
      findings: { problem: 'the command reported that a disk is full' },
    });
    expect(await runInRoom('echo "ENOSPC: no space left on device, write"')).toMatchObject({
      findings: { touched: [] },
    });
  });

  it('does not blame the tests when it cannot be entered any more', async () => {
    const room = await openCleanRoom({ workTree: tree, scratchDir, putBack: PUT_BACK });
    if ('unusable' in room || room.as === undefined) return;
    const findings = await room.inspect({ exitCode: 125, output: 'something\nmount: permission denied.\n' });
    expect(findings.problem).toBe('the clean room could not be entered: mount: permission denied.');
    await room.close();
  });

  it('starts nothing when its user died before it could be killed with it', async () => {
    const room = await openCleanRoom({ workTree: tree, scratchDir, putBack: PUT_BACK });
    if ('unusable' in room || room.as === undefined) return;
    const { command, args, env } = room.wrap({ command: '/bin/sh', args: ['-c', 'echo started'], cwd: tree, env: {} });
    // Its parent is a shell, as it would be init.
    const between = ['-c', '"$@"; exit $?', 'sh', command, ...args];
    const { status, stdout } = spawnSync('/bin/sh', between, { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
    await room.close();
  });

  it('is not made for a run that was aborted, and leaves nothing', async () => {
    expect(await runInRoom(':', { signal: AbortSignal.abort() })).toMatchObject({ unusable: expect.any(String) });
    expect(readdirSync(scratchDir)).toEqual([]);
  });

  it('is probed without leaving anything', async () => {
    expect(await probeCleanRoom({ scratchDir, toolPath: '/nowhere' })).toEqual({
      kind: 'copy',
      isSamePath: false,
      as: undefined,
      refusals: ['this system has no unshare, setpriv and mount of util-linux'],
    });
    expect(readdirSync(scratchDir)).toEqual([]);
  });
});
