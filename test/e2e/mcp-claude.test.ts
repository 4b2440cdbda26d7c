import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { EventOf, EventType, RunEvent } from '../../src/model/run-event.js';
import { need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { claudeEnvironment } from '../support/model-server/claude-environment.js';
import { ModelServer } from '../support/model-server/model-server.js';
import type { ScriptedStep, Step } from '../support/model-server/step.js';

let cli: BuiltCli;
beforeAll(() => void (cli = new BuiltCli('mcp-claude')), 120_000);
afterAll(() => cli.remove());

/** Red until the work is there; the harness runs it, not the agent. */
const TESTS =
  "#!/bin/sh\necho 'TAP version 14'; echo 1..1\nif [ -f work.txt ]; then echo 'ok 1'; else echo 'not ok 1'; exit 1; fi\n";

interface Ended {
  readonly status: number | null;
  readonly events: readonly RunEvent[];
  readonly server: ModelServer;
  readonly project: CliProject;
}

/** `pawl run` with a real Claude Code whose model follows the script and has the tools of `pawl mcp`. */
async function run(
  context: TestContext,
  steps: readonly ScriptedStep[],
  stop: object,
  meanwhile?: (project: CliProject) => Promise<void>,
): Promise<Ended> {
  const program = need('claude', context);
  const server = await ModelServer.start({ steps, nameOf: (model) => `${model}-20250929` });
  onTestFinished(() => server.close());
  const project = new CliProject(cli);
  const mcpServers = { pawl: { command: process.execPath, args: [cli.bin, 'mcp'] } };
  project.write('mcp.json', JSON.stringify({ mcpServers }));
  project.write('test.sh', TESTS);
  const config = {
    agent: {
      name: 'claude',
      command: [program],
      model: 'claude-sonnet-4-5',
      args: ['--mcp-config', 'mcp.json'],
      allow: ['report_done', 'report_blocked', 'ask_person'].map((name) => `mcp__pawl__${name}`),
    },
    prompt: 'Do the work, then report.',
    tests: 'sh test.sh',
    iteration_delay: 0,
    max_iterations: 3,
    questions: { call_wait: 0 },
    stop,
  };
  project.write('pawl.json', JSON.stringify(config));
  const env = { ...project.env, ...claudeEnvironment(server, project.home), PAWL_TRUST: '1' };
  const child = spawn(process.execPath, [cli.bin, 'run', '--quiet'], { cwd: project.path, env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
  await meanwhile?.(project);
  const status = await exit;
  return { status, events: eventsOf(project), server, project };
}

function eventsOf({ path }: CliProject): readonly RunEvent[] {
  const runs = join(path, '.ralph', 'runs');
  const [id = ''] = existsSync(runs) ? readdirSync(runs).filter((name) => name.startsWith('loop_')) : [];
  const journal = join(runs, id, 'journal.jsonl');
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line));
}

function of<T extends EventType>({ events }: Ended, type: T): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

const work: ScriptedStep = { writeFile: { path: 'work.txt', content: 'work\n' } };
const report = (claim: 'done' | 'blocked', evidence: string): ScriptedStep => ({
  tool: { name: `mcp__pawl__report_${claim}`, input: { evidence } },
});
const say = (text: string): ScriptedStep => ({ text });
const VERIFIED = { success: [{ all: ['agent_reports_done', 'all_tests_pass'] }], failure: [] };

describe('real Claude Code with the tools of pawl mcp', () => {
  it('is done when it reports so and the tests agree', async (context) => {
    const ended = await run(context, [work, report('done', 'I ran the tests: 1 passed'), say('Reported.')], VERIFIED);
    expect(of(ended, 'permission-denied')).toEqual([]);
    expect(of(ended, 'tool-called').map(({ name }) => name)).toContain('mcp__pawl__report_done');
    expect(of(ended, 'claim-made')).toMatchObject([{ claim: 'done', evidence: 'I ran the tests: 1 passed' }]);
    expect(ended.status).toBe(0);
    const [end] = of(ended, 'run-ended');
    expect(end).toMatchObject({ state: 'completed', class: 'goal' });
    expect(end?.reasons[0]?.message).toContain('done: "I ran the tests: 1 passed"');
    expect(of(ended, 'iteration-ended')).toHaveLength(1);
    expect((await ended.project.pawl('explain')).stdout).toContain('I ran the tests: 1 passed');
  });

  it('is not believed while the tests fail: the run goes on', async (context) => {
    const steps = [
      report('done', 'everything works'),
      say('Done!'),
      work,
      report('done', 'now it works'),
      say('Done.'),
    ];
    const ended = await run(context, steps, VERIFIED);
    expect(ended.status).toBe(0);
    expect(of(ended, 'claim-made').map(({ evidence }) => evidence)).toEqual(['everything works', 'now it works']);
    expect(of(ended, 'iteration-ended').map(({ observation }) => observation.tests?.failed)).toEqual([1, 0]);
    const [, first] = of(ended, 'verdict-reached');
    expect(first?.verdict).toMatchObject({ stop: false });
  });

  it('ends the run when it reports that it is blocked, in the middle of its work', async (context) => {
    const steps = [report('blocked', 'there is no key for the server'), work, say('never said')];
    const ended = await run(context, steps, { failure: ['agent_reports_blocked'] });
    expect(ended.status).toBe(4);
    expect(of(ended, 'iteration-ended')).toMatchObject([{ outcome: 'interrupted', interruption: 'failure' }]);
    expect(of(ended, 'run-ended')[0]?.reasons[0]?.message).toMatch(/blocked: "there is no key for the server"$/);
  });

  it('that asks a person is told to end its turn, and has the answer in the next prompt of the same session', async (context) => {
    const asked: string[] = [];
    const keep =
      (step: Step): ScriptedStep =>
      ({ messages }) => {
        asked.push(JSON.stringify(messages.at(-1)));
        return step;
      };
    const ask = { tool: { name: 'mcp__pawl__ask_person', input: { question: 'Which?', choices: ['red', 'blue'] } } };
    const steps = [ask, keep({ text: 'I have asked.' }), keep({ text: 'I use it.' })];
    const ended = await run(context, steps, { failure: [] }, async (project) => {
      const lastWait = () => eventsOf(project).findLast(({ type }) => type.startsWith('waiting-'))?.type;
      await expect.poll(lastWait, { timeout: 60_000, interval: 100 }).toBe('waiting-started');
      expect((await project.pawl('answer', '2')).stdout).toContain('"blue"');
    });
    expect(asked[0]).toMatch(/Recorded as q1, not answered yet\. Finish what you can .*end your turn/);
    expect(asked[1]).toContain('You asked a person (q1): Which?\\nThe answer: blue');
    const sessions = of(ended, 'session-opened').map(({ session }) => session);
    expect(new Set(sessions).size).toBe(1);
  });
});
