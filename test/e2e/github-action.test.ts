/** action.yml and its script, as a runner of GitHub Actions starts it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { BuiltCli, CliProject } from '../support/cli-project.js';

const SCRIPT = resolve('action/run.mjs');

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly { readonly env: Readonly<Record<string, string>> }[] };
}
const action = parse(readFileSync('action.yml', 'utf8')) as Action;
const [step] = action.runs.steps;

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('github-action');
});
afterAll(() => cli.remove());

function start(project: CliProject, inputs: Readonly<Record<string, string>>): ChildProcess {
  project.write('../bin/pawl', `#!/bin/sh\nexec '${process.execPath}' '${cli.bin}' "$@"\n`, 0o755);
  const given = { command: join(project.home, 'bin', 'pawl'), ...inputs };
  const env = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([name, value]) => {
      const input = /inputs\.([\w-]+)/.exec(value)?.[1] ?? '';
      return [name, given[input as keyof typeof given] ?? action.inputs[input]?.default ?? ''];
    }),
  );
  return spawn(process.execPath, [SCRIPT], {
    cwd: project.path,
    env: {
      ...project.env,
      ...env,
      GITHUB_OUTPUT: join(project.home, 'outputs'),
      GITHUB_STEP_SUMMARY: join(project.home, 'summary.md'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function play(project: CliProject, inputs: Readonly<Record<string, string>>) {
  const child = start(project, inputs);
  return ended(project, child);
}

async function ended(project: CliProject, child: ChildProcess) {
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => printed.push(String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = (name: string) => (existsSync(join(project.home, name)) ? project.read(`../${name}`) : '');
  const outputs = Object.fromEntries(
    text('outputs')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return { code, outputs, summary: text('summary.md'), printed: printed.join('') };
}

it('every input reaches the script, and every output comes from it', () => {
  const script = readFileSync(SCRIPT, 'utf8');
  const read = [...script.matchAll(/input\('(\w+)'\)/g)].map(([, name]) => `PAWL_ACTION_${name}`);
  expect(Object.keys(step?.env ?? {}).toSorted()).toEqual([...new Set(read)].toSorted());
  const passed = Object.values(step?.env ?? {}).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? '');
  expect(passed.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
  const written = [...script.matchAll(/output\('([\w-]+)'/g)].map(([, name = '']) => name);
  expect(written.toSorted()).toEqual(Object.keys(action.outputs).toSorted());
});

it('a goal that is met ends the step with 0, and the report is the summary of the job', async () => {
  const project = new CliProject(cli);
  const args = '--until\nfile_created: DONE.md\n--max-iterations\n3\n--\nsh\n-c\ncat > /dev/null; touch DONE.md';
  const { code, outputs, summary } = await play(project, { prompt: 'make the file', args });
  expect(code).toBe(0);
  expect(outputs).toMatchObject({ result: 'goal', 'exit-code': '0', run: expect.stringMatching(/^loop_/), cost: '' });
  expect(summary).toMatch(/^## Run .*: done/m);
  expect(summary).toContain('make the file');
});

it('without another version, the version of the action is built and used', async () => {
  const project = new CliProject(cli);
  const args = '--max-iterations\n1\n--\nsh\n-c\ncat > /dev/null';
  const { code, outputs } = await play(project, { command: '', prompt: 'go on', args });
  expect(code).toBe(3);
  expect(outputs).toMatchObject({ result: 'limit' });
});

it('a limit ends the step with its exit code', async () => {
  const project = new CliProject(cli);
  const { code, outputs, summary } = await play(project, {
    prompt: 'go on',
    args: '--max-iterations\n1\n--\nsh\n-c\ncat > /dev/null',
  });
  expect(code).toBe(3);
  expect(outputs).toMatchObject({ result: 'limit', 'exit-code': '3' });
  expect(summary).toContain('iteration limit');
});

it('a wrong config fails the step, and no earlier run is taken for its own', async () => {
  const project = new CliProject(cli);
  await play(project, { prompt: 'go on', args: '--max-iterations\n1\n--\nsh\n-c\ncat > /dev/null' });
  project.write('pawl.yaml', 'stop:\n  limits:\n    - max_iteration: 1\n');
  const before = project.read('../summary.md');
  const { code, outputs, summary, printed } = await play(project, { prompt: 'go on' });
  expect(code).toBe(2);
  expect(printed).toContain('pawl.yaml:3:7');
  expect(outputs).toMatchObject({ run: '', result: '', 'exit-code': '2' });
  expect(summary).toBe(before);
});

it('commands of a config are not run unless they are trusted', async () => {
  const project = new CliProject(cli);
  project.write(
    'pawl.yaml',
    'prompt: go\nagent:\n  command: [sh, -c, "cat > /dev/null; touch ran"]\nstop:\n  limits:\n    - max_iterations: 1\n',
  );
  const refused = await play(project, {});
  expect(refused.code).toBe(2);
  expect(existsSync(join(project.path, 'ran'))).toBe(false);
  const trusted = await play(project, { trust: 'true' });
  expect(trusted.code).toBe(3);
  expect(existsSync(join(project.path, 'ran'))).toBe(true);
});

it('a job that is cancelled ends the agent and still has its report', async () => {
  const project = new CliProject(cli);
  const args = '--\nsh\n-c\ncat > /dev/null; echo $$ > pid; exec sleep 1000';
  const child = start(project, { prompt: 'go on', args: `--max-iterations\n1\n${args}` });
  const end = ended(project, child);
  const pid = await vi.waitUntil(() => existsSync(join(project.path, 'pid')) && Number(project.read('pid')), {
    timeout: 60_000,
  });
  child.kill('SIGTERM');
  const { code, outputs, summary } = await end;
  expect(code).not.toBe(0);
  expect(outputs).toMatchObject({ result: 'operator' });
  expect(summary).toMatch(/^## Run /m);
  expect(spawnSync('kill', ['-0', String(pid)]).status).not.toBe(0);
});

it('a Pawl that cannot be started is an error in words', async () => {
  const project = new CliProject(cli);
  const { code, printed } = await play(project, { command: join(project.home, 'nowhere') });
  expect(code).toBe(1);
  expect(printed).toMatch(/::error::.*nowhere cannot be started/);
});
