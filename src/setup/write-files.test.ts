import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFiles } from './write-files.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-write-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string, replaces = false) => ({ path: join(folder, name), text: `new ${name}`, replaces });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('writeFiles', () => {
  it('writes all, and leaves no draft behind', () => {
    expect(writeFiles([file('a'), file('b')])).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(['a', 'b']);
    expect(read('b')).toBe('new b');
  });

  it('writes none when something took a name meanwhile', () => {
    writeFileSync(join(folder, 'b'), 'old');
    expect(writeFiles([file('a'), file('b')])).toEqual({ error: expect.stringContaining('EEXIST') });
    expect(readdirSync(folder)).toEqual(['b']);
    expect(read('b')).toBe('old');
  });

  it('does not write through a link', () => {
    const outside = mkdtempSync(join(tmpdir(), 'pawl-write-outside-'));
    writeFileSync(join(outside, 'target'), 'old');
    symlinkSync(join(outside, 'target'), join(folder, 'a'));
    symlinkSync(join(outside, 'gone'), join(folder, 'b'));
    expect(writeFiles([file('b')])).toEqual({ error: expect.stringContaining('EEXIST') });
    expect(writeFiles([file('a', true)])).toBeUndefined();
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('old');
    expect(read('a')).toBe('new a');
    rmSync(outside, { recursive: true });
  });

  it('replaces a file and keeps its mode when told', () => {
    writeFileSync(join(folder, 'a'), 'old');
    chmodSync(join(folder, 'a'), 0o664);
    expect(writeFiles([{ ...file('a', true), mode: 0o664 }])).toBeUndefined();
    expect(read('a')).toBe('new a');
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o664);
  });

  it('says why when it cannot, and leaves nothing', () => {
    mkdirSync(join(folder, 'a'));
    expect(writeFiles([file('b'), file('a', true)])).toEqual({ error: expect.any(String) });
    expect(readdirSync(folder)).toEqual(['a']);
    expect(writeFiles([file('gone/a')])).toEqual({ error: expect.stringContaining('ENOENT') });
  });
});
