import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claudeAgent } from '../agents/claude/index.js';
import { AGENTS } from '../agents/index.js';
import { qwenAgent } from '../agents/qwen.js';
import { DEFAULT_FAILURE } from '../config/default-policy.js';
import { parseLayer } from '../config/file-layer.js';
import { projectCommands } from '../config/project-commands.js';
import { resolveLayers } from '../config/load-config.js';
import { reviewPolicy } from '../config/review-policy.js';
import { configText } from './config-text.js';
import { promptText } from './prompt-text.js';
import type { SetupChoices } from './setup-choices.js';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-config-text-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const CHOICES: SetupChoices = {
  agent: claudeAgent,
  tests: 'npm test',
  task: 'build',
  goals: [],
  protect: [],
  testFiles: ['test/**'],
  maxIterations: 25,
  maxCostUsd: 10,
  promptPath: 'PROMPT.md',
};

function load(choices: SetupChoices) {
  const options = { source: 'project-file', path: join(folder, 'pawl.yaml'), cwd: folder, required: true } as const;
  const { layer, issues } = parseLayer(configText(choices), 'pawl.yaml', options);
  const layers = layer === undefined ? [] : [layer];
  const { spec, origins } = resolveLayers(
    layers,
    { cwd: folder, defaultAgent: 'claude', environment: process.env },
    { issues, warnings: [] },
  );
  const commands = projectCommands({ spec, origins, folders: [folder] }).map(({ path }) => path);
  return { spec, commands, warnings: reviewPolicy(spec, { origins, now: 0 }) };
}

describe('configText', () => {
  it('bears as much as a run without a config does, but no more iterations than there can be', () => {
    expect(load(CHOICES).spec.policy.failure).toEqual(DEFAULT_FAILURE);
    const counts = load({ ...CHOICES, maxIterations: 4 }).spec.policy.failure;
    expect(counts).toMatchObject([
      { type: 'no_progress', iterations: 4 },
      { type: 'test_failure_streak', count: 4 },
      { type: 'consecutive_failures', count: 3 },
      { type: 'permission_denied', count: 6 },
      { type: 'oscillation', count: 3 },
      { type: 'same_tool_failure', count: 4 },
      { type: 'false_done', count: 3 },
      { type: 'needs_person', requests: 2 },
    ]);
  });

  it('keeps every command, model, glob and number exactly, and is never warned of', () => {
    const text = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((one) => one.trim() === one && !one.includes('\0'));
    const choices = fc.record({
      tests: fc.option(text, { nil: undefined }),
      model: fc.option(
        text.filter((one) => !one.startsWith('-')),
        { nil: undefined },
      ),
      protect: fc.array(text, { maxLength: 2 }),
      maxIterations: fc.integer({ min: 0, max: 30 }),
      maxCostUsd: fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
      agent: fc.constantFrom(...AGENTS),
      review: fc.option(fc.constantFrom(...AGENTS), { nil: undefined }),
    });
    fc.assert(
      fc.property(choices, (some) => {
        const { spec, warnings } = load({ ...CHOICES, ...some });
        expect(warnings).toEqual([]);
        expect(spec.tests?.command).toBe(some.tests);
        expect(spec.agent.model).toBe(some.model);
        const veto = spec.policy.failure.find(({ type }) => type === 'protected_path_changed');
        expect(veto?.type === 'protected_path_changed' ? veto.paths : []).toEqual(some.protect);
        const cost = spec.policy.limits.find(({ type }) => type === 'max_cost');
        expect(cost?.type === 'max_cost' ? cost.usd : undefined).toBe(some.maxCostUsd);
      }),
    );
  });

  it('names an agent that edits files outside this folder as one', () => {
    expect(configText({ ...CHOICES, agent: qwenAgent })).toContain('outside this folder');
    expect(configText({ ...CHOICES, agent: claudeAgent })).toMatch(/edits files in this folder/);
  });

  it('has exactly the commands that were chosen, whatever a file of the project is called', () => {
    const name = fc.string({ minLength: 1, unit: anyCharacter });
    const nasty = fc.tuple(name, fc.constantFrom('\n', '\r', '\u0085', '\u2028'), name).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(name, nasty), fc.oneof(name, nasty), (why, schemaPath) => {
        const { spec, commands } = load({ ...CHOICES, testsWhy: `${why} is there`, schemaPath });
        expect(spec.hooks).toEqual({});
        expect(commands).toEqual(['agent.allow', 'tests']);
      }),
    );
  });

  it('does not take the rest of a file name with a line break for config', () => {
    const evil = 'App\nhooks: {on_stop: "touch PWNED; false"} #.sln is there';
    expect(load({ ...CHOICES, testsWhy: evil }).spec.hooks).toEqual({});
    expect(configText({ ...CHOICES, testsWhy: 'App.sln is there' })).toContain('(App.sln is there)');
  });

  it('allows the test command as it is, and none that a shell would take for two', () => {
    expect(load(CHOICES).spec.agent.allow).toEqual(['npm test']);
    for (const tests of ['npm test && rm -rf .', 'a; b', 'a | b', 'a $(b)', 'a > b', 'a `b`', 'a\nb']) {
      expect(load({ ...CHOICES, tests }).spec.agent.allow).toEqual([]);
    }
  });

  it('says why on lines that an editor shows whole', () => {
    const long = configText(CHOICES)
      .split('\n')
      .filter((line) => line.length > 120);
    expect(long).toEqual([]);
  });
});

it('a task to repair is done with the tests, a task to build when the agent says so, too', () => {
  const goals = (task: SetupChoices['task']) => load({ ...CHOICES, task }).spec.policy.success;
  expect(goals('repair')).toEqual([{ type: 'all_tests_pass' }]);
  expect(goals('build')).toEqual([{ type: 'all', conditions: [{ type: 'all_tests_pass' }, { type: 'settled' }] }]);
});

it('a review is the second half of a task to build, and costs at most what is asked', () => {
  const reviewed = (task: SetupChoices['task']) => load({ ...CHOICES, task, review: claudeAgent }).spec;
  const { policy, review } = reviewed('build');
  const agreed = { type: 'all', conditions: [{ type: 'all_tests_pass' }, { type: 'review_approves' }] };
  expect(policy.success).toEqual([agreed]);
  expect(reviewed('repair').policy.success).toEqual([agreed]);
  expect(review).toMatchObject({ agent: { name: 'claude', model: 'haiku' }, maxCostUsd: 1 });
});

describe('promptText', () => {
  it('tells the agent what counts as done', () => {
    expect(promptText({ ...CHOICES, task: 'repair' })).toMatch(/done when all tests pass/);
    expect(promptText(CHOICES)).toMatch(/whole task is done and all tests pass/);
    expect(promptText({ ...CHOICES, tests: undefined })).toContain('DONE.md');
    expect(promptText({ ...CHOICES, goals: ['file_created: OUT.txt'] })).toContain('file_created: OUT.txt');
    expect(promptText({ ...CHOICES, protect: ['test/**'] })).toContain('Do not change `test/**`.');
  });
});
