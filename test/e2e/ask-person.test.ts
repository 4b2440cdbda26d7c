import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/model/run-event.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

const WAIT = { timeout: 60_000, interval: 25 };
let cli: BuiltCli;
beforeAll(() => void (cli = new BuiltCli('ask')), 120_000);
afterAll(() => cli.remove());

/** Keeps its prompt, says that it has begun, and works until it is let go. */
const AGENT = [
  'n=$(($(cat n 2>/dev/null || echo 0) + 1)); cat > "prompt-$n"',
  'printf %s "$PAWL_CLAIM_KEY" > key; printf %s "$PAWL_COOKIE" > cookie; echo $n > n',
  'until [ -e "go-$n" ]; do sleep 0.025; done',
].join('\n');

interface Scene {
  readonly project: CliProject;
  readonly child: ChildProcess;
  /** Calls ask_person as the agent of the iteration that works now. */
  readonly ask: (question: string, choices?: readonly string[]) => Promise<string>;
  readonly begun: (iteration: number) => Promise<void>;
  readonly letGo: (iteration: number) => void;
  readonly events: () => readonly RunEvent[];
  readonly waits: () => Promise<void>;
  readonly status: () => Promise<{ readonly [key: string]: unknown }>;
}

function started(questions: string, more: readonly string[] = []): Scene {
  const project = new CliProject(cli);
  project.write('agent.sh', `#!/usr/bin/env bash\n${AGENT}\n`, 0o755);
  const config = 'agent: { name: command, command: [./agent.sh] }\niteration_delay: 0\ntrack_file_changes: false\n';
  project.write('pawl.yaml', `${config}questions: ${questions}\n`);
  const words = ['run', '-p', 'Go.', '--trust', '--quiet', '--max-iterations', '2', ...more];
  const child = run(project, words);
  const events = () => eventsOf(project);
  return {
    project,
    child,
    events,
    begun: (iteration) => expect.poll(() => read(project, 'n').trim(), WAIT).toBe(String(iteration)),
    letGo: (iteration) => writeFileSync(join(project.path, `go-${iteration}`), ''),
    waits: () => expect.poll(() => events().findLast(isOfWait)?.type, WAIT).toBe('waiting-started'),
    status: async () => JSON.parse((await project.pawl('status', '--json')).stdout),
    async ask(question, choices) {
      const env = { ...project.env, PAWL_COOKIE: read(project, 'cookie'), PAWL_CLAIM_KEY: read(project, 'key') };
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [cli.bin, 'mcp'],
        cwd: project.path,
        env,
        stderr: 'pipe',
      });
      const client = new Client({ name: 'a test', version: '1' });
      await client.connect(transport);
      const { content } = await client.callTool({ name: 'ask_person', arguments: { question, choices } });
      await client.close();
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
  };
}

function run(project: CliProject, words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const isOfWait = ({ type }: RunEvent) => type.startsWith('waiting-');
/** Without the ends of lines, which depend on the width. */
const shown = async (project: CliProject, ...words: readonly string[]) =>
  (await project.pawl(...words)).stdout.replace(/\s+/g, ' ');
const read = (project: CliProject, name: string) => (existsSync(join(project.path, name)) ? project.read(name) : '');
const exitOf = async (child: ChildProcess) => child.exitCode ?? (await once(child, 'exit'))[0];

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function eventsOf(project: CliProject): readonly RunEvent[] {
  const folder = join(project.path, '.ralph', 'runs');
  const [runId = ''] = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('loop_')) : [];
  const path = join(folder, runId, 'journal.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

describe('asking a person', () => {
  it('waits for the answer between iterations, shows the question everywhere, and goes on with the answer', async () => {
    const { project, child, ask, begun, letGo, waits, status } = started('{ call_wait: 0 }');
    await begun(1);
    expect(await ask('Which database?', ['postgres', 'sqlite'])).toMatch(
      /^Recorded as q1, not answered yet\. Finish what you can without the answer and end your turn/,
    );
    letGo(1);
    await waits();
    const asked = '"Which database?" (1 "postgres", 2 "sqlite")';
    expect(await status()).toMatchObject({
      status: 'waiting',
      waiting: { for: 'person' },
      question: 'Which database?',
      questions: [{ id: 'q1', text: 'Which database?', choices: ['postgres', 'sqlite'] }],
    });
    expect(await shown(project, 'status')).toContain(asked);
    await expect.poll(() => shown(project, 'list'), WAIT).toMatch(/waiting .*Which database\?/);
    expect(await shown(project, 'explain')).toContain(asked);
    expect(await shown(project, 'logs')).toContain(`asks you (q1): ${asked}`);
    const refused = await project.pawl('answer', ' ');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('answer needs a text') });
    project.env['PAWL_COOKIE'] = read(project, 'cookie');
    const inside = await project.pawl('answer', '1');
    delete project.env['PAWL_COOKIE'];
    expect(inside.stderr).toContain('answer is for people');
    expect((await project.pawl('answer', '2')).stdout).toContain('has the answer to q1, "sqlite": the agent continues');
    await begun(2);
    expect(project.read('prompt-2')).toContain('You asked a person (q1): Which database?\nThe answer: sqlite');
    const twice = await project.pawl('answer', 'postgres');
    expect(twice).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/q1 is answered already, by pawl answer/),
    });
    letGo(2);
    expect(await exitOf(child)).toBe(3);
  });

  it('answers the call itself when somebody is there', async () => {
    const { project, child, ask, begun, letGo, events } = started('{ call_wait: 20s }');
    await begun(1);
    const answered = ask('Which one?');
    await expect.poll(() => events().some(({ type }) => type === 'question-asked'), WAIT).toBe(true);
    expect((await project.pawl('answer', 'the left one')).status).toBe(0);
    expect(await answered).toBe('The answer: the left one');
    letGo(1);
    await begun(2);
    expect(project.read('prompt-2')).not.toContain('Which one?');
    letGo(2);
    expect(await exitOf(child)).toBe(3);
  });

  it('killed while it waits, it takes the answer without a process, and a resume continues with it', async () => {
    const { project, child, ask, begun, letGo, waits, events, status } = started('{ call_wait: 0 }');
    await begun(1);
    await ask('Which one?');
    letGo(1);
    await waits();
    await killed(child);
    expect(await status()).toMatchObject({ status: 'interrupted', questions: [{ id: 'q1' }] });
    expect(await shown(project, 'list')).toMatch(
      /interrupted .*the agent asks you: "Which one\?"; the Pawl process is gone/,
    );
    const answered = await project.pawl('answer', 'the left one');
    expect(answered.stdout).toMatch(/has the answer to q1, "the left one"; pawl resume \w+ continues with it/);
    const again = await project.pawl('answer', 'the right one');
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('q1 is answered already') });
    const resumed = run(project, ['resume', '--quiet']);
    await begun(2);
    expect(project.read('prompt-2')).toContain('The answer: the left one');
    letGo(2);
    expect(await exitOf(resumed)).toBe(3);
    expect(events().filter(({ type }) => type === 'waiting-started')).toHaveLength(1);
  });

  it('killed while it waits, a resume waits on until the same time', async () => {
    const { project, child, ask, begun, letGo, waits, events } = started('{ call_wait: 0 }');
    await begun(1);
    await ask('Which one?');
    letGo(1);
    await waits();
    await killed(child);
    const resumed = run(project, ['resume', '--quiet']);
    const started_ = () => events().flatMap((event) => (event.type === 'waiting-started' ? [event.until] : []));
    await expect.poll(() => started_().length, WAIT).toBe(2);
    expect(new Set(started_()).size).toBe(1);
    await expect.poll(async () => (await project.pawl('answer', 'left')).status, WAIT).toBe(0);
    await begun(2);
    expect(project.read('prompt-2')).toContain('The answer: left');
    letGo(2);
    expect(await exitOf(resumed)).toBe(3);
  });

  it('of two questions one is answered before the kill and one after it: a resume has both answers and asks neither again', async () => {
    const { project, child, ask, begun, letGo, waits, events, status } = started('{ call_wait: 0 }');
    await begun(1);
    await ask('Which database?', ['postgres', 'sqlite']);
    expect(await ask('Which port?')).toContain('Recorded as q2');
    letGo(1);
    await waits();
    expect(await status()).toMatchObject({ questions: [{ id: 'q1' }, { id: 'q2' }] });
    const unclear = await project.pawl('answer', '5433');
    expect(unclear).toMatchObject({ status: 2, stderr: expect.stringContaining('--question q1') });
    expect((await project.pawl('answer', '--question', 'q2', '5433')).status).toBe(0);
    expect(await status()).toMatchObject({ status: 'waiting', questions: [{ id: 'q1' }] });
    await killed(child);
    const stillOpen = await shown(project, 'explain');
    expect(stillOpen).toContain('Which database?');
    expect(stillOpen).not.toContain('Which port?');
    expect((await project.pawl('answer', '1')).stdout).toContain('has the answer to q1, "postgres"');
    const resumed = run(project, ['resume', '--quiet']);
    await begun(2);
    expect(project.read('prompt-2')).toMatch(
      /\(q1\): Which database\?\nThe answer: postgres[^]*\(q2\): Which port\?\nThe answer: 5433/,
    );
    letGo(2);
    expect(await exitOf(resumed)).toBe(3);
    expect(events().filter(({ type }) => type === 'question-asked')).toHaveLength(2);
    expect(events().filter(({ type }) => type === 'waiting-started')).toHaveLength(1);
  });

  it('killed while the call is open, the agent is told so, the question is kept, and a resume waits for it', async () => {
    const { project, child, ask, begun, letGo, events } = started('{ call_wait: 60s }');
    await begun(1);
    const asking = ask('Which one?');
    await expect.poll(() => events().some(({ type }) => type === 'question-asked'), WAIT).toBe(true);
    await killed(child);
    expect(await asking).toContain('the run is no longer live');
    const resumed = run(project, ['resume', '--quiet']);
    await expect
      .poll(() => events().findLast(isOfWait), WAIT)
      .toMatchObject({ type: 'waiting-started', for: 'person' });
    await expect.poll(async () => (await project.pawl('answer', 'left')).status, WAIT).toBe(0);
    await begun(2);
    expect(project.read('prompt-2')).toContain('The answer: left');
    letGo(2);
    expect(await exitOf(resumed)).toBe(3);
  });

  it('not answered in time ends as needs you, and an answer and a resume continue from there', async () => {
    const { project, child, ask, begun, letGo, status } = started('{ call_wait: 0, max_wait: 50ms }');
    await begun(1);
    await ask('Which one?', ['left', 'right']);
    letGo(1);
    expect(await exitOf(child)).toBe(5);
    expect(await status()).toMatchObject({ status: 'stopped', questions: [{ id: 'q1' }] });
    const stdout = await shown(project, 'explain');
    expect(stdout).toContain('Needs you after 1 iteration: "Which one?" (1 "left", 2 "right") (no answer within 50ms)');
    expect(stdout).toMatch(/pawl answer \w+ '<your answer>'/);
    const refused = await project.pawl('answer', '3');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('q1 has no choice "3"') });
    expect((await project.pawl('answer', 'Right')).stdout).toContain('"right"; pawl resume');
    const resumed = run(project, ['resume', '--quiet']);
    await begun(2);
    expect(project.read('prompt-2')).toContain('The answer: right');
    letGo(2);
    expect(await exitOf(resumed)).toBe(3);
    const late = await project.pawl('answer', 'too late');
    expect(late).toMatchObject({ status: 2, stderr: expect.stringContaining("--steer 'too late'") });
  });

  it('ends by Ctrl-C while it waits, and keeps the question for a resume', async () => {
    const { project, child, ask, begun, letGo, waits, events } = started('{ call_wait: 0 }');
    await begun(1);
    await ask('Which one?');
    letGo(1);
    await waits();
    const waited = project.pawl('wait');
    child.kill('SIGINT');
    expect(await exitOf(child)).toBe(130);
    expect((await waited).status).toBe(130);
    expect(await shown(project, 'explain')).toMatch(/"Which one\?".* no answer/);
    const resumed = run(project, ['resume', '--quiet']);
    // An answer takes the lock of a run that no process has, and a resume at that moment would be refused.
    await expect.poll(() => events().some(({ type }) => type === 'run-resumed'), WAIT).toBe(true);
    await expect.poll(async () => (await project.pawl('answer', 'left')).status, WAIT).toBe(0);
    await begun(2);
    expect(project.read('prompt-2')).toContain('The answer: left');
    letGo(2);
    expect(await exitOf(resumed)).toBe(3);
  });
});
