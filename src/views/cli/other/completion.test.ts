import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { sealLine } from '../../../journal/record-scanner.js';
import { newRunId } from '../../../journal/run-places.js';
import { runProgram } from '../program.js';

let tree = '';

async function pawl(...words: string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runProgram(words, contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

async function complete(...words: string[]) {
  const { exitCode, out, err } = await pawl('__complete', '--', ...words);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  const lines = out.trimEnd().split('\n');
  return { words: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''), rest: lines.at(-1), lines };
}

const wordsFor = async (...words: string[]) => (await complete(...words)).words;

beforeAll(() => {
  tree = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-completion-')));
  vi.stubEnv('XDG_CONFIG_HOME', join(tree, 'nothing'));
  vi.stubEnv('XDG_STATE_HOME', join(tree, 'state'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(tree, { recursive: true });
});

describe('completion of commands and flags', () => {
  it('knows every command and flag of the help, and nothing that it hides', async () => {
    const help = (await pawl('help', '--all')).out;
    const commands = [...help.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name ?? '');
    expect(await wordsFor('')).toEqual(commands);
    expect(commands).toContain('completion');
    for (const command of commands) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as in a terminal
      const { out } = await pawl('help', command);
      const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as in a terminal
      if (command !== 'help') expect([command, ...(await wordsFor(command, '--'))]).toEqual([command, ...flags]);
    }
  });

  it.each<[readonly string[], readonly string[]]>([
    [['che'], ['check']],
    [['nothing-like-it'], []],
    [['nothing', ''], []],
    [['help', 'unp'], ['unpause']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['completion', 'bash', ''],
      ['--help', '-h'],
    ],
    [
      ['run', '-a', ''],
      ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'pi', 'copilot', 'command'],
    ],
    [
      ['run', '--agent=co'],
      ['--agent=codex', '--agent=copilot', '--agent=command'],
    ],
    [
      ['check', '--permissions', ''],
      ['edit', 'bypass', 'agent'],
    ],
    [
      ['run', '--session', ''],
      ['continue', 'fresh'],
    ],
    [['run', '--max-co'], ['--max-cost']],
    [['run', '--max-cost', '5', '--max-co'], []],
    [['run', '--until', 'all_tests_pass', '--unt'], ['--until']],
    [['run', '--max-cost', ''], []],
    [['run', '--max-cost='], []],
    [['run', '--no-such=', ''], []],
    [['run', '--', 'sh', '--ag'], []],
    [['list', '--j'], ['--json']],
    [['logs', '--', '-f'], []],
    [['-'], ['--version', '-V', '--help', '-h']],
  ])('after %j there are %j', async (typed, words) => {
    expect((await wordsFor(...typed)).toSorted()).toEqual(words.toSorted());
  });

  it.each<[readonly string[], string]>([
    [['run', ''], ':files'],
    [['submit', ''], ':files'],
    [['submit', '--', 'node', 'a'], ':files'],
    [['submit', '--matrix', ''], ':files'],
    [['run', '--config', ''], ':files'],
    [['run', '--prompt-path=x'], ':files'],
    [['check', 'paw'], ':files'],
    [['run', '--', 'node', 'a'], ':files'],
    [['list', '--cwd', ''], ':directories'],
    [['run', '-p', ''], ':'],
    [['show', 'x', ''], ':'],
  ])('after %j the shell adds %s', async (typed, rest) => {
    expect((await complete(...typed)).rest).toBe(rest);
  });

  it('never fails, whatever is typed', async () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'run',
        'show',
        'steer',
        '--',
        '-',
        '--cwd',
        '--cwd=/nope',
        '--agent',
        '=',
        '~/',
        '\0',
        '--cwd=\0',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (typed) => {
        const { lines } = await complete(...typed);
        expect(lines.at(-1)).toMatch(/^:(?:files|directories)?$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('completion of runs', () => {
  let ended = '';
  let stopped = '';
  let project = '';
  const bare = (runId: string) => runId.slice('loop_'.length);
  const short = (runId: string) => bare(runId).slice(0, 10);
  const runsFor = (...words: string[]) => wordsFor(...words.toSpliced(1, 0, '--cwd', project));

  async function run(...words: string[]): Promise<string> {
    await pawl('run', '--cwd', project, '-p', 'Go.', '--delay', '0', '--quiet', ...words, '--', './agent.sh');
    const [latest] = JSON.parse((await pawl('list', '--cwd', project, '--json')).out);
    return latest.runId;
  }

  beforeAll(async () => {
    project = join(tree, 'a project');
    mkdirSync(project);
    writeFileSync(join(project, 'agent.sh'), '#!/bin/sh\ncat > /dev/null\nwhile [ -e wait ]; do sleep 0.05; done\n');
    chmodSync(join(project, 'agent.sh'), 0o755);
    stopped = await run('--until', 'file_created: DONE', '--max-iterations', '1');
    ended = await run('--until', 'file_created: agent.sh', '--at-least', '1');
  });

  it('offers the newest first, as far as it takes to name them, with what became of them', async () => {
    const { lines } = await complete('status', '--cwd', project, '');
    expect(lines).toEqual([
      expect.stringMatching(`^${short(ended)}\tcompleted, 1 iteration, .+$`),
      expect.stringMatching(`^${short(stopped)}\tstopped, 1 iteration, .+$`),
      ':',
    ]);
  });

  it('goes on from what is typed: with loop_, in small letters, longer than the short form', async () => {
    expect(await runsFor('show', 'loop_')).toEqual([ended, stopped]);
    expect(await runsFor('logs', short(ended).slice(0, 4).toLowerCase())).toHaveLength(2);
    const small = short(ended).toLowerCase();
    expect(await runsFor('logs', small)).toEqual([small]);
    expect(await runsFor('wait', bare(ended).slice(0, 12))).toEqual([bare(ended)]);
    expect(await runsFor('show', 'x')).toEqual([]);
  });

  it('reads the folder as it is typed, before a shell has', async () => {
    for (const typed of [project, `"${project}"`, `'${project}'`, project.replaceAll(' ', '\\ ')]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as in a terminal
      expect(await wordsFor('status', `--cwd=${typed}`, '')).toEqual([short(ended), short(stopped)]);
    }
  });

  it('looks where the config says that the agent works', async () => {
    const other = join(tree, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'pawl.yaml'), `working_dir: ${JSON.stringify(project)}\n`);
    expect(await wordsFor('status', '--cwd', other, '')).toEqual([short(ended), short(stopped)]);
    writeFileSync(join(other, 'pawl.yaml'), 'working_dir: [\n');
    expect(await wordsFor('status', '--cwd', other, '')).toEqual([]);
  });

  it('offers to a command only the runs that it can do something with', async () => {
    writeFileSync(join(project, 'wait'), '');
    const running = run('--until', 'file_created: DONE', '--max-iterations', '1');
    try {
      await vi.waitUntil(async () => (await runsFor('stop', '')).length > 0, { timeout: 60_000 });
      const live = await runsFor('stop', '');
      expect(live).toHaveLength(1);
      expect(await runsFor('steer', '')).toEqual(live);
      expect(await runsFor('steer', live[0] ?? '', '')).not.toContain(live[0]);
      expect(await runsFor('resume', '')).toEqual([short(stopped)]);
      expect(await runsFor('status', '')).toEqual([...live, short(ended), short(stopped)]);
    } finally {
      rmSync(join(project, 'wait'));
      await running;
    }
    expect(await runsFor('stop', '')).not.toContain(short(stopped));
  });

  it('opens no journal, and hostile names, figures and files do no more than be left out', async () => {
    const runs = join(project, '.ralph', 'runs');
    const names = ['$(touch pwned)', 'loop_`id`', 'loop_\u001b[31m', '-rf', 'loop_evil'];
    for (const name of names) cpSync(join(runs, ended), join(runs, name), { recursive: true });
    const [forged, piped, broken] = [newRunId(), newRunId(), newRunId()];
    for (const runId of [forged, piped, broken])
      cpSync(join(runs, ended), join(runs, runId), { recursive: true, dereference: true });
    const snapshot = JSON.parse(readFileSync(join(runs, ended, 'state.json'), 'utf8'));
    const hostile = {
      status: 'completed\n--evil\t\u001b[2J$(touch pwned)',
      iterations: '$(x)\n',
      startedAt: '\u001b]0;',
    };
    writeFileSync(
      join(runs, forged, 'state.json'),
      sealLine(JSON.stringify({ ...snapshot, c: undefined, ...hostile })),
    );
    for (const file of ['state.json', 'journal.jsonl']) {
      rmSync(join(runs, piped, file));
      expect(spawnSync('mkfifo', [join(runs, piped, file)]).status).toBe(0);
      writeFileSync(join(runs, broken, file), '{"');
    }
    const { lines } = await complete('show', '--cwd', project, 'loop_');
    expect(lines.map((line) => line.split('\t')[0])).toEqual(expect.arrayContaining([forged, piped, broken, ended]));
    expect(lines).toContain(`${forged}\tinterrupted`);
    for (const line of lines) expect(line).toMatch(/^(?:loop_\w{26}\t[\w, ]*|:)$/);
  });
});
