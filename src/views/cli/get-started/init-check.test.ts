import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claudeAgent } from '../../../agents/claude/index.js';
import { configText } from '../../../setup/config-text.js';
import type { SetupChoices } from '../../../setup/setup-choices.js';
import { checkWritten } from './init-check.js';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-init-check-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const CHOICES: SetupChoices = {
  agent: claudeAgent,
  tests: 'npm test',
  task: 'build',
  goals: [],
  protect: [],
  testFiles: [],
  maxIterations: 25,
  maxCostUsd: 10,
  promptPath: 'PROMPT.md',
};

const check = (choices: SetupChoices, more = '') =>
  checkWritten(configText(choices) + more, folder, choices, process.env);

describe('a config that init is about to write', () => {
  it.each([
    'hooks: { on_stop: touch PWNED }',
    'checks: { a: touch PWNED }',
    'notify: { command: touch PWNED }',
    'env: { NODE_OPTIONS: --require ./evil.js }',
    'working_dir: ..',
  ])('is not written when a name in the folder has got this into it: %s', (evil) => {
    expect(() => check(CHOICES, `${evil}\n`)).toThrow('other commands than those you chose');
  });

  it('is written with any command and goal that was chosen', () => {
    const text = fc
      .string({ minLength: 1, unit: anyCharacter })
      .filter((one) => one.trim() === one && !one.includes('\0'));
    fc.assert(
      fc.property(text, text, (tests, file) => {
        check({ ...CHOICES, tests, goals: ['all_tests_pass', JSON.stringify({ file_created: file })] });
      }),
    );
    check({ ...CHOICES, goals: ['custom_script: "true"', 'all: [all_tests_pass, { custom_script: "false" }]'] });
  });

  it('has no goal of tests that nobody runs', () => {
    expect(() => check({ ...CHOICES, tests: undefined, goals: ['all_tests_pass'] })).toThrow(
      /^--goal: all_tests_pass needs tests.*--tests/,
    );
    expect(() => check({ ...CHOICES, tests: undefined, goals: ['any: [{ specific_tests_pass: [a] }]'] })).toThrow(
      'needs tests',
    );
    check({ ...CHOICES, tests: undefined, goals: ['file_created: OUT'] });
  });
});
