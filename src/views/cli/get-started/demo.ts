import { wordOf } from '../../../model/outcome.js';
import { cpSync, existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../config/load-config.js';
import { FileSystemError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { parseCondition } from '../../../model/parse-condition.js';
import type { Policy } from '../../../model/policy.js';
import type { RunEvent } from '../../../model/run-event.js';
import type { ReplayedStop } from '../../../replay/lane.js';
import { replay } from '../../../replay/replay.js';
import { temporaryFolder } from '../../../run/control-place.js';
import { createSpecRun } from '../../../run/run-handle.js';
import { plural } from '../../../model/figures.js';
import { driveRun } from '../run/drive-run.js';
import { type Terminal, wrap } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';

const PROJECT = join('examples', 'demo');

/**
 * A real loop in a folder of its own: a small project with failing tests, and an agent that is a script and needs no key.
 * Then asks what other policies would have done with the same record.
 */
export async function showDemo(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const folder = realpathSync(mkdtempSync(join(temporaryFolder(context.environment), 'pawl-demo-')));
  cpSync(findProject(), folder, { recursive: true });
  introduce(terminal, folder);
  const environment = environmentFor(folder, context.environment);
  const { spec } = loadConfig({ cwd: folder, env: { HOME: folder } });
  const run = createSpecRun(spec, { environment });
  const events: RunEvent[] = [];
  run.subscribe((event) => events.push(event));
  const exitCode = await driveRun(run, { workingDir: folder, cwd: folder }, { ...context, environment });
  wonder(events, terminal);
  return exitCode;
}

/** Up from this module to the package that it belongs to. */
function findProject(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, PROJECT, 'pawl.yaml'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new FileSystemError('find', PROJECT, 'it is not in the package');
    folder = parent;
  }
  return join(folder, PROJECT);
}

/** Nothing is kept outside the folder, and `node` is the one that runs this. */
function environmentFor(folder: string, environment: Environment): Environment {
  const PATH = [dirname(process.execPath), environment['PATH'] ?? ''].join(delimiter);
  return { ...environment, PATH, XDG_STATE_HOME: join(folder, '.state') };
}

function introduce(terminal: Terminal, folder: string): void {
  say(
    terminal,
    `A real loop in ${folder}: twelve failing tests and a scripted agent (examples/demo/agent.mjs), which needs no key and spends nothing; the dollars are what its tokens would cost. The agent breaks tests once and hangs once. Pawl runs the tests, ends the hanging agent, adds up the cost, and stops when the tests pass.`,
  );
  terminal.say();
}

const OTHERS: readonly {
  readonly name: string;
  readonly policy: Partial<Record<'success' | 'failure' | 'limits', unknown>>;
}[] = [
  { name: 'trust the agent', policy: { success: { output_pattern: 'ALL TESTS PASS' } } },
  { name: 'spend at most $0.25', policy: { success: 'all_tests_pass', limits: { max_cost: 0.25 } } },
  {
    name: 'count every failing run',
    policy: { success: 'all_tests_pass', failure: { test_failure_streak: { count: 3, strict: true } } },
  },
  { name: 'allow no timeout', policy: { success: 'all_tests_pass', failure: { consecutive_failures: 1 } } },
];

/** The same record under other policies: no agent, no cost. */
function wonder(events: readonly RunEvent[], terminal: Terminal): void {
  terminal.say();
  say(terminal, 'What would other policies have done with the same record?');
  for (const { name, policy } of OTHERS) {
    const list = (key: 'success' | 'failure' | 'limits') =>
      policy[key] === undefined ? [] : [parseCondition(policy[key])];
    const whole: Policy = { success: list('success'), failure: list('failure'), limits: list('limits') };
    terminal.say(`  ${name.padEnd(22)} ${terminal.style('reset', outcome(replay(events, whole).stop))}`);
  }
}

function outcome(stop: ReplayedStop | undefined): string {
  if (stop === undefined) return 'would have continued';
  const { within, iteration, figures, reasons, class: stopClass } = stop;
  const where = within === undefined ? `after iteration ${iteration}` : `in iteration ${within}`;
  const { testsFailed: failed } = figures;
  const left =
    failed === undefined ? '' : failed === 0 ? ', all tests pass' : `, with ${plural(failed, 'test')} failing`;
  return `${wordOf(stopClass, reasons[0]?.condition)} ${where}${left}`;
}

function say(terminal: Terminal, text: string): void {
  for (const line of wrap(text, terminal.columns)) terminal.say(line);
}
