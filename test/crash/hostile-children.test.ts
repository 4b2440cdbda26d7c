import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { processesOfRun } from '../../src/process/process-table.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { FULL } from '../support/full-form.js';
import { isRunning } from '../support/is-running.js';
import { inLanes } from './in-lanes.js';

const ROUNDS = FULL ? 100 : 1;

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('hostile-children');
});
afterAll(() => cli.remove());

/**
 * Two children that are deaf and hold its output, one in its group and one in a session of its own. The agent works until
 * it is let go.
 */
const AGENT = `
deaf='trap "" TERM INT HUP; echo $$ >> pids; while :; do sleep 0.2; done'
bash -c "$deaf" &
setsid bash -c "$deaf" &
until [ "$(wc -l < pids 2>/dev/null || echo 0)" -ge 2 ]; do sleep 0.02; done
echo begun; touch begun
until [ -e go ]; do sleep 0.05; done
`;

const exists = (project: CliProject, name: string) => existsSync(join(project.path, name));

function pidsOf(project: CliProject): readonly number[] {
  return project.read('pids').trim().split('\n').map(Number);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20);
}

/** How many were recorded. */
function commandsIn(project: CliProject): number {
  const runs = join(project.path, '.ralph', 'runs');
  const journal = join(runs, readdirSync(runs)[0] ?? '', 'journal.jsonl');
  return readFileSync(journal, 'utf8').split('"type":"command-received"').length - 1;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function start(
  project: CliProject,
  words: readonly string[],
): { readonly child: ChildProcess; readonly over: Promise<unknown[]> } {
  const child = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, over: once(child, 'exit') };
}

const RUN = ['run', '-p', 'go', '--delay', '0', '--max-iterations', '1'];

/** What ends the run, and the exit code that it then has. */
interface Way {
  readonly name: string;
  readonly config?: string;
  readonly end: (project: CliProject, child: ChildProcess, over: Promise<unknown[]>) => Promise<unknown>;
  readonly codes: readonly (number | null)[];
}

const kill =
  (...signals: readonly NodeJS.Signals[]): Way['end'] =>
  async (project, child) => {
    for (const [index, signal] of signals.entries()) {
      child.kill(signal);
      // The next one comes when this one was heard. SIGHUP only ends the view.
      if (signal !== 'SIGHUP') await until(() => commandsIn(project) > index || hasEnded(child));
    }
    // Whoever lets the agent finish waits for it.
    project.write('go', '');
  };

const WAYS: readonly Way[] = [
  { name: 'a timeout', config: 'iteration_timeout: 2s', end: async () => undefined, codes: [3] },
  { name: 'one Ctrl-C', end: kill('SIGINT'), codes: [130] },
  { name: 'two Ctrl-C', end: kill('SIGINT', 'SIGINT'), codes: [130] },
  { name: 'SIGTERM', end: kill('SIGTERM'), codes: [130] },
  { name: 'SIGHUP', end: kill('SIGHUP'), codes: [3, 129, 130] },
  {
    name: 'a crash and a resume',
    async end(project, child, over) {
      child.kill('SIGKILL');
      await over;
      // The death of the runner is told to the agent; its children are deaf, and are found by whoever resumes.
      const [code] = (await start(project, ['resume']).over) as [number];
      expect(code).toBe(3);
    },
    codes: [null],
  },
];

async function round({ config = '', end, codes }: Way): Promise<void> {
  const project = new CliProject(cli, { agent: AGENT, hasGit: false });
  project.write('pawl.yaml', `${config}\n`);
  const { child, over } = start(project, [...RUN, '--', './agent.sh']);
  await until(() => exists(project, 'begun') || hasEnded(child));
  expect(pidsOf(project)).toHaveLength(2);
  await end(project, child, over);
  const [code] = (await over) as [number | null];
  expect(codes).toContain(code);
  const [run = ''] = readdirSync(join(project.path, '.ralph', 'runs'));
  // The runner has ended, and so has everything that its agent ever started.
  expect(pidsOf(project).filter(isRunning)).toEqual([]);
  expect(processesOfRun(run)).toEqual([]);
  const record = readFileSync(join(project.path, '.ralph', 'runs', run, 'journal.jsonl'), 'utf8');
  expect(record.match(/"type":"iteration-ended"/g)).toHaveLength(1);
  expect(record.match(/"type":"run-ended"/g)).toHaveLength(1);
  rmSync(project.home, { recursive: true, maxRetries: 5 });
}

describe('an agent with two deaf children that hold its output, one of them in a session of its own', () => {
  it.each(WAYS)(
    `leaves no process and holds nothing up when it ends by $name, ${ROUNDS} times`,
    async (way) => {
      await inLanes(ROUNDS, () => round(way));
    },
    1_200_000,
  );
});
