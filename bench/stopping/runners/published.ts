import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending, Scenario } from '../scenarios/scenario.js';
import { MARKER } from '../scenarios/steps.js';
import type { Stage } from '../stage.js';
import type { Command, RunnerEnd, StopRunner } from '../stop-runner.js';

type Words = readonly (readonly [Ending, RegExp])[];

/** By what a runner says of its end: their exit codes are 0 for nearly everything. The last words count. */
function byWords(words: Words): (end: RunnerEnd) => Ending | undefined {
  return ({ output }) => words.find(([, pattern]) => pattern.test(output.slice(-4000)))?.[0];
}

function version(folder: string, name: string): string {
  const manifest = join(folder, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}

/** Runs on bun, without its screen: one story, done when the agent says so. */
export function ralphTui(folder: string): StopRunner {
  const modules = join(folder, 'node_modules');
  const bun = join(modules, '@oven', `bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, 'bin', 'bun');
  const cli = join(modules, 'ralph-tui', 'dist', 'cli.js');
  const quiet = ['--headless', '--no-setup', '--no-notify'];
  return {
    name: 'ralph-tui',
    kind: 'promise runner',
    version: version(folder, 'ralph-tui'),
    prepare(stage, { wants }) {
      const story = {
        id: 'US-1',
        title: 'The task',
        description: stage.prompt,
        acceptanceCriteria: ['done'],
        priority: 1,
        passes: false,
      };
      stage.write(
        'prd.json',
        JSON.stringify({ name: 'task', description: 'task', branchName: 'main', userStories: [story] }),
      );
      const timeout = wants.iterationTimeoutMs === undefined ? [] : [`timeout = ${wants.iterationTimeoutMs}`];
      const agent = ['[[agents]]', 'name = "claude"', 'plugin = "claude"', 'default = true', ...timeout];
      // Three failures in a row are what the others get; by default it ends at the first.
      const errors = ['[errorHandling]', 'strategy = "retry"', 'maxRetries = 2', 'retryDelayMs = 0'];
      const defaults = ['defaultAgent = "claude"', 'defaultTracker = "json"'];
      stage.write('.ralph-tui/config.toml', [...defaults, ...agent, ...errors, ''].join('\n'));
    },
    command: (_, { wants }): Command => [
      bun,
      cli,
      'run',
      '--prd',
      'prd.json',
      '--agent',
      'claude',
      '--iterations',
      String(wants.maxIterations),
      '--delay',
      '0',
      ...quiet,
    ],
    resume: (): Command => [bun, cli, 'resume', '--headless'],
    ending: byWords([
      ['done', /Ralph stopped\. Reason: completed/],
      ['out of budget', /Ralph stopped\. Reason: max_iterations/],
      ['gave up', /Ralph stopped\. Reason: (?:no_tasks|error|aborted)/],
    ]),
  };
}

const STARTER_ENDINGS = byWords([
  ['out of budget', /Error: (?:cost_ceiling|max_iterations)/],
  ['gave up', /Error: circuit_breaker/],
  ['blocked', /Error: (?:blocked|rate_limit)/],
]);

/** Loops on one task, with a ceiling of cost, checks of its own and a circuit breaker. */
export function ralphStarter(folder: string): StopRunner {
  const cli = join(folder, 'node_modules', 'ralph-starter', 'dist', 'cli.js');
  const command = (stage: Stage, { wants }: Scenario): Command => [
    process.execPath,
    cli,
    'run',
    stage.prompt,
    '--agent',
    'claude-code',
    '--headless',
    '--no-auto-skills',
    '--output-dir',
    '.',
    '--max-iterations',
    String(wants.maxIterations),
    '--max-cost',
    String(wants.budgetUsd),
    '--completion-promise',
    MARKER,
    ...(stage.hasTests ? ['--validate'] : []),
  ];
  return {
    name: 'ralph-starter',
    kind: 'promise runner',
    version: version(folder, 'ralph-starter'),
    prepare(stage) {
      // Without a person it leaves the tests out. Called a build they are run, and it is right in fewer scenarios (18, not 22).
      if (stage.hasTests) stage.write('AGENTS.md', '# Project\n\n- **Test**: `./run-tests.sh`\n');
    },
    command,
    resume: command,
    // It says nothing when it is content.
    ending: (end) => (end.exitCode === 0 ? 'done' : STARTER_ENDINGS(end)),
  };
}

/** A bun executable that works off the check boxes of a PRD: one for each feature that is asked for. */
export function ralphy(folder: string): StopRunner {
  const binary = join(
    folder,
    'node_modules',
    'ralphy-cli',
    'dist',
    `ralphy-linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`,
  );
  const command = (_: Stage, { wants }: Scenario): Command => [
    binary,
    '--fast',
    '--no-commit',
    '--no-browser',
    '--max-iterations',
    String(wants.maxIterations),
  ];
  return {
    name: 'ralphy-cli',
    kind: 'task runner',
    version: version(folder, 'ralphy-cli'),
    prepare(stage, { project }) {
      const tasks = stage.hasTests ? project.tests.map((test) => `build ${test}`) : ['do what PROMPT.md says'];
      stage.write('PRD.md', tasks.map((task) => `- [ ] ${task}\n`).join(''));
    },
    command,
    resume: command,
    ending: byWords([
      ['out of budget', /max(?:imum)? iterations/i],
      ['gave up', /aborting|giving up|failed: *[1-9]|Failed: [1-9]|rate limit/i],
      ['done', /all tasks completed|completed|no more tasks|done/i],
    ]),
  };
}

/** `task-master loop`: the agent chooses and closes the tasks, the loop counts and looks for its own words. */
export function taskMaster(folder: string): StopRunner {
  const cli = join(folder, 'node_modules', 'task-master-ai', 'dist', 'task-master.js');
  const command = (_: Stage, { wants }: Scenario): Command => [
    process.execPath,
    cli,
    'loop',
    '-n',
    String(wants.maxIterations),
    '--prompt',
    'PROMPT.md',
  ];
  return {
    name: 'task-master loop',
    kind: 'promise runner',
    version: version(folder, 'task-master-ai'),
    marker: '<loop-complete>ALL_DONE</loop-complete>',
    pauseMs: 5000,
    prepare(stage) {
      const task = {
        id: 1,
        title: 'The task',
        description: stage.prompt,
        status: 'pending',
        priority: 'high',
        dependencies: [],
        details: '',
        testStrategy: '',
        subtasks: [],
      };
      const metadata = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z', description: 'task' };
      stage.write('.taskmaster/tasks/tasks.json', JSON.stringify({ master: { tasks: [task], metadata } }));
    },
    command,
    resume: command,
    ending: byWords([
      ['done', /Final status: All tasks complete/],
      ['out of budget', /Final status: Max iterations reached/],
      ['blocked', /Final status: .*blocked/i],
      ['gave up', /Final status: .*error/i],
    ]),
  };
}
