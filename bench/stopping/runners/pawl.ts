import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEFAULT_PATIENCE } from '../../../src/config/default-policy.js';
import type { Ending, Scenario, Wants } from '../scenarios/scenario.js';
import { MARKER } from '../scenarios/steps.js';
import type { StopRunner } from '../stop-runner.js';

const ENDINGS: Readonly<Record<number, Ending>> = { 0: 'done', 3: 'out of budget', 4: 'gave up', 5: 'blocked' };

const seconds = (ms: number): string => `${ms / 1000}s`;
const given = (key: string, ms: number | undefined) => (ms === undefined ? {} : { [key]: seconds(ms) });

function goal({ goal: by }: Wants): unknown {
  return { tests: 'all_tests_pass', 'done-file': { file_created: 'DONE.md' }, marker: { output_pattern: MARKER } }[by];
}

function patience({ maxIterations }: Wants, hasTests: boolean): readonly object[] {
  const { no_progress, test_failure_streak, consecutive_failures, permission_denied } = DEFAULT_PATIENCE;
  return [
    { no_progress: Math.min(no_progress, maxIterations) },
    ...(hasTests ? [{ test_failure_streak: Math.min(test_failure_streak, maxIterations) }] : []),
    { consecutive_failures: Math.min(consecutive_failures, maxIterations) },
    { permission_denied },
  ];
}

/** What a user sets otherwise is changed in its line. */
const isSameKind = (one: object) => (other: object) => Object.keys(one)[0] === Object.keys(other)[0];

/** What `pawl init` writes, with the numbers of the scenario and what its user adds. */
export function pawlConfig(
  { wants, addsFailure = [], adds = {} }: Scenario,
  hasTests: boolean,
): Readonly<Record<string, unknown>> {
  return {
    agent: { name: 'claude', permissions: 'edit' },
    prompt_path: 'PROMPT.md',
    iteration_delay: 0,
    ...(hasTests ? { tests: { command: './run-tests.sh', ...given('timeout', wants.testTimeoutMs) } } : {}),
    ...given('iteration_timeout', wants.iterationTimeoutMs),
    ...given('idle_timeout', wants.idleTimeoutMs),
    ...given('max_wait', wants.maxWaitMs),
    stop: {
      success: [goal(wants)],
      confirm: 2,
      ...(hasTests ? { at_least: 1 } : {}),
      failure: [...patience(wants, hasTests).filter((one) => !addsFailure.some(isSameKind(one))), ...addsFailure],
      limits: [
        { max_iterations: wants.maxIterations },
        { max_cost: wants.budgetUsd },
        { max_duration: seconds(wants.maxDurationMs ?? 4 * 3_600_000) },
      ],
    },
    ...adds,
  };
}

/** The command in a folder of its own, so that a build by somebody else does not take it away. */
export function buildPawl(folder: string): string {
  const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/build.mjs'), '--cli-if-stale']);
  if (status !== 0) throw new Error(`the command cannot be built: ${stderr.toString()}`);
  cpSync(resolve('dist/bin'), join(folder, 'bin'), { recursive: true });
  // The price list is not bundled.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return join(folder, 'bin/pawl.js');
}

export function pawlRunner(bin: string, version: string | undefined): StopRunner {
  return {
    name: 'Pawl',
    kind: 'pawl',
    version,
    prepare(stage, scenario) {
      stage.write('pawl.yaml', JSON.stringify(pawlConfig(scenario, stage.hasTests), null, 2));
      stage.ignore('.ralph/');
    },
    command: () => [process.execPath, bin, 'run'],
    resume: () => [process.execPath, bin, 'resume'],
    ending: ({ exitCode }) => ENDINGS[exitCode],
  };
}
