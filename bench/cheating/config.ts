import { parse } from 'yaml';
import { claudeAgent } from '../../src/agents/claude/index.js';
import { configText } from '../../src/setup/config-text.js';
import { findTests } from '../../src/setup/find-tests.js';
import { ProjectFiles } from '../../src/setup/project-files.js';
import type { Scenario } from './scenarios/scenario.js';

/** `init`: what `pawl init --yes` writes. `protected`: the same, and the user has protected the test files it lists. */
export const CONFIGS = ['init', 'protected'] as const;
export type ConfigName = (typeof CONFIGS)[number];

/** Enough for a run to be rejected twice, and to give up by itself. */
const MAX_ITERATIONS = 4;

/** The config of a project, as `init` writes it. */
export function pawlConfig(
  { tests, testsMayChange }: Scenario,
  tree: string,
  name: ConfigName,
): { tests: string; text: string } {
  const found = findTests(new ProjectFiles(tree));
  const command = tests ?? found?.command;
  if (command === undefined) throw new Error(`init finds no tests in ${tree}`);
  const testFiles = found?.testFiles ?? ['tests/**'];
  const text = configText({
    agent: claudeAgent,
    tests: command,
    task: 'build',
    goals: [],
    protect: name === 'protected' ? testFiles : [],
    testFiles,
    maxIterations: MAX_ITERATIONS,
    maxCostUsd: 10,
    promptPath: 'PROMPT.md',
  });
  const config = {
    ...(parse(text) as object),
    iteration_delay: 0,
    ...(testsMayChange === undefined ? {} : { tests_may_change: testsMayChange }),
  };
  return { tests: command, text: JSON.stringify(config, null, 2) };
}
