import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { submittedFile } from './submitted-file.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-submitted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(name: string, content?: Buffer | string): string {
  const path = join(folder, name);
  if (content !== undefined) writeFileSync(path, content);
  return submittedFile({ path, shown: name, role: '--matrix', limitBytes: 1000 });
}

it('a text is read as it is, with a mark at its beginning and a sign that stands for no sign', () => {
  const text = '\uFEFFä 名 \uFFFD 😀\r\n\n';
  expect(read('text', text)).toBe(text);
});

it.each([
  [[0x61, 0xff], '1:2'],
  [[0x61, 0x0a, 0xc3, 0xa4, 0xc3], '2:2'],
  [[0xef, 0xbf, 0xbd, 0x62, 0xfe, 0x0a, 0x63], '1:3'],
  [[0x0a, 0xed, 0xa0, 0x80], '2:1'],
])('bytes that are no UTF-8 (%j) are refused where they begin', (bytes, place) => {
  expect(() => read('bytes', Buffer.from(bytes))).toThrow(new RegExp(`^bytes:${place}: .*UTF-8`));
});

it('what is no file, or no file that can be read, is refused in words and not waited for', () => {
  mkdirSync(join(folder, 'folder'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'large'), '');
  truncateSync(join(folder, 'large'), 1001);
  expect(() => read('folder')).toThrow(/^--matrix: folder is a folder/);
  expect(() => read('pipe')).toThrow(/^--matrix: pipe .*regular file/);
  expect(() => read('large')).toThrow(/^--matrix: large .*1,001 bytes.* 1,000 bytes/);
  expect(() => read('none')).toThrow(/^--matrix: none .*no such file/);
  expect(() => read('a\0b')).toThrow('is not a path');
  const device = { path: '/dev/zero', shown: '/dev/zero', role: '--matrix', limitBytes: 10 };
  expect(() => submittedFile(device)).toThrow('/dev/zero is not a regular file');
});
