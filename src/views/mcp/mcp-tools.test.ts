import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LoopRunner } from '../../run/run-handle.js';
import { scriptedAgent } from '../../testing/scripted-agent.js';
import { createContext } from '../cli/command-context.js';
import { createMcpServer } from './create-mcp-server.js';
import type { McpSetting } from './tool.js';

let home = '';
let runId = '';
beforeAll(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-mcp-tools-')));
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR']) vi.stubEnv(name, join(home, '.x'));
  const runner = new LoopRunner(
    { workingDir: home, prompt: 'go', maxIterations: 1, trackFileChanges: false },
    { agent: scriptedAgent([{}]), control: false },
  );
  runId = runner.id;
  await runner.run();
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function connected(setting: Partial<McpSetting> = {}) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer({ cwd: home, allowStart: false, ...setting }, createContext(process));
  await server.connect(ours);
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(theirs);
  onTestFinished(() => client.close());
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, given: Record<string, unknown> = {}) => {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return { text: first?.type === 'text' ? first.text : '', isError, data: structuredContent };
    },
  };
}

describe('the tools of the MCP server', () => {
  it('give no agent what a person has to grant, and claims only to who can make one', async () => {
    const outside = await (await connected()).names();
    expect(outside.filter((name) => /extend|approve|reject|report|ask|answer/.test(name))).toEqual([]);
    const inside = await (await connected({ cookie: `${runId}.1.1` })).names();
    expect(inside.filter((name) => !outside.includes(name))).toEqual(['report_done', 'report_blocked', 'ask_person']);
  });

  it('know a run by the beginning of its id, also in words', async () => {
    const { call } = await connected();
    expect(await call('run_status', { run: runId.slice(0, 14) })).toMatchObject({ data: { runId, status: 'stopped' } });
    expect((await call('list_runs')).text).toContain(`${runId} iteration limit, 1 iteration`);
  });

  it.each([
    ['no bound', { prompt: 'x' }, 'give max_iterations or max_cost'],
    ['a bound of time alone', { prompt: 'x', max_duration: '1h' }, 'give max_iterations or max_cost'],
    ['no limit at all', { prompt: 'x', max_iterations: 0 }, 'max_iterations'],
    ['an agent of its own', { prompt: 'x', agent: 'command', max_iterations: 1 }, 'agent'],
    ['a command', { prompt: 'x', command: ['rm'], max_iterations: 1 }, 'command'],
    ['tests of its own', { prompt: 'x', tests: 'rm -rf /', max_iterations: 1 }, 'tests'],
    ['more rights', { prompt: 'x', permissions: 'bypass', max_iterations: 1 }, 'permissions'],
    ['trust', { prompt: 'x', trust: true, max_iterations: 1 }, 'trust'],
    ['a flag for a prompt', { prompt: '--trust', max_iterations: 1 }, 'looks like a flag'],
    ['a time that is none', { prompt: 'x', max_duration: 'soon', max_iterations: 1 }, 'soon'],
    ['a config that is not there', { prompt: 'x', config: '../none.yaml', max_iterations: 1 }, 'none.yaml'],
  ])('refuse to start a run with %s', async (_, given, why) => {
    const { call } = await connected();
    const answer = await call('start_run', given);
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(why) });
  });

  it('refuse commands of a config that nobody has confirmed, whoever could be asked', async () => {
    writeFileSync(join(home, 'other.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(home, 'other.yaml'), 'agent: { name: command, command: [./other.sh] }\n');
    for (const stream of [process.stdin, process.stderr]) {
      const before = stream.isTTY;
      Object.assign(stream, { isTTY: true });
      onTestFinished(() => void Object.assign(stream, { isTTY: before }));
    }
    const { call } = await connected();
    const answer = await call('start_run', { prompt: 'x', config: 'other.yaml', max_iterations: 1 });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/confirmed/) });
  });

  it('refuse to start a loop inside of a loop', async () => {
    const { call } = await connected({ cookie: `${runId}.1.1` });
    const answer = await call('start_run', { prompt: 'x', max_iterations: 1 });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('--allow-start') });
  });

  it.each(['', 'x', '..', `${'a'.repeat(50)}.1.1`, 'RUN.0.1', 'RUN.hook', 'RUN.1.1.audit', 'RUN.1.1\n'])(
    'a cookie %j is of no iteration: nothing can be claimed with it',
    async (text) => {
      const { names } = await connected({ cookie: text.replace('RUN', runId), claimKey: 'k' });
      expect((await names()).filter((name) => name.startsWith('report'))).toEqual([]);
    },
  );

  it('a claim without the key of its iteration is refused with what to do about it', async () => {
    const { call } = await connected({ cookie: `${runId}.1.1` });
    const answer = await call('report_done', { evidence: 'x' });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('must pass on PAWL_COOKIE and') });
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('there is no tool %s', async (name) => {
    const { call } = await connected();
    await expect(call(name)).rejects.toThrow(/not found/);
  });

  it('name a secret of today only by its variable, in words and as data', async () => {
    vi.stubEnv('LEAKED_TOKEN', home);
    onTestFinished(() => void vi.stubEnv('LEAKED_TOKEN', undefined));
    const { call } = await connected();
    const answers = [
      await call('list_runs', { all: true }),
      await call('run_status'),
      await call('run_status', { run: 'zz' }),
    ];
    expect(JSON.stringify(answers)).not.toContain(home);
    expect(JSON.stringify(answers)).toContain('[LEAKED_TOKEN]');
  });

  it('quote no file from elsewhere that is given as a config, also not through a link', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'pawl-mcp-elsewhere-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    writeFileSync(join(elsewhere, 'private'), 'a: word: of mine\n');
    symlinkSync(join(elsewhere, 'private'), join(home, 'link.yaml'));
    const { call } = await connected();
    for (const config of [join(elsewhere, 'private'), join(elsewhere, 'none'), 'link.yaml', '/etc/passwd']) {
      const answer = await call('start_run', { prompt: 'x', config, max_iterations: 1 });
      expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/neither in .*folder/) });
      expect(answer.text).not.toMatch(/mine|root|\n/);
    }
  });

  it('say that a folder cannot be read, and not that it has no runs', async () => {
    const folder = mkdtempSync(join(home, 'unreadable-'));
    mkdirSync(join(folder, '.ralph'));
    symlinkSync('runs', join(folder, '.ralph', 'runs'));
    const { call } = await connected({ cwd: folder });
    expect((await call('list_runs')).text).toMatch(/cannot be read.*link/);
    const status = await call('run_status');
    expect(status).toMatchObject({ isError: true, text: expect.stringContaining('cannot be read') });
  });
});
