/** `pawl export` on runs of the built command. */
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeepFactorAgent } from '../../src/agent/index.js';
import { maxIterations } from '../../src/stop/conditions.js';
import { scriptedModel } from '../../src/testing/scripted-model.js';
import { runProgram } from '../../src/views/cli/program.js';
import type { RunExport } from '../../src/views/text/export/run-export.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { contextOf, recordingTerminal } from '../support/terminal.js';

const SECRET = 'correct-horse-battery';

let cli: BuiltCli;
let project: CliProject;
beforeAll(async () => {
  cli = new BuiltCli('export');
  project = new CliProject(cli, { agent: 'date +%s%N > stamp; echo "=cmd|calc <b>@you</b> in $HOME"' });
  const limits = ['--max-iterations', '2', '--delay', '0s'];
  expect((await project.pawl('run', '-p', 'x', ...limits, '--quiet', '--', './agent.sh')).status).toBe(3);
  project.write(
    'pipeline.yaml',
    `items: [a, b, c]
generate: { command: 'echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"', output: 'out/{{item.id}}.txt' }
audit: grep -q '^[ab]' "$PAWL_OUTPUT"
retry: { max_attempts: 1, stop_conditions: { min_items: 9 } }
`,
  );
  await project.pawl('pipeline', 'run', '--trust', '--quiet');
});
afterAll(() => cli.remove());

const runOf = (kind: string, of = project) =>
  readdirSync(join(of.path, '.ralph', 'runs')).find((name) => name.startsWith(kind)) ?? '';
const folderOf = (kind: string, of = project) => join(of.path, '.ralph', 'runs', runOf(kind, of));

/** In this process: what is looked at is on disk. */
async function pawl(...words: readonly string[]) {
  const terminal = recordingTerminal();
  const status = await runProgram([...words, '--cwd', project.path], contextOf(terminal));
  return { status, out: terminal.out(), err: terminal.err() };
}
const exported = async (...words: readonly string[]): Promise<RunExport> =>
  JSON.parse((await pawl('export', ...words)).out) as RunExport;

/** A copy of the project, to be broken. */
function copy(): CliProject {
  const other = new CliProject(cli, { hasGit: false });
  cpSync(join(project.path, '.ralph'), join(other.path, '.ralph'), { recursive: true, dereference: true });
  return other;
}

describe('every format', () => {
  it('json: a loop, by the beginning of its id', async () => {
    const run = await exported(runOf('loop').slice(0, 16));
    expect(run).toMatchObject({
      version: 1,
      run: { kind: 'loop', agent: 'command' },
      outcome: { status: 'stopped', class: 'limit', exitCode: 3, isLive: false, isDamaged: false },
    });
    expect(run.iterations).toHaveLength(2);
  });

  it('json: the latest run, which is a pipeline', async () => {
    const { run, items } = await exported();
    expect(run.kind).toBe('pipeline');
    expect(items?.map(({ item, status }) => `${item} ${status}`)).toEqual(['a approved', 'b approved', 'c failed']);
  });

  it('jsonl: every event, without its checksum', async () => {
    const { out } = await pawl('export', runOf('loop'), '--format', 'jsonl');
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const recorded = readFileSync(join(folderOf('loop'), 'journal.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(events.map(({ type }) => type)).toEqual(recorded.map((line) => (JSON.parse(line) as { type: string }).type));
    expect(out).not.toMatch(/"sum"|"pid"|"cookie"|"seal"/);
  });

  it('csv: a row for each iteration or item', async () => {
    expect((await pawl('export', runOf('loop'), '--format', 'csv')).out.split('\r\n')).toHaveLength(4);
    const { out } = await pawl('export', runOf('pipe'), '--format', 'csv');
    expect(out.split('\r\n').map((line) => line.split(',')[1])).toEqual(['item', 'a', 'b', 'c', undefined]);
  });

  it('markdown and html: why it stopped, and nothing of the agent as markup', async () => {
    for (const format of ['markdown', 'html']) {
      const { out, status } = await pawl('export', runOf('loop'), '--format', format, '--output');
      expect(status).toBe(0);
      expect(out).toContain('2 of 2 iterations');
      expect(format === 'html' ? out : '').not.toContain('<b>');
    }
  });

  it('an in-process agent', async () => {
    const agent = createDeepFactorAgent({
      model: scriptedModel([{ text: 'done' }]),
      workingDir: project.path,
      stopWhen: [maxIterations(1)],
    });
    await agent.loop({ prompt: 'x' });
    expect((await exported(runOf('agent'))).run).toMatchObject({ kind: 'agent' });
  });
});

describe('what leaves the machine', () => {
  it('names neither the home folder nor a secret of today that was none when it was recorded', () => {
    const env = { ...project.env, NEW_TOKEN: 'cmd|calc' };
    for (const format of ['json', 'jsonl', 'csv', 'markdown', 'html']) {
      const words = [cli.bin, 'export', runOf('loop'), '--format', format];
      const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: project.path, env, encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(stdout).not.toContain(project.home);
      expect(stdout).not.toContain('cmd|calc');
    }
  });

  it('has no word of the agent with --no-output-text', async () => {
    for (const format of ['json', 'jsonl', 'csv', 'markdown', 'html']) {
      expect((await pawl('export', runOf('loop'), '--format', format, '--no-output-text')).out).not.toContain('calc');
    }
    expect((await pawl('export', runOf('loop'), '--format', 'jsonl')).out).toContain('calc');
  });

  it('has a secret of the agent only by name', async () => {
    const other = new CliProject(cli, { agent: `echo "the key is $MY_API_KEY"` });
    other.env['MY_API_KEY'] = SECRET;
    await other.pawl('run', '-p', 'x', '--max-iterations', '1', '--quiet', '--', './agent.sh');
    const { stdout } = await other.pawl('export', '--output');
    expect(stdout).toContain('the key is [MY_API_KEY]');
    expect(stdout).not.toContain(SECRET);
  });
});

it('what the agent reports is marked, and its evidence is among its words', async () => {
  const other = new CliProject(cli, { agent: 'node report.mjs' });
  other.write('mcp.json', '');
  other.write(
    'report.mjs',
    `import { spawn } from 'node:child_process';
const child = spawn(${JSON.stringify(process.execPath)}, [${JSON.stringify(cli.bin)}, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const say = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let out = '';
child.stdout.on('data', (chunk) => {
  out += chunk;
  if (out.includes('"id":2')) child.stdin.end();
});
say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } });
say({ method: 'notifications/initialized' });
say({ id: 2, method: 'tools/call', params: { name: 'report_done', arguments: { evidence: 'zebra \\u009b2J\\u202e crossing' } } });
`,
  );
  other.write(
    'pawl.yaml',
    'agent: { name: command, command: [./agent.sh] }\nprompt: x\nmax_iterations: 1\nstop: { success: [agent_reports_done] }\n',
  );
  const ran = await other.pawl('run', '--quiet', '--trust');
  expect(ran.status).toBe(0);
  const run = JSON.parse((await other.pawl('export')).stdout) as RunExport;
  expect(run.iterations).toMatchObject([{ iteration: 1, claims: ['done'] }]);
  expect(run.marks).toMatchObject([{ type: 'claim-made', claim: 'done', iteration: 1, by: 'the agent (pawl mcp)' }]);
  expect(JSON.stringify(run.marks)).not.toContain('zebra');
  for (const format of ['markdown', 'html']) {
    expect((await other.pawl('export', '--format', format)).stdout).toContain('completed, reported done');
    expect((await other.pawl('export', '--format', format, '--output')).stdout).toContain('says it is done: zebra');
  }
  for (const format of ['json', 'jsonl', 'csv', 'markdown', 'html']) {
    const { stdout } = await other.pawl('export', '--format', format, '--no-output-text');
    expect(stdout).not.toContain('zebra');
    expect(stdout).not.toContain('pid ');
    if (format !== 'csv' && format !== 'jsonl') expect(stdout).toMatch(/agent reports.* done/);
  }
  // Whatever a terminal would obey, or nobody would see, is written in letters and reads back as the same.
  for (const words of [['export'], ['export', '--format', 'jsonl'], ['show', '--json'], ['logs', '--json']]) {
    const { stdout } = await other.pawl(...words);
    expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(stdout).toContain('zebra \\u009b2J\\u202e crossing');
  }
});

describe('into a file', () => {
  const place = (name: string) => join(project.home, name);

  it('by its ending, for nobody else to read, and nothing beside it', async () => {
    mkdirSync(place('reports'));
    expect(await pawl('export', runOf('loop'), '-o', place('reports/run.md'))).toEqual({ status: 0, out: '', err: '' });
    expect(readFileSync(place('reports/run.md'), 'utf8')).toMatch(/^## Run /);
    expect(statSync(place('reports/run.md')).mode & 0o777).toBe(0o600);
    expect(readdirSync(place('reports'))).toEqual(['run.md']);
  });

  it('does not replace a file unless it is told to', async () => {
    writeFileSync(place('kept.json'), 'mine');
    const refused = await pawl('export', '-o', place('kept.json'));
    expect(refused).toMatchObject({ status: 2, out: '', err: expect.stringContaining('--force replaces it') });
    expect(readFileSync(place('kept.json'), 'utf8')).toBe('mine');
    expect((await pawl('export', '-o', place('kept.json'), '--force')).status).toBe(0);
    expect(JSON.parse(readFileSync(place('kept.json'), 'utf8'))).toMatchObject({ version: 1 });
  });

  it('through a link replaces what it leads to, and not the link', async () => {
    writeFileSync(place('real.json'), 'old');
    symlinkSync('real.json', place('link.json'));
    expect((await pawl('export', '-o', place('link.json'), '--force')).status).toBe(0);
    expect(readFileSync(place('real.json'), 'utf8')).toContain('"version": 1');
  });

  it.each([
    ['a folder', '.', /is a folder/],
    ['a folder that is missing', 'no/such/run.json', /the folder .* does not exist/],
    ['a folder that is a file', 'project/agent.sh/run.json', /is not a folder/],
    ['a name that ends like a folder', 'new/', /is the name of a folder/],
    ['a pipe, at which it could wait forever', 'pipe', /is not a file/],
    ['a link that leads nowhere', 'dangling', /is a broken link/],
    ['a link to itself', 'loop', /is a broken link/],
    ['a name that is too long', 'x'.repeat(300), /too long/],
  ])('%s is refused', async (_, name, message) => {
    if (name === 'pipe') spawnSync('mkfifo', [place(name)]);
    if (name === 'dangling') symlinkSync('nothing-there', place(name));
    if (name === 'loop') symlinkSync('loop', place(name));
    const { status, out, err } = await pawl('export', '-o', `${project.home}/${name}`, '--force');
    expect({ status: status > 0, out }).toEqual({ status: true, out: '' });
    expect(err).toMatch(message);
  });

  it('a device is never replaced', async () => {
    expect(await pawl('export', '-o', '/dev/null', '--force')).toMatchObject({ status: 2 });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('a folder that takes no files is said to be so', async () => {
    const { status, out, err } = await pawl('export', '-o', '/proc/run.json');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^pawl: cannot write \/proc\/run\.json: /);
  });

  it('a disk that fills up leaves no half of a file', () => {
    // A limit on the size of files refuses like a full disk does.
    const script = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`;
    const words = [process.execPath, cli.bin, 'export', runOf('loop'), '-o', place('half.json')];
    const ended = spawnSync('bash', ['-c', script, ...words], {
      cwd: project.path,
      env: project.env,
      encoding: 'utf8',
    });
    expect({ status: ended.status, out: ended.stdout }).toEqual({ status: 1, out: '' });
    expect(ended.stderr).toMatch(/cannot write .*half\.json/);
    expect(readdirSync(project.home).filter((name) => name.includes('half'))).toEqual([]);
  });
});

describe('to standard output', () => {
  it('a full disk is an error and no silence', () => {
    const words = ['-c', '"$0" "$@" > /dev/full', process.execPath, cli.bin, 'export'];
    const { status, stderr } = spawnSync('bash', words, { cwd: project.path, env: project.env, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('the output cannot be written');
  });

  it('a reader who has seen enough ends it quietly', () => {
    const words = [
      '-c',
      'set -o pipefail; "$0" "$@" | head -c 10',
      process.execPath,
      cli.bin,
      'export',
      '--format',
      'jsonl',
    ];
    const { stdout, stderr } = spawnSync('bash', words, { cwd: project.path, env: project.env, encoding: 'utf8' });
    expect({ length: stdout.length, stderr }).toEqual({ length: 10, stderr: '' });
  });

  it('html is not for a screen', async () => {
    const terminal = { ...recordingTerminal(), isScreen: true };
    expect(await runProgram(['export', '--format', 'html', '--cwd', project.path], contextOf(terminal))).toBe(2);
    expect(terminal.err()).toContain('use -o FILE');
  });
});

describe('what cannot be meant', () => {
  it.each([
    ['a format that there is not', ['--format', 'pdf'], /json.*jsonl.*csv.*markdown.*html/],
    ['two formats', ['--format', 'csv', '--json'], /--json: --format says csv/],
    ['words without words', ['--output', '--no-output-text'], /leaves out what --output would include/],
    ['words in a table', ['--output', '--format', 'csv'], /a table has no place/],
    ['--force without a file', ['--force'], /name the file with -o/],
    ['a file without a name', ['-o', ''], /the name of the file is empty/],
    ['a run that there is not', ['01ZZZZZZZZ'], /there is no run/],
  ])('%s', async (_, words, message) => {
    const { status, out, err } = await pawl('export', ...words);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(message);
  });
});

describe('a record that is not whole', () => {
  it('torn: what can be read is exported, and it is said in the result and beside it', async () => {
    const torn = copy();
    appendFileSync(join(folderOf('loop', torn), 'journal.jsonl'), '{"v":1,"seq":99\n');
    const { status, stdout, stderr } = await torn.pawl('export', runOf('loop', torn));
    expect(status).toBe(0);
    expect(stderr).toContain('torn');
    const run = JSON.parse(stdout) as RunExport;
    expect(run.outcome).toMatchObject({ isDamaged: false, problem: expect.stringContaining('torn') });
    expect(run.iterations).toHaveLength(2);
  });

  it('damaged in the middle: what stands before is exported, and the exit code says that it is not all', async () => {
    const damaged = copy();
    const path = join(folderOf('loop', damaged), 'journal.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('"type":"iteration-ended"')) + 2;
    lines[at] = lines[at]?.replace('"v":1', '"v":7') ?? '';
    writeFileSync(path, lines.join('\n'));
    for (const format of ['json', 'jsonl', 'csv', 'markdown', 'html']) {
      const { status, stdout, stderr } = await damaged.pawl('export', runOf('loop', damaged), '--format', format);
      expect({ format, status }).toEqual({ format, status: 1 });
      expect(stderr).toContain(`:${at + 1}:`);
      expect(stdout).not.toBe('');
      if (format !== 'csv') expect(stdout).toContain(`:${at + 1}: `);
      if (format === 'json') expect((JSON.parse(stdout) as RunExport).iterations).toHaveLength(1);
    }
  });

  it('empty, or no file at all', async () => {
    const empty = copy();
    writeFileSync(join(folderOf('loop', empty), 'journal.jsonl'), '');
    writeFileSync(join(folderOf('loop', empty), 'state.json'), '');
    const { stdout, stderr } = await empty.pawl('export', runOf('loop', empty));
    expect(stderr).toContain('nothing is recorded for it');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: { problem: expect.stringContaining('nothing is recorded') } });
  });
});

it('an emptied journal: what the run cost is not known, and that is said', async () => {
  const emptied = copy();
  writeFileSync(join(folderOf('loop', emptied), 'journal.jsonl'), '');
  const { stdout, stderr, status } = await emptied.pawl('export', runOf('loop', emptied));
  const { figures, outcome } = JSON.parse(stdout) as RunExport;
  expect([figures.costUsd, figures.tokens]).toEqual([undefined, {}]);
  expect(outcome).toMatchObject({ isDamaged: true, problem: expect.stringContaining('the journal is empty') });
  expect({ status, said: stderr.includes('cost is unknown') }).toEqual({ status: 1, said: true });
});

it('a live run is exported in its present state, and the output says so', async () => {
  const live = new CliProject(cli, { agent: 'touch began; while [ ! -e go ]; do sleep 0.05; done' });
  const words = ['run', '-p', 'x', '--max-iterations', '1', '--delay', '0s', '--quiet', '--', './agent.sh'];
  const running = spawn(process.execPath, [cli.bin, ...words], { cwd: live.path, env: live.env, stdio: 'ignore' });
  const ended = new Promise((resolve) => running.once('exit', resolve));
  try {
    await expect.poll(() => existsSync(join(live.path, 'began')), { timeout: 60_000 }).toBe(true);
    const { status, stdout, stderr } = await live.pawl('export');
    expect(status).toBe(0);
    expect(stderr).toContain('is still running');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: { status: 'running', isLive: true, reasons: [] } });
  } finally {
    live.write('go', '');
    await ended;
  }
});
