import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { messageOf } from './errors.js';
import { systemErrorWords } from './system-error-words.js';

function failureOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return messageOf(error);
  }
  throw new Error('it worked');
}

describe('an error of the system', () => {
  it.each([
    ['a missing file', join(tmpdir(), 'pawl-none', 'at all'), 'no such file'],
    ['a file in place of a folder', '/dev/null/x', 'a part of its path is a file, not a folder'],
    ['a folder', '/', 'it is a folder'],
    ['a name that is too long', `/${'x'.repeat(300)}`, 'the name is too long'],
  ])('is said in words: %s', (_, path, words) => {
    expect(systemErrorWords(failureOf(() => readFileSync(path)))).toBe(words);
  });

  it.each([
    [
      "cannot write x: EACCES: permission denied, mkdir '/x'; and more",
      'cannot write x: no permission for it; and more',
    ],
    ["x cannot be read: EACCES: permission denied, open '/x'", 'x cannot be read: no permission to read it'],
    ["ENOENT: no such file or directory, rename 'a' -> 'b'", 'no such file'],
    ["EWEIRD: something else, open 'x'", "EWEIRD: something else, open 'x'"],
    ['ENOENT is what it said', 'ENOENT is what it said'],
    ['the disk is gone', 'the disk is gone'],
  ])('%s', (message, words) => {
    expect(systemErrorWords(message)).toBe(words);
  });
});
