import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { seeingPaths } from '../../test/support/node-fs.js';
import { livenessOf, ownIdentity } from './lock.js';

const self = ownIdentity();
afterEach(() => vi.restoreAllMocks());

describe('a process', () => {
  it('is found alive by its pid and start time', () => {
    expect(livenessOf(self, self)).toBe('alive');
  });

  it('is gone when it has ended', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(livenessOf({ ...self, pid: child.pid ?? 0, startTime: undefined }, self)).toBe('gone');
  });

  it.each([0, -1, 1.5, Number.NaN])('is gone when its pid cannot be one: %d', (pid) => {
    expect(livenessOf({ ...self, pid, startTime: undefined }, self)).toBe('gone');
  });

  it('of another boot is gone, and cannot be told when either boot is not known', () => {
    expect(livenessOf({ ...self, bootId: 'another' }, self)).toBe('gone');
    expect(livenessOf({ ...self, bootId: undefined }, self)).toBe('elsewhere');
    expect(livenessOf(self, { ...self, bootId: undefined })).toBe('elsewhere');
  });

  it('is alive when its start time is not known but its pid is in use', () => {
    expect(livenessOf({ ...self, startTime: undefined }, self)).toBe('alive');
  });

  it.runIf(process.platform === 'linux')('is gone when it has ended and nobody has taken notice', async () => {
    const parent = spawn('sh', ['-c', 'sh -c "exit 0" & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = { ...self, pid: Number(text), startTime: undefined };
    try {
      await expect.poll(() => livenessOf(zombie, self)).toBe('gone');
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('where /proc is missing or hides the processes of others', () => {
  const hidden = <T>(action: () => T) =>
    seeingPaths(
      'readFileSync',
      (path) => {
        if (path.endsWith('/stat')) throw Object.assign(new Error(path), { code: 'ENOENT' });
      },
      action,
    );
  const refusing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };

  it('a process is known without its start time', () => {
    expect(hidden(ownIdentity)).toEqual({ ...self, startTime: undefined });
  });

  it('a process is alive when it takes a signal, and when it belongs to somebody else: its run is not taken over', () => {
    expect(hidden(() => livenessOf(self, self))).toBe('alive');
    vi.spyOn(process, 'kill').mockImplementation(refusing('EPERM'));
    expect(hidden(() => livenessOf(self, self))).toBe('alive');
  });

  it('a process is gone when no signal finds it', () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(refusing('ESRCH'));
    expect(hidden(() => livenessOf(self, self))).toBe('gone');
    expect(kill.mock.calls).toEqual([[self.pid, 0]]);
  });
});
