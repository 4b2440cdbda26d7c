/** `pawl import` of the built command, and what other commands show of an imported run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

const SHARED = new URL('../../../shared/trajectories/', import.meta.url).pathname;

let cli: BuiltCli;
let project: CliProject;
let runId = '';

const call = (id: string, content: readonly object[], input: number) => ({
  type: 'assistant',
  sessionId: 's',
  timestamp: '2026-01-01T10:00:00.000Z',
  message: { id, model: 'claude-haiku-4-5', content, usage: { input_tokens: input, output_tokens: 10 } },
});

beforeAll(async () => {
  cli = new BuiltCli('import');
  project = new CliProject(cli);
  const lines = [
    { type: 'user', sessionId: 's', timestamp: '2026-01-01T09:59:00.000Z', message: { content: 'Keep commas' } },
    call('m1', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } }], 1000),
    call('m2', [{ type: 'text', text: 'All done.' }], 2000),
  ];
  project.write('sessions/abc.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  project.write('sessions/other.json', '{}');
  project.write('labels.csv', 'run,label\nabc,unresolved\n');
  const { status, stdout } = await project.pawl('import', 'sessions', '--labels', 'labels.csv', '--json');
  expect(status).toBe(0);
  const { imported, ignored } = JSON.parse(stdout) as { imported: { runId: string; calls: number }[]; ignored: number };
  expect(imported).toMatchObject([{ calls: 2, source: 'Claude Code', label: 'unresolved' }]);
  expect(ignored).toBe(1);
  runId = imported[0]?.runId ?? '';
});
afterAll(() => cli.remove());

describe('an imported run', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['list', ['--imported'], /unresolved.*Keep commas/],
    ['status', [], /Unresolved after 2 iterations/],
    ['show', [], /says it is done: All done\./],
    ['logs', [], /All done\./],
    ['explain', [], /labelled as unresolved/],
    ['export', ['--format', 'markdown', '-o', '-'], /Keep commas/],
    ['stats', ['--imported'], /1 run in/],
    ['replay', ['--sweep', 'max_iterations: 1..3'], /max_iterations/],
  ])('is shown by %s from any folder', async (command, flags, words) => {
    const named = ['list', 'stats'].includes(command) ? [] : [runId.slice(-8)];
    const { status, stdout, stderr } = await project.pawl(command, ...named, ...flags);
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toMatch(words);
    expect(stdout).not.toMatch(/resume|undefined|NaN/);
  });

  it.each([['pause'], ['resume'], ['steer', 'go on']])('is refused by %s', async (command, ...more) => {
    const { status, stderr } = await project.pawl(command, runId, ...more);
    expect(status).toBe(2);
    expect(stderr).toContain('another tool ran it');
  });

  it('is imported once', async () => {
    const { stdout } = await project.pawl('import', 'sessions');
    expect(stdout).toContain('1 run had been imported before');
  });
});

describe('what cannot be imported', () => {
  it.each<[readonly string[], RegExp]>([
    [['import', 'missing'], /missing: no such file or folder/],
    [['import', 'sessions', '--labels', 'none.csv'], /--labels/],
    [['import', 'sessions', '--as', 'steps'], /calls, runs/],
    [['import'], /no sessions of Claude Code or Codex/],
    [['list', '--imported', '--cwd', '.'], /use only one of them/],
    [['list', '--imported', '--all'], /those of other tools/],
  ])('is an error: %j', async (words, message) => {
    const { status, stderr } = await project.pawl(...words);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('is named, and the rest is imported', async () => {
    const { status, stderr } = await project.pawl('import', 'sessions/other.json', 'sessions/abc.jsonl');
    expect(status).toBe(1);
    expect(stderr).toContain('sessions/other.json: its format is not known');
  });
});

// Not every machine has them.
if (!existsSync(SHARED)) process.stderr.write(`not imported, because there are none: ${SHARED}\n`);
else
  describe('recorded runs', () => {
    it('of four tools are imported with all their calls, and unknown spend stays unknown', async () => {
      const one = async (folder: string, name: string) => {
        const { status, stdout } = await project.pawl('import', join(SHARED, folder, name), '--json');
        expect(status).toBe(0);
        return (JSON.parse(stdout) as { imported: object[] }).imported;
      };
      expect(await one('mini-swe-agent', 'django__django-11179.traj.json.gz')).toMatchObject([
        { source: 'mini-swe-agent' },
      ]);
      const name = 'adaptive-rejection-sampler__8swhKXC';
      expect(await one('claude-code-2.1.89', `${name}.jsonl.gz`)).toMatchObject([
        { costUsd: expect.closeTo(0.958_763) as number, calls: 22 },
      ]);
      expect(await one('atif', `${name}.trajectory.json.gz`)).toMatchObject([{ tokens: 464_571 + 6020 }]);
      const [unknown] = await one('claude-code-2.0.29', 'claude_code_c4__build-linux-kernel-qemu.jsonl.gz');
      expect(unknown).not.toHaveProperty('costUsd');
    });
  });

it('a list in which nothing could be imported names the command that imports', async () => {
  const project = new CliProject(cli);
  project.write('notes.txt', 'nothing of an agent\n');
  expect((await project.pawl('import', 'notes.txt')).status).toBe(1);
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const command of ['list', 'stats'])
    expect((await project.pawl(command, '--imported')).stdout).toMatch(/pawl import/);
});
