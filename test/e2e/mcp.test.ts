import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/model/run-event.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

const WAIT = { timeout: 60_000, interval: 50 };
let cli: BuiltCli;
beforeAll(() => void (cli = new BuiltCli('mcp')), 120_000);
afterAll(() => cli.remove());

/** Says that it has begun, and works until it is let go. */
const WAITS = [
  'printf %s "$PAWL_CLAIM_KEY" > key',
  'n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n',
  'until [ -e go-$n ]; do sleep 0.05; done',
].join('\n');

const CONFIG = 'agent: { name: command, command: [./agent.sh] }\niteration_delay: 0\ntrack_file_changes: false\n';

interface Answer {
  readonly text: string;
  readonly isError: boolean;
  // oxlint-disable-next-line no-explicit-any -- as it comes from the wire
  readonly data: any;
}

interface Session {
  readonly client: Client;
  readonly call: (name: string, given?: Record<string, unknown>) => Promise<Answer>;
}

interface ConnectOptions {
  readonly words?: readonly string[];
  readonly env?: Record<string, string>;
  /** The command line that starts it. */
  readonly through?: readonly string[];
}

/** A client of the server of a project, as Claude Code or an editor would be one. */
async function connected(
  project: CliProject,
  { words = [], env = {}, through = [] }: ConnectOptions = {},
): Promise<Session> {
  const [command = '', ...args] = [...through, process.execPath, cli.bin, 'mcp', ...words];
  const transport = new StdioClientTransport({
    command,
    args,
    cwd: project.path,
    env: { ...(project.env as Record<string, string>), ...env },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, given = {}) {
      const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: given });
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return { text, isError, data: structuredContent };
    },
  };
}

async function finished(): Promise<CliProject> {
  const project = new CliProject(cli, { agent: 'date +%s%N > stamp' });
  const flags = ['--max-iterations', '2', '--delay', '0s', '--quiet'];
  expect(await project.pawl('run', '-p', 'x', ...flags, '--', './agent.sh')).toMatchObject({ status: 3 });
  return project;
}

function waiting(): CliProject {
  const project = new CliProject(cli, { agent: WAITS });
  project.write('pawl.yaml', CONFIG);
  return project;
}

function eventsOf(project: CliProject, runId: string): readonly RunEvent[] {
  const path = join(project.path, '.ralph', 'runs', runId, 'journal.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const commandsIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'command-received' ? [event] : []));

describe('looking at runs through MCP', () => {
  it('lists, tells the status and explains, in words and as data', async () => {
    const project = await finished();
    const { client, call } = await connected(project);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_runs',
      'run_status',
      'explain_run',
      'start_run',
      'steer_run',
      'pause_run',
      'unpause_run',
      'stop_run',
    ]);
    for (const { description, annotations } of tools) {
      expect(description?.length).toBeGreaterThan(40);
      expect(annotations?.readOnlyHint).toBeDefined();
    }
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)).toEqual([
      'start_run',
      'stop_run',
    ]);

    const listed = await call('list_runs');
    expect(listed.data).toMatchObject({ total: 1, runs: [{ status: 'stopped', class: 'limit', iterations: 2 }] });
    const [{ runId }] = listed.data.runs;
    expect(listed.text).toContain(`${runId} iteration limit, 2 iterations`);
    const status = await call('run_status', { run: runId });
    expect(status).toMatchObject({ isError: false, data: { runId, status: 'stopped', live: false } });
    expect(status.text).toContain('2 of 2 iterations');
    const explained = await call('explain_run', { run: runId.slice(0, 20) });
    expect(explained.data).toMatchObject({ runId, stop: true, class: 'limit' });
    expect(explained.text).toContain('why it stopped');
    expect((await call('explain_run', { iteration: 1 })).data).toMatchObject({ iteration: 1, stop: false });
    // Also from elsewhere: a run is known by the folder that it took place in.
    const elsewhere = await connected(Object.assign(Object.create(project), { path: project.home }), {});
    expect((await elsewhere.call('list_runs')).text).toBe('There are no runs yet.');
    const [everywhere] = (await elsewhere.call('list_runs', { all: true })).data.runs;
    expect(everywhere).toMatchObject({ runId, project: project.path });
    expect((await elsewhere.call('run_status', { run: runId, project: project.path })).data.runId).toBe(runId);
  });

  it('what cannot be done is an answer in words, and the server goes on', async () => {
    const { client, call } = await connected(await finished());
    expect(await call('run_status', { run: 'loop_zzz' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('there is no run "loop_zzz"'),
    });
    expect(await call('explain_run', { iteration: 77 })).toMatchObject({ isError: true });
    expect(await call('run_status', { project: '/nowhere' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/no runs in.*\/nowhere/),
    });
    expect((await call('stop_run', { run: 'loop' })).isError).toBe(true);
    const [{ runId }] = (await call('list_runs')).data.runs;
    expect(await call('stop_run', { run: runId })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/is not running/),
    });
    // Whatever is wrong with the arguments.
    for (const given of [{ run: 7 }, { run: '' }, { nonsense: true }, { run: 'x'.repeat(1_000_000) }]) {
      expect((await call('run_status', given)).isError).toBe(true);
    }
    expect((await call('start_run', { prompt: 'x'.repeat(2_000_000), max_iterations: 1 })).isError).toBe(true);
    expect((await call('start_run', { prompt: 'x', max_iterations: 0 })).isError).toBe(true);
    expect((await call('start_run', { prompt: 'x', max_cost: -1 })).isError).toBe(true);
    await expect(client.callTool({ name: 'extend_run', arguments: {} })).rejects.toThrow(/not found/i);
    expect((await call('list_runs')).isError).toBe(false);
  });
});

describe('a run that is started through MCP', () => {
  it('is steered, paused, let go on and stopped, all of which is recorded', async () => {
    const project = waiting();
    const { call } = await connected(project, { env: { PAWL_TRUST: '1' } });
    const started = await call('start_run', { prompt: 'Go.', max_iterations: 9 });
    expect(started).toMatchObject({ isError: false });
    const { runId } = started.data;
    onTestFinished(async () => void (await project.pawl('stop', '--now', runId)));
    await expect.poll(() => existsSync(join(project.path, 'n')), WAIT).toBe(true);
    expect((await call('run_status', { run: runId })).data).toMatchObject({ status: 'running', live: true });

    const steered = await call('steer_run', { run: runId, text: 'mind the gap' });
    expect(steered.text).toContain('next prompt');
    expect((await call('pause_run', { run: runId })).text).toContain('pauses after this iteration');
    writeFileSync(join(project.path, 'go-1'), '');
    await expect.poll(async () => (await call('run_status', { run: runId })).data.status, WAIT).toBe('paused');
    expect((await call('unpause_run', { run: runId })).data).toMatchObject({ runId, effect: expect.any(String) });
    await expect.poll(() => project.read('n').trim(), WAIT).toBe('2');
    expect((await call('stop_run', { run: runId, now: true })).text).toContain('stops now');
    await expect.poll(async () => (await call('run_status', { run: runId })).data.live, WAIT).toBe(false);

    const events = eventsOf(project, runId);
    expect(events[0]).toMatchObject({ type: 'run-started', runId });
    const [first] = commandsIn(events);
    expect(first?.by).toMatch(/^pawl mcp \(pid \d+\)$/);
    expect(commandsIn(events).map(({ command }) => command)).toEqual([
      { type: 'steer', text: 'mind the gap' },
      { type: 'pause' },
      { type: 'resume' },
      { type: 'stop', now: true },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'run-ended', class: 'operator' });
  });

  it('has a bound, and limits of the config also apply', async () => {
    const project = new CliProject(cli, { agent: 'true' });
    project.write('pawl.yaml', `${CONFIG}stop: { limits: [{ max_iterations: 2 }], failure: [] }\n`);
    const { call } = await connected(project, { env: { PAWL_TRUST: '1' } });
    const unbounded = await call('start_run', { prompt: '--trust' });
    expect(unbounded).toMatchObject({
      isError: true,
      text: expect.stringContaining('give max_iterations or max_cost'),
    });
    expect(existsSync(join(project.path, '.ralph'))).toBe(false);
    const { data } = await call('start_run', { prompt: '-x is wrong', max_iterations: 500 });
    await expect.poll(() => eventsOf(project, data.runId).at(-1)?.type, WAIT).toBe('run-ended');
    expect((await call('run_status', { run: data.runId })).data).toMatchObject({ iterations: 2, status: 'stopped' });
    expect(eventsOf(project, data.runId)[0]).toMatchObject({ spec: { prompt: '-x is wrong' } });
  });

  it('executes nothing that nobody has confirmed', async () => {
    const project = waiting();
    const { call } = await connected(project);
    const refused = await call('start_run', { prompt: 'Go.', max_iterations: 1 });
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/confirmed/) });
    expect(refused.text).toContain('./agent.sh');
    project.write('evil.sh', '#!/bin/sh\ntouch n\n', 0o755);
    project.write('other.yaml', CONFIG.replace('agent.sh', 'evil.sh'));
    const other = await call('start_run', { prompt: 'Go.', config: 'other.yaml', max_iterations: 1 });
    expect(other).toMatchObject({ isError: true, text: expect.stringMatching(/confirmed.*evil\.sh/s) });
    expect(await call('start_run', { max_iterations: 1, prompt: 'x', config: 'none.yaml' })).toMatchObject({
      isError: true,
    });
    expect(existsSync(join(project.path, 'n'))).toBe(false);
  });
});

describe('inside of a loop', () => {
  it('an agent may stop its own run, and neither steer nor extend it, nor start another', async () => {
    const project = waiting();
    const outside = await connected(project, { env: { PAWL_TRUST: '1' } });
    const { runId } = (await outside.call('start_run', { prompt: 'Go.', max_iterations: 9 })).data;
    onTestFinished(async () => void (await project.pawl('stop', '--now', runId)));
    await expect.poll(() => existsSync(join(project.path, 'n')), WAIT).toBe(true);
    const cookie = `${runId}.1.1`;
    const agent = { PAWL_COOKIE: cookie, PAWL_CLAIM_KEY: project.read('key') };
    const { client, call } = await connected(project, { env: agent });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['report_done', 'report_blocked']));
    for (const [name, given] of [
      ['steer_run', { text: 'be generous' }],
      ['pause_run', {}],
      ['unpause_run', {}],
    ] as const) {
      const answer = await call(name, { run: runId, ...given });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('is for people') });
    }
    const started = await call('start_run', { prompt: 'x', max_iterations: 1 });
    expect(started).toMatchObject({ isError: true, text: expect.stringContaining('does not start loops') });
    const allowed = await connected(project, { words: ['--allow-start'], env: { PAWL_COOKIE: cookie } });
    const tried = await allowed.call('start_run', { prompt: 'x', max_iterations: 1 });
    expect(tried).toMatchObject({ isError: true, text: expect.not.stringContaining('start loops') });

    expect(await call('report_done', { evidence: ' ' })).toMatchObject({ isError: true });
    const done = await call('report_done', { evidence: `all green ${'x'.repeat(100_000)}` });
    expect(done).toMatchObject({ isError: false, data: { runId, claim: 'done', recorded: true, evidenceCut: true } });
    expect(done.text).toContain('only the first 8 KB are kept');
    // Who knows the name of the iteration alone is not its agent.
    for (const PAWL_CLAIM_KEY of ['', 'a'.repeat(43)]) {
      const forger = await connected(project, { env: { PAWL_COOKIE: cookie, PAWL_CLAIM_KEY } });
      const forged = await forger.call('report_done', { evidence: 'forged' });
      expect(forged).toMatchObject({ isError: true, text: expect.stringMatching(/^not recorded: .*PAWL_CLAIM_KEY/) });
    }
    // Codex hands on only the variables that it is told to.
    const bare = await connected(project, { env: { ...agent, XDG_RUNTIME_DIR: '' } });
    const whole = await bare.call('report_done', { evidence: 'once more' });
    expect(whole).toMatchObject({
      isError: false,
      data: { evidenceCut: false },
      text: expect.not.stringContaining('8 KB'),
    });
    const stale = await connected(project, { env: { ...agent, PAWL_COOKIE: `${runId}.7.1` } });
    expect(await stale.call('report_blocked', { evidence: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('another iteration'),
    });
    const status = await outside.call('run_status', { run: runId });
    expect(status.text).toContain('says it is done: "once more"');
    expect((await call('stop_run', { run: runId })).text).toContain('stops after this iteration');
    writeFileSync(join(project.path, 'go-1'), '');
    await expect.poll(() => eventsOf(project, runId).at(-1)?.type, WAIT).toBe('run-ended');
    const claims = eventsOf(project, runId).flatMap((event) => (event.type === 'claim-made' ? [event] : []));
    const by = expect.stringContaining('the agent (pawl mcp');
    expect(claims).toMatchObject([
      { claim: 'done', by },
      { claim: 'done', evidence: 'once more', by },
    ]);
    expect(Buffer.byteLength(claims[0]?.evidence ?? '')).toBeLessThanOrEqual(8192);
    expect((await project.pawl('show', runId)).stdout).toMatch(/^ {4}1 says it is done: all green/m);
    expect((await project.pawl('show', runId, '1')).stdout).toContain('it is done: "all green');
    expect((await project.pawl('explain', runId)).stdout).toContain('said it was done once, but');
    expect((await project.pawl('logs', runId)).stdout).toContain('done: all green');
    // The servers above have ended with the iteration that they belong to.
    const late = await connected(project, { env: agent });
    expect(await late.call('report_done', { evidence: 'late' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not running'),
    });
  });

  it.skipIf(process.platform !== 'linux')('an agent that hides its mark is still inside of its run', async () => {
    const project = waiting();
    const outside = await connected(project, { env: { PAWL_TRUST: '1' } });
    const { runId } = (await outside.call('start_run', { prompt: 'Go.', max_iterations: 9 })).data;
    onTestFinished(async () => void (await project.pawl('stop', '--now', runId)));
    await expect.poll(() => existsSync(join(project.path, 'n')), WAIT).toBe(true);
    for (const hide of ['env -u PAWL_COOKIE', 'env PAWL_COOKIE=']) {
      const through = ['sh', '-c', `${hide} "$0" "$@"; exit`];
      const { call } = await connected(project, { env: { PAWL_COOKIE: `${runId}.1.1` }, through });
      expect((await call('start_run', { prompt: 'x', max_iterations: 1 })).text).toContain('does not start loops');
      expect((await call('steer_run', { run: runId, text: 'x' })).text).toContain('is for people');
    }
    const words = [
      '-c',
      'env -u PAWL_COOKIE "$0" "$@"; exit',
      process.execPath,
      cli.bin,
      'extend',
      runId,
      '--max-iterations',
      '99',
    ];
    const env = { ...project.env, PAWL_COOKIE: `${runId}.1.1` };
    const { stderr } = spawnSync('sh', words, { cwd: project.path, env, encoding: 'utf8' });
    expect(stderr).toContain('extend is for people');
  });

  it('a mark that names no iteration is said to be none', () => {
    const project = new CliProject(cli, { hasGit: false });
    const env = { ...project.env, PAWL_COOKIE: 'nonsense' };
    const words = [cli.bin, 'mcp'];
    const { status, stderr } = spawnSync(process.execPath, words, {
      cwd: project.path,
      env,
      input: '',
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stderr).toMatch(/PAWL_COOKIE is "nonsense".* not offered/);
  });
});

describe('the server', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };
  const run = (project: CliProject, input: string | Buffer) =>
    spawnSync(process.execPath, [cli.bin, 'mcp'], { cwd: project.path, env: project.env, input, timeout: 30_000 });

  it.each([
    ['nothing', ''],
    ['binary noise', Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 256))],
    ['other JSON', '[]\n{}\nnull\n7\n{"jsonrpc":"2.0","id":{},"method":[]}\n'],
    ['half a message', '{"jsonrpc":"2.0","id":1,"method":"initi'],
    ['a line without an end', 'x'.repeat(6 * 1024 * 1024)],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"constructor"}\n'],
    ['deep nesting', `${'['.repeat(200_000)}\n`],
  ])('ends in peace when it is sent %s', (_, input) => {
    const { status, signal, stdout, stderr } = run(new CliProject(cli, { hasGit: false }), input);
    expect({ status, signal }).toEqual({ status: 0, signal: null });
    expect(stderr.toString()).not.toMatch(/\n\s+at .*[:)]\d+|invalid_union|"path"/);
    expect(stderr.length).toBeLessThan(4000);
    // Whatever happens, stdout carries the protocol and nothing else.
    for (const line of stdout.toString().split('\n').filter(Boolean))
      expect(JSON.parse(line)).toHaveProperty('jsonrpc');
  });

  it('answers after garbage as before', async () => {
    const project = new CliProject(cli, { hasGit: false });
    const child = spawn(process.execPath, [cli.bin, 'mcp'], { cwd: project.path, env: project.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stdin.write('\u0000\u0001 what?\n{"jsonrpc":\n[]\n');
    child.stdin.write(`${'x'.repeat(5 * 1024 * 1024)}\n`);
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await expect.poll(() => out, WAIT).toContain('"serverInfo"');
    const codes = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).error?.code]));
    expect(codes).toEqual([-32700, -32700, -32600, -32600, undefined]);
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
    // It is gone before it has read the answer.
    child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');
    child.stdout.destroy();
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends quietly by %s', async (name) => {
    const project = new CliProject(cli, { hasGit: false });
    const child = spawn(process.execPath, [cli.bin, 'mcp'], { cwd: project.path, env: project.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await expect.poll(() => said, WAIT).toContain('"serverInfo"');
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
    child.kill(name);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(said).not.toMatch(/\n\s+at /);
  });

  it('a folder that is none is refused', async () => {
    const project = new CliProject(cli, { hasGit: false });
    expect(await project.pawl('mcp', '--cwd', 'nowhere')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('is not a directory'),
    });
  });
});
