import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { findProgram, whyNotRunnable } from './run-tool.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-find-'));
chmodSync(folder, 0o755);
mkdirSync(join(folder, 'bin'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string, mode = 0o755): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** Permissions are nothing to the superuser, as whom tests may run, and a thread cannot become somebody else. */
const hasPermissions = process.geteuid?.() !== 0 || isMainThread;

function asNobody<T>(look: () => T): T {
  if (process.geteuid?.() !== 0) return look();
  process.seteuid?.(65_534);
  try {
    return look();
  } finally {
    process.seteuid?.(0);
  }
}

const tool = write('bin/tool', '#!/bin/sh\n');

describe('a program', () => {
  it('is looked for in the folders of the path, in order', () => {
    const path = ['/no/such/folder', join(folder, 'bin'), '/usr/bin'].join(delimiter);
    expect(findProgram('tool', '/', path)).toBe(tool);
    expect(findProgram('tool', '/', '/no/such/folder')).toBeUndefined();
  });

  it('is not found by its name alone without a path', () => {
    expect(findProgram('no-such-tool', join(folder, 'bin'), undefined)).toBeUndefined();
  });

  it('is looked for in the working directory where the path has an empty part, as a shell does', () => {
    expect(findProgram('tool', join(folder, 'bin'), `/no/such/folder${delimiter}`)).toBe(tool);
    expect(findProgram('tool', folder, 'bin')).toBe(tool);
  });

  it('that is named by its file is found without the path', () => {
    expect(findProgram('bin/tool', folder, undefined)).toBe(tool);
    expect(findProgram(tool, '/', undefined)).toBe(tool);
    expect(findProgram('./tool', folder, join(folder, 'bin'))).toBeUndefined();
  });

  it('that is no file, or cannot be executed, does not hide the one behind it in the path', () => {
    mkdirSync(join(folder, 'first', 'tool'), { recursive: true });
    mkdirSync(join(folder, 'second'));
    write('second/tool', '#!/bin/sh\n', 0o644);
    const path = ['first', 'second', 'bin'].map((name) => join(folder, name)).join(delimiter);
    expect(findProgram('tool', '/', path)).toBe(tool);
  });

  it('whose interpreter is not there is none: it would fail as if by its own fault', () => {
    write('dangling', '#! /no/such/interpreter -x\n');
    expect(findProgram('./dangling', folder, undefined)).toBeUndefined();
    const relative = write('relative', '#!bin/tool\n');
    expect(findProgram('./relative', folder, undefined)).toBe(relative);
  });

  it('that is no script needs no interpreter, whatever is written in it', () => {
    const binary = write('binary', '\x7fELF\n#!/no/such/interpreter\n');
    expect(findProgram(binary, '/', undefined)).toBe(binary);
  });

  it.runIf(hasPermissions)('that may be run but not read is found', () => {
    const secret = write('secret', '#!/no/such/interpreter\n', 0o711);
    expect(asNobody(() => findProgram(secret, '/', undefined))).toBe(secret);
  });
});

describe('why a file cannot be run', () => {
  it('is said in words that say what to do', () => {
    write('plain', 'echo\n', 0o644);
    write('gone-interpreter', '#!/no/such/interpreter\n');
    expect(whyNotRunnable('nowhere', folder)).toBe('it is not there');
    expect(whyNotRunnable('plain/under', folder)).toMatch(/path is a file/);
    expect(whyNotRunnable('bin', folder)).toBe('it is not a file');
    expect(whyNotRunnable('plain', folder)).toBe('make it executable (chmod +x plain)');
    expect(whyNotRunnable('gone-interpreter', folder)).toMatch(/interpreter \/no\/such\/interpreter /);
  });

  it.runIf(hasPermissions)('is a permission where there is none to look', () => {
    mkdirSync(join(folder, 'locked'));
    write('locked/tool', '#!/bin/sh\n');
    chmodSync(join(folder, 'locked'), 0o700);
    if (process.geteuid?.() !== 0) chmodSync(join(folder, 'locked'), 0);
    expect(asNobody(() => whyNotRunnable('locked/tool', folder))).toBe('no permission for it');
    chmodSync(join(folder, 'locked'), 0o700);
  });

  it('is a link where one leads back to itself', () => {
    symlinkSync('ring', join(folder, 'ring'));
    expect(whyNotRunnable('ring', folder)).toMatch(/link.*itself/);
  });

  it('names no interpreter for a file that can be run by now', () => {
    const program = write('late', '\x7fELF');
    expect(whyNotRunnable(program, '/')).toMatch(/not be run/);
  });
});
