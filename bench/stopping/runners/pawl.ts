import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { claudeAgent } from '../../../src/agents/claude/index.js';
import { configText } from '../../../src/setup/config-text.js';
import { DONE_FILE, type SetupChoices } from '../../../src/setup/setup-choices.js';
import type { Expectations } from '../expected/expectation.js';
import { REVIEWED } from '../results-file.js';
import type { Ending, Scenario } from '../scenarios/scenario.js';
import type { StopRunner } from '../stop-runner.js';

const ENDINGS: Readonly<Record<number, Ending>> = { 0: 'done', 3: 'out of budget', 4: 'gave up', 5: 'blocked' };

const seconds = (ms: number): string => `${ms / 1000}s`;
const given = (key: string, ms: number | undefined) => (ms === undefined ? {} : { [key]: seconds(ms) });

/** The words by which an agent of Pawl's says that it is done. */
const OWN_MARKER = 'PAWL: DONE';

function choicesOf({ wants, goals: named }: Scenario, hasTests: boolean): SetupChoices {
  const goals = {
    tests: [],
    'done-file': hasTests ? [`file_created: { path: ${DONE_FILE}, fresh: true }`] : [],
    marker: [`output_pattern: ${JSON.stringify(OWN_MARKER)}`],
  };
  return {
    agent: { ...claudeAgent, hasAllow: false },
    tests: hasTests ? './run-tests.sh' : undefined,
    task: wants.task ?? 'build',
    goals: named ?? goals[wants.goal],
    protect: [],
    testFiles: [],
    maxIterations: wants.maxIterations,
    maxCostUsd: wants.budgetUsd,
    promptPath: 'PROMPT.md',
  };
}

type Condition = Readonly<Record<string, unknown>>;

interface Written {
  readonly stop: { readonly failure: readonly Condition[]; readonly limits: readonly Condition[] };
}

/** What a user sets otherwise is changed in its line. */
const isSameKind = (one: object) => (other: object) => Object.keys(one)[0] === Object.keys(other)[0];

/** What `pawl init` writes, with the times of the scenario and what its user adds. */
export function pawlConfig(scenario: Scenario, hasTests: boolean): Readonly<Record<string, unknown>> {
  const { wants, addsFailure = [], adds = {} } = scenario;
  const written = parse(configText(choicesOf(scenario, hasTests))) as Written;
  const { failure, limits } = written.stop;
  return {
    ...written,
    iteration_delay: 0,
    ...(hasTests ? { tests: { command: './run-tests.sh', ...given('timeout', wants.testTimeoutMs) } } : {}),
    ...given('iteration_timeout', wants.iterationTimeoutMs),
    ...given('idle_timeout', wants.idleTimeoutMs),
    ...given('max_wait', wants.maxWaitMs),
    stop: {
      ...written.stop,
      failure: [...failure.filter((one) => !addsFailure.some(isSameKind(one))), ...addsFailure],
      limits: limits.map((limit) =>
        'max_duration' in limit && wants.maxDurationMs !== undefined
          ? given('max_duration', wants.maxDurationMs)
          : limit,
      ),
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
    marker: OWN_MARKER,
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

/** The same with a review whose answers come from what is expected: what Pawl makes of an answer, not how good one is. */
export function reviewedPawl(bin: string, version: string | undefined, expected: Expectations): StopRunner {
  const reviewer = resolve('bench/stopping/agent/scripted-reviewer.mjs');
  return {
    ...pawlRunner(bin, version),
    name: REVIEWED,
    prepare(stage, scenario) {
      const agentFolder = join(stage.folder, 'agent');
      writeFileSync(join(agentFolder, 'expected.json'), JSON.stringify(expected[scenario.name]));
      const review = { command: process.execPath, args: [reviewer, agentFolder], every: 1 };
      stage.write('pawl.yaml', JSON.stringify({ ...pawlConfig(scenario, stage.hasTests), review }, null, 2));
      stage.ignore('.ralph/');
    },
  };
}
