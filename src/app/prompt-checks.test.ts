import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { resolveConfig } from '../config/resolve-config.js';
import { messageOf } from '../model/errors.js';
import { promptText } from '../setup/prompt-text.js';
import type { SetupChoices } from '../setup/setup-choices.js';
import { checkEdited, checkPrompt, withPromptFile } from './prompt-checks.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-run-prompt-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  mkdirSync(join(folder, 'folder'));
  symlinkSync('loop', join(folder, 'loop'));
  writeFileSync(join(folder, 'blank.md'), '\ufeff \n\t\u00a0\n');
  writeFileSync(join(folder, 'late.md'), `${' '.repeat(200_000)}Go.`);
  writeFileSync(join(folder, 'empty.md'), '');
  writeFileSync(join(folder, 'init.md'), promptText({ goals: [], protect: [] } as unknown as SetupChoices));
  writeFileSync(join(folder, 'huge.md'), 'Go.');
  truncateSync(join(folder, 'huge.md'), 17 * 1024 * 1024);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Why it is refused, or nothing. */
function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return messageOf(error).replaceAll(`${folder}/`, '');
  }
}

const check = (config: LoopConfig) =>
  refusalOf(() => checkPrompt(resolveConfig(config, { cwd: folder }), process.cwd()));
const edited = (config: LoopConfig) =>
  refusalOf(() => checkEdited(resolveConfig(config, { cwd: folder }), process.cwd()));

describe('FILE of pawl run', () => {
  it.each([
    ['a FIFO, without waiting for its writer', 'pipe', '"pipe" is not a regular file'],
    ['a folder', 'folder', '"folder" is not a regular file'],
    ['a device', '/dev/null', '"/dev/null" is not a regular file'],
    ['a missing file', 'gone.md', 'there is no file "gone.md"'],
    ['a link that leads nowhere', 'loop', 'there is no file "loop"'],
    ['a prompt where a name should be', `Do ${'this and '.repeat(60)}that`, 'there is no file "Do this'],
    ['what lies below a file', 'late.md/x', 'there is no file "late.md/x"'],
  ])('refuses %s', (_, file, why) => {
    expect(refusalOf(() => withPromptFile({}, file, folder))).toContain(why);
  });
});

describe('the prompt of a run', () => {
  it('that nobody has edited since pawl init wrote it starts nothing', () => {
    expect(edited({ promptPath: 'init.md' })).toMatch(/init\.md .*pawl init.*replace/);
    expect(edited({ promptPath: 'late.md' })).toBeUndefined();
    expect(edited({ prompt: 'Go.' })).toBeUndefined();
  });

  it.each<[string, LoopConfig, string | RegExp | undefined]>([
    ['blanks', { prompt: '  \n\t ' }, /prompt contains only blanks/],
    ['words', { prompt: ' Go. ' }, undefined],
    ['a file of blanks', { promptPath: 'blank.md' }, /blank\.md contains only blanks/],
    ['an empty file', { promptPath: 'empty.md' }, 'the prompt empty.md is empty'],
    ['a file that begins late', { promptPath: 'late.md' }, undefined],
    ['a FIFO', { promptPath: 'pipe' }, /pipe .*not a regular file/],
    ['a missing file', { promptPath: 'gone.md' }, /no prompt file gone\.md/],
    ['more than a run would read', { promptPath: 'huge.md' }, /17,825,792 bytes.* 16,777,216 bytes/],
  ])('%s', (_, config, why) => {
    if (why === undefined) expect(check(config)).toBeUndefined();
    else expect(check(config)).toMatch(why);
  });

  it('may be blank now when a hook can still write it, but not when it is no file', () => {
    const hooks = { beforeIteration: 'make prompt' };
    expect(check({ promptPath: 'blank.md', hooks })).toBeUndefined();
    expect(check({ promptPath: 'folder', hooks })).toContain('is not a regular file');
    expect(check({ prompt: ' ', hooks })).toContain('only blanks');
  });
});
