import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile } from './config-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(content: string | Buffer): string {
  const path = join(folder, 'pawl.yaml');
  writeFileSync(path, content);
  return path;
}

describe('readConfigFile', () => {
  it('reads text, without the byte order mark', () => {
    expect(readConfigFile(file('\uFEFFa: 1'))).toMatchObject({ kind: 'read', text: 'a: 1' });
  });

  it.each([
    ['no file', () => join(folder, 'none.yaml')],
    ['a file where a folder should be', () => join(file(''), 'pawl.yaml')],
  ])('%s is missing', (_name, make) => {
    expect(readConfigFile(make())).toEqual({ kind: 'missing' });
  });

  it.each<[string, () => string, string]>([
    ['a directory', () => folder, 'is a directory, not a file'],
    ['a device that never ends', () => '/dev/zero', 'is not a regular file'],
    [
      'a FIFO that nobody writes to',
      () => {
        const path = join(folder, 'fifo');
        execFileSync('mkfifo', [path]);
        return path;
      },
      'is not a regular file',
    ],
    [
      'a link to nothing',
      () => {
        symlinkSync(join(folder, 'gone'), join(folder, 'link'));
        return join(folder, 'link');
      },
      'is a link to a missing file',
    ],
    [
      'a link to itself',
      () => {
        symlinkSync('circle', join(folder, 'circle'));
        return join(folder, 'circle');
      },
      'is a link to itself',
    ],
    ['a name that is too long', () => join(folder, 'x'.repeat(300)), 'is not a path: the name is too long'],
    [
      'ten gigabytes',
      () => {
        const path = file('');
        truncateSync(path, 10 * 1024 ** 3);
        return path;
      },
      'is larger than 1 MB; that is not a config',
    ],
    ['a NUL byte', () => file('a: \0b'), 'contains a NUL at byte 3; a config is UTF-8 text'],
    ['Latin-1', () => file(Buffer.from([0x61, 0x3a, 0x20, 0xe9])), 'is not valid UTF-8 text'],
    ['a path with a NUL in it', () => join(folder, 'a\0b'), 'is not a path'],
  ])('refuses %s', (_name, make, message) => {
    expect(readConfigFile(make())).toEqual({ kind: 'refused', message });
  });

  it('takes a file of exactly the largest size', () => {
    expect(readConfigFile(file(`#${'x'.repeat(1024 * 1024 - 1)}`)).kind).toBe('read');
    expect(readConfigFile(file(`#${'x'.repeat(1024 * 1024)}`)).kind).toBe('refused');
  });

  it('reads nothing of a file of 100 MB', () => {
    const path = file('');
    truncateSync(path, 100_000_000);
    const [before, refusal, after] = [readBytes(), readConfigFile(path), readBytes()];
    expect(refusal).toEqual({ kind: 'refused', message: expect.stringContaining('larger than 1 MB') });
    expect(after - before).toBeLessThan(100_000);
  });

  it.runIf(existsSync('/proc/kallsyms'))('refuses a file that is large and says that it is empty', () => {
    const message = 'is larger than 1 MB; that is not a config';
    expect(readConfigFile('/proc/kallsyms')).toEqual({ kind: 'refused', message });
  });
});

/** What this process has read so far, by the system's account. */
function readBytes(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
