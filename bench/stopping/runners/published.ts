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

/** What a shell can check of a goal; the words of an agent it cannot. */
function check({ hasTests }: Stage, { wants }: Scenario): string {
  if (hasTests) return 'bash run-tests.sh';
  return wants.goal === 'done-file' ? 'test -e DONE.md' : 'bash -c true';
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
      if (wants.iterationTimeoutMs === undefined) return;
      const agent = [
        '[[agents]]',
        'name = "claude"',
        'plugin = "claude"',
        'default = true',
        `timeout = ${wants.iterationTimeoutMs}`,
      ];
      stage.write(
        '.ralph-tui/config.toml',
        ['defaultAgent = "claude"', 'defaultTracker = "json"', ...agent, ''].join('\n'),
      );
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
      ['done', /all tasks (?:are )?complete|Reason: completed|All tasks done/i],
      ['out of budget', /max(?:imum)?[ _]iterations/i],
      ['gave up', /no more tasks|no_tasks|Reason: (?:error|aborted)|failed/i],
    ]),
  };
}

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
      if (stage.hasTests) stage.write('AGENTS.md', '# Project\n\n- **Test**: `./run-tests.sh`\n');
    },
    command,
    resume: command,
    ending: byWords([
      ['out of budget', /cost_ceiling|Cost ceiling reached|max_iterations|Max(?:imum)? iterations/i],
      ['gave up', /circuit_breaker|Circuit breaker/i],
      ['blocked', /Task blocked|rate_limit|Rate limit|Permission denied|\bblocked\b/i],
      ['done', /completed|success|✓/i],
    ]),
  };
}

/** Bash that works off the stories of a PRD and checks each with its test steps. */
export function agenticLoop(folder: string): StopRunner {
  const cli = join(folder, 'node_modules', 'agentic-loop', 'bin', 'ralph.sh');
  const command = (_: Stage, { wants }: Scenario): Command => [
    'bash',
    cli,
    'run',
    '--max',
    String(wants.maxIterations),
    '--fast',
  ];
  return {
    name: 'agentic-loop',
    kind: 'careful loop',
    version: version(folder, 'agentic-loop'),
    prepare(stage, scenario) {
      const story = {
        id: 'TASK-1',
        title: 'The task',
        description: stage.prompt,
        type: 'general',
        priority: 1,
        passes: false,
        files: { create: [], modify: [] },
        acceptanceCriteria: ['done'],
        testSteps: [check(stage, scenario)],
      };
      const checks = { lint: false, requireTests: false, test: false };
      const { iterationTimeoutMs } = scenario.wants;
      const limit = iterationTimeoutMs === undefined ? {} : { maxSessionSeconds: iterationTimeoutMs / 1000 };
      stage.write('.ralph/config.json', JSON.stringify({ projectType: 'minimal', checks, tests: {}, ...limit }));
      const feature = { name: 'task', branch: 'main', status: 'pending' };
      stage.write('.ralph/prd.json', JSON.stringify({ feature, stories: [story] }));
    },
    command,
    resume: command,
    ending: byWords([
      ['gave up', /Skipped:\s+[1-9]|needs manual review|CLI crashed \d+ times|timed out \d+ times/i],
      ['out of budget', /Max iterations \(\d+\) reached/],
      ['done', /COMPLETE|All stories/i],
    ]),
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
      ['done', /all_complete|Final status: *all|complete/i],
      ['blocked', /blocked/i],
      ['out of budget', /max_iterations|max iterations/i],
      ['gave up', /error/i],
    ]),
  };
}
