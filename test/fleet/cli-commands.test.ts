/** The command line of a fleet: a real Postgres, the built command, and a repository on disk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { BuiltCli, type CliOutcome, CliProject } from '../support/cli-project.js';
import { type FleetDatabase, sharedFleet } from '../support/fleet-database.js';
import { GitRemote } from '../support/git-remote.js';
import { PASSWORD } from '../support/test-postgres.js';
import { shortId } from '../../src/words/short-id.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const PLACE = ['--repo', 'https://example.org/a.git', '--branch', 'main'];
const AGENT = ['--max-iterations', '2', '--delay', '0s', '--', 'sh', '-c', 'cat > prompt.txt; date +%s%N > stamp'];

const fleetFor = sharedFleet();
let cli: BuiltCli;
let project: CliProject;
let remote: GitRemote;

beforeAll(() => {
  cli = new BuiltCli('fleet-commands');
  // The package that the command asks for when it is used.
  symlinkSync(MODULES, join(cli.folder, 'node_modules'));
  remote = new GitRemote();
});
afterAll(() => {
  cli.remove();
  remote.remove();
});
beforeEach(() => {
  project = new CliProject(cli);
});

async function fleet(context: TestContext): Promise<FleetDatabase> {
  const found = await fleetFor(context);
  project.env['PAWL_POSTGRES'] = found.postgres.url;
  return found;
}

function expectRefused(outcome: CliOutcome, status: number, message: RegExp | string): void {
  expect(outcome).toMatchObject({ status, stdout: '' });
  expect(outcome.stderr).toMatch(message);
  expect(outcome.stderr).not.toContain(PASSWORD);
  expect(outcome.stderr).not.toContain('unexpected error');
}

async function submitted(...words: readonly string[]): Promise<readonly string[]> {
  const outcome = await project.pawl('submit', ...words);
  expect(outcome, outcome.stderr).toMatchObject({ status: 0 });
  return outcome.stdout.trim().split('\n');
}

function worker(...words: readonly string[]): { readonly process: ChildProcess; readonly said: () => string } {
  let said = '';
  const process_ = spawn(process.execPath, [join(cli.folder, 'bin', 'pawl.js'), 'worker', ...words], {
    cwd: project.path,
    env: project.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void process_.kill('SIGKILL'));
  for (const stream of [process_.stdout, process_.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  return { process: process_, said: () => said };
}

describe('the database', () => {
  it.each([
    ['fleet status', ['fleet', 'status']],
    ['worker', ['worker']],
    ['submit', ['submit', ...PLACE, '-p', 'x']],
  ])('that nobody has named is asked for by %s', async (_name, words) => {
    expectRefused(await project.pawl(...words), 2, /database.*PAWL_POSTGRES/);
  });

  it('that is no URL, is not there, or refuses, is told in words and without its password', async (context) => {
    const { postgres } = await fleetFor(context);
    const status = (url: string) => project.pawl('fleet', 'status', '--postgres', url);
    expectRefused(await status(`http://me:${PASSWORD}@host`), 2, /must be like postgres:/);
    expectRefused(
      await status(`postgres://me:${PASSWORD}@127.0.0.1:1/x`),
      5,
      /is not reachable: nothing listens there/,
    );
    expectRefused(
      await status(postgres.urlOf('postgres', 'postgres', `not-${PASSWORD}`)),
      2,
      /refuses the user or the password/,
    );
    expectRefused(await status(postgres.urlOf('nowhere')), 2, /there is no such database/);
  });

  it('is prepared once, and until then everybody says how', async (context) => {
    const { database, postgres } = await fleetFor(context);
    await database.query('create database bare');
    project.env['PAWL_POSTGRES'] = postgres.urlOf('bare');
    for (const words of [['fleet', 'status'], ['worker'], ['submit', ...PLACE, '-p', 'x']]) {
      expectRefused(await project.pawl(...words), 2, /not prepared for a fleet: pawl fleet init/);
    }
    expect(await project.pawl('fleet', 'init')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('made the tables'),
    });
    expect(await project.pawl('fleet', 'init')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/tables .*already/),
    });
    expect(await project.pawl('fleet', 'status')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('no workers'),
    });
  });
});

describe('submit', () => {
  it('keeps the text of the config, the flags and the prompt that is here', async (context) => {
    const { database } = await fleet(context);
    project.write('pawl.yaml', 'iteration_delay: 0s\n');
    project.write('PROMPT.md', 'Do it.\n');
    project.env['PAWL_MODEL'] = 'opus';
    await submitted(...PLACE, '--label', 'gpu', '--labels', 'arm,gpu', '--key-group', 'team-a', '--max-cost', '3');
    const [row] = await database.query('select repository, base, labels, key_group, batch, state, spec from pawl.runs');
    expect(row).toEqual({
      repository: 'https://example.org/a.git',
      base: 'main',
      labels: ['gpu', 'arm'],
      key_group: 'team-a',
      batch: null,
      state: 'queued',
      spec: {
        config: 'iteration_delay: 0s\n',
        flags: { model: 'opus', 'max-cost': ['3'], prompt: 'Do it.\n' },
      },
    });
  });

  it('keeps a config of JSON so that whoever reads YAML understands it', async (context) => {
    const { database } = await fleet(context);
    project.write('own.json', '{\n\t"agent":\t{ "name": "claude" }\n}\n');
    await submitted('own.json', ...PLACE, '-p', 'x');
    const rows = await database.query(`select spec->>'config' as config from pawl.runs`);
    expect(rows).toEqual([{ config: '{"agent":{"name":"claude"}}' }]);
  });

  it('says that the prompt is the one of the repository when there is none here', async (context) => {
    const { database } = await fleet(context);
    expect(await project.pawl('submit', ...PLACE)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/prompt.*repository/),
    });
    expect(await database.query('select spec from pawl.runs')).toEqual([{ spec: { config: '', flags: {} } }]);
  });

  it('names every mistake with its place, and submits nothing', async (context) => {
    const { database } = await fleet(context);
    const refuses = async (words: readonly string[], message: RegExp) =>
      expectRefused(await project.pawl('submit', ...words), 2, message);
    await refuses(['-p', 'x', '--branch', 'main'], /^--repo: /m);
    await refuses(['-p', 'x', '--repo', '/a'], /--branch: missing/);
    await refuses(['-p', 'x', '--repo', 'a/b', '--branch', 'main'], /--repo: .*a URL or an absolute path/);
    await refuses(['-p', 'x', '--repo', '/a', '--branch', '-x'], /--branch: "-x" cannot be/);
    await refuses([...PLACE, '-p', 'x', '--max-cost', 'much'], /--max-cost/);
    await refuses([...PLACE, '-p', ' '], /the prompt contains only blanks/);
    await refuses([...PLACE, '-p', 'x', '--prompt-path', 'none.md'], /prompt/);
    await refuses([...PLACE, '--prompt-path', 'none.md'], /there is no prompt file none\.md/);
    await refuses(['none.yaml', ...PLACE, '-p', 'x'], /none\.yaml: no such file/);
    await refuses([...PLACE, '-p', 'x', '--batch-cost', '0'], /--batch-cost: must be an amount/);
    await refuses([...PLACE, '-p', 'x', '--label', 'a b'], /--label: must be one word/);
    await refuses([...PLACE, '-p', 'x', '--labels', 'a,,b'], /--labels: must be one word/);
    await refuses([...PLACE, '-p', 'x', '--'], /there is no command after --/);
    project.write('pawl.yaml', 'max_iterations: 3\nworking_dir: .\n');
    await refuses([...PLACE, '-p', 'x'], /pawl\.yaml:2:\d+ working_dir: .*top of the repository/);
    project.write('pawl.yaml', 'stop:\n  limits:\n    - max_cots: 3\n');
    await refuses([...PLACE, '-p', 'x'], /pawl\.yaml:3:\d+/);
    expect(await database.query('select 1 from pawl.runs')).toEqual([]);
  });

  it('lets no secret into the database', async (context) => {
    const { database } = await fleet(context);
    const secret = 'hunter2-hunter2';
    project.env['SERVICE_TOKEN'] = secret;
    const refuses = async (message: RegExp, ...words: readonly string[]) => {
      const outcome = await project.pawl('submit', '--branch', 'main', ...words);
      expectRefused(outcome, 2, message);
      expect(outcome.stderr).not.toContain(secret);
    };
    await refuses(/^-p: holds the value of \$SERVICE_TOKEN/, '--repo', '/a', '-p', `Use ${secret}.`);
    await refuses(/^--agent-arg: holds/, '--repo', '/a', '-p', 'x', '--agent-arg', secret);
    await refuses(/^--key-group: holds/, '--repo', '/a', '-p', 'x', '--key-group', secret);
    await refuses(/--repo: the URL carries credentials/, '--repo', `https://me:${secret}@example.org/a`, '-p', 'x');
    await refuses(/--repo: the URL carries credentials/, '--repo', `https://${secret}@example.org/a`, '-p', 'x');
    project.write('pawl.yaml', `agent:\n  env:\n    SOME_API_KEY: other-${secret.toUpperCase()}\n`);
    await refuses(/^pawl\.yaml:3:\d+ agent\.env\.SOME_API_KEY: is a secret/, '--repo', '/a', '-p', 'x');
    expect(await database.query('select 1 from pawl.runs')).toEqual([]);
    project.write('pawl.yaml', 'agent:\n  env:\n    LOG_LEVEL: debug\n');
    await submitted('--repo', 'ssh://git@example.org/a.git', '--branch', 'main', '-p', 'x');
  });
});

describe('a matrix', () => {
  it('makes a run of each line, in one batch with one budget', async (context) => {
    const { database } = await fleet(context);
    const lines = [
      { id: 7, title: 'Fix {{ticket.id}}', parts: ['a'] },
      { id: 8, title: 'B', parts: {}, branch: 'next', labels: ['gpu'], prompt: 'Only {{ ticket.title }}' },
    ];
    project.write('tickets.jsonl', `${lines.map((line) => JSON.stringify(line)).join('\n\n')}\n`);
    const words = [...PLACE, '-p', '#{{ticket.id}} {{ticket.title}} {{ticket.parts}} {{feedback}}', '--label', 'x'];
    const printed = await submitted(
      ...words,
      '--matrix',
      'tickets.jsonl',
      '--batch',
      'week',
      '--batch-cost',
      '5',
      '--json',
    );
    expect(printed.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { batch: 'week', branch: 'main', labels: ['x'], ticket: 7 },
      { batch: 'week', branch: 'next', labels: ['x', 'gpu'], ticket: 8 },
    ]);
    const rows = await database.query<{ prompt: string }>(
      `select spec->'flags'->>'prompt' as prompt from pawl.runs order by position`,
    );
    expect(rows.map(({ prompt }) => prompt)).toEqual(['#7 Fix {{ticket.id}} ["a"] {{feedback}}', 'Only B']);
    const status = (await project.pawl('fleet', 'status', '--batch', 'week')).stdout;
    expect(status).toMatch(/batch week: 2 queued, 0 running, .*\$0\.00 of \$5\.00/);
    expect(JSON.parse((await project.pawl('fleet', 'status', '--batch', 'week', '--json')).stdout)).toMatchObject({
      counts: { queued: 2 },
      batch: { id: 'week', maxCostUsd: 5 },
      runs: [{ base: 'next' }, { base: 'main' }],
    });
  });

  it('with a mistake names its line, and submits nothing', async (context) => {
    const { database } = await fleet(context);
    const refuses = async (text: string, message: RegExp, prompt: readonly string[] = ['-p', '{{ticket.id}}']) => {
      project.write('tickets.jsonl', text);
      expectRefused(await project.pawl('submit', ...PLACE, ...prompt, '--matrix', 'tickets.jsonl'), 2, message);
    };
    await refuses('', /tickets\.jsonl: there is no line in it/);
    await refuses('{"id":1}\n[2]\n', /tickets\.jsonl:2: must be an object/);
    await refuses('{"id":1}\n\n{"id"\n', /tickets\.jsonl:3:6: is not valid JSON/);
    await refuses('{"id":1}\n{"id":2}\n{"id":1}\n', /tickets\.jsonl:3: the id 1 .*tickets\.jsonl:1/);
    await refuses(
      '{"id":1}\n{"di":2}\n',
      /tickets\.jsonl:2: the prompt asks for \{\{ticket\.id\}\}, .*did you mean "di"/,
    );
    await refuses('{"id":1,"labels":"gpu"}\n', /tickets\.jsonl:1 labels: must be a list/);
    await refuses('{"id":1,"branch":"a b"}\n', /tickets\.jsonl:1 branch: "a b" cannot be the name of a branch/);
    await refuses('{"id":1}\n', /tickets\.jsonl:1: there is no prompt here/, []);
    expectRefused(
      await project.pawl('submit', ...PLACE, '-p', 'x', '--matrix', 'none'),
      2,
      /--matrix: none cannot be read/,
    );
    expect(await database.query('select 1 from pawl.runs')).toEqual([]);
  });
});

describe('runs of the fleet', () => {
  it('says so when nobody can make its home', async (context) => {
    await fleet(context);
    expectRefused(await project.pawl('worker', '--home', '/proc/nope/home'), 1, /\/proc\/nope/);
  });

  it('are worked on to their end, and are looked at from anywhere', async (context) => {
    await fleet(context);
    const place = ['--repo', remote.url, '--branch', 'main'];
    project.write('tickets.jsonl', '{"id":1}\n{"id":2}\n');
    const ids = await submitted(...place, '-p', 'Ticket {{ticket.id}}.', '--matrix', 'tickets.jsonl', ...AGENT);
    const [first = '', second = ''] = ids;
    const works = worker('--slots', '2', '--label', 'x');
    const logs = await project.pawl('fleet', 'logs', first.slice(-8), '--follow');
    expect(logs, works.said()).toMatchObject({ status: 0 });
    expect(logs.stderr).toMatch(/^(?:nothing is recorded .*\n)?$/);
    expect(logs.stdout).toMatch(/iteration 1[^]*iteration 2[^]*(?:iteration limit|limit reached).*2 iterations/i);
    await project.pawl('fleet', 'logs', second, '-f');
    const { stdout } = await project.pawl('fleet', 'status');
    expect(stdout).toMatch(/^worker [0-9a-f]{8} .* of 2 slots, .*labels x$/m);
    expect(stdout).toContain('0 queued, 0 running, 0 waiting, 2 ended');
    expect(stdout).toMatch(new RegExp(`^${shortId(second)} limit reached +2 .* the repositor`, 'm'));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const written = [first, second].map((id) => remote.ask('show', `pawl/${id}:prompt.txt`));
    expect(written).toEqual([expect.stringContaining('Ticket 1.'), expect.stringContaining('Ticket 2.')]);
    works.process.kill('SIGTERM');
    expect(await once(works.process, 'exit')).toEqual([0, null]);
    expect(works.said()).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+Z worker .*: 2 slots$/m);
    expect(works.said()).not.toContain(PASSWORD);
  });

  it('keep the way into the database from their agent', async (context) => {
    await fleet(context);
    const [id = ''] = await submitted(
      '--repo',
      remote.url,
      '--branch',
      'main',
      '-p',
      'x',
      '--max-iterations',
      '1',
      '--',
      'sh',
      '-c',
      'env > seen',
    );
    const works = worker();
    expect(await project.pawl('fleet', 'logs', id, '-f')).toMatchObject({ status: 0 });
    const seen = remote.ask('show', `pawl/${id}:seen`);
    expect(seen).toContain('HOME=');
    expect(seen).not.toContain('PAWL_POSTGRES');
    works.process.kill('SIGINT');
    expect(await once(works.process, 'exit')).toEqual([0, null]);
  });

  it('are let go of at the second signal, in the middle of an iteration', async (context) => {
    const { database } = await fleet(context);
    await submitted('--repo', remote.url, '--branch', 'main', '-p', 'x', '--', 'sh', '-c', 'echo here; sleep 300');
    const works = worker();
    await expect
      .poll(() => database.query(`select 1 from pawl.events where line like '%agent-spawned%'`), { timeout: 60_000 })
      .toHaveLength(1);
    works.process.kill('SIGTERM');
    await expect.poll(works.said, { timeout: 60_000 }).toContain('SIGTERM');
    works.process.kill('SIGTERM');
    expect(await once(works.process, 'exit')).toEqual([0, null]);
    expect(await database.query('select state, worker from pawl.runs')).toMatchObject([{ state: 'queued' }]);
    expect(await database.query('select 1 from pawl.workers')).toEqual([]);
  });

  it('are paused, cancelled and told something by name, by batch or all', async (context) => {
    const { database } = await fleet(context);
    const [one = '', other = ''] = [
      ...(await submitted(...PLACE, '-p', 'x', '--batch', 'b')),
      ...(await submitted(...PLACE, '-p', 'x')),
    ];
    const wishes = async () =>
      (await database.query<{ wish: string }>('select wish from pawl.runs order by position')).map(({ wish }) => wish);
    const say = (...words: readonly string[]) => project.pawl('fleet', ...words);
    expect((await say('pause', one, other.slice(-8))).stdout).toBe('2 runs to be paused\n');
    expect((await say('status')).stdout).toMatch(/ paused /);
    expect((await say('unpause', '--all')).stdout).toMatch(/^2 runs /);
    expect((await say('cancel', '--batch', 'b')).stdout).toBe('1 run to be cancelled\n');
    expect(await wishes()).toEqual(['cancel', null]);
    expectRefused(await say('pause', one), 2, /has ended, or is to be cancelled already/);
    expect(await say('steer', other.toLowerCase(), 'Look left.')).toMatchObject({ status: 0 });
    expect(await database.query('select run, command from pawl.commands')).toEqual([
      { run: other, command: { type: 'steer', text: 'Look left.' } },
    ]);
    expect((await say('logs', other)).stderr).toContain('nothing is recorded');
  });

  it('that are not there, or too many, are refused in words', async (context) => {
    await fleet(context);
    project.write('tickets.jsonl', '{"id":1}\n{"id":2}\n');
    const [one = ''] = await submitted(...PLACE, '-p', 'x', '--matrix', 'tickets.jsonl');
    const refuses = async (message: RegExp, ...words: readonly string[]) =>
      expectRefused(await project.pawl('fleet', ...words), 2, message);
    for (const name of ['logs', 'cancel', 'pause', 'unpause', 'approve'])
      await refuses(/there is no run "nope"/, name, 'nope');
    await refuses(/there is no run "%"/, 'cancel', '%');
    await refuses(/there is no run "nope"/, 'steer', 'nope', 'left');
    await refuses(/steer/, 'steer', one, '');
    await refuses(/fits loop_.* and loop_/, 'logs', one.slice(0, 9));
    await refuses(/is too short/, 'cancel', 'l');
    await refuses(/no runs .*--batch/, 'cancel');
    await refuses(/--all cannot be/, 'cancel', one, '--all');
    await refuses(/there is no batch "b"/, 'status', '--batch', 'b');
    await refuses(/there is no batch "b"/, 'pause', '--batch', 'b');
  });

  it('are limited by what they share', async (context) => {
    await fleet(context);
    const limit = (...words: readonly string[]) => project.pawl('fleet', 'limit', ...words);
    expect((await limit('key_group', 'team-a', '2')).stdout).toMatch(/^key_group team-a: .*2 runs/);
    expect(await limit('label', '*', '0')).toMatchObject({ status: 0 });
    expect(await limit('key_group', 'team-a', '3')).toMatchObject({ status: 0 });
    expect((await limit()).stdout).toBe(
      [
        'key_group  at most 3 runs at a time team-a\n',
        'label      at most 0 runs at a time * (each that has no limit of its own)\n',
      ].join(''),
    );
    expect(await limit('label', '*', '--remove')).toMatchObject({ status: 0 });
    expectRefused(await limit('label', '*', '--remove'), 2, /there is no limit for label \*/);
    expectRefused(await limit('label', 'x'), 2, /how many runs/);
    expectRefused(await limit('label', 'x', '-1'), 2, /-1/);
    expectRefused(await limit('colour', 'x', '1'), 2, /Allowed choices/);
    expectRefused(await limit('label'), 2, /no label/);
  });
});

it.each([
  [['fleet', 'init', '--ttl', '9s'], /--ttl: must be a duration from 10s to 1h/],
  [['fleet', 'init', '--ttl', 'soon'], /--ttl: must be a duration from 10s to 1h/],
  [
    ['submit', '--repo', '/a', '--branch', 'b', '-p', 'x', '--api-key', 'a', '--', 'true'],
    /--api-key: is now --key-group/,
  ],
])('%j is refused', async (words, message) => {
  expectRefused(await project.pawl(...words), 2, message);
});

it('a login in the URL of a repository is no secret', async () => {
  const nowhere = ['--postgres', 'postgres://nobody@127.0.0.1:1/none'];
  const { status } = await project.pawl('fleet', 'limit', 'repository', 'ssh://git@host/x', '2', ...nowhere);
  expect(status).toBe(5);
});

it.each([
  [['--slots', '0'], /--slots: must be a whole number/],
  [['--ttl', '5s'], /--ttl: is set for the whole fleet, .*: pawl fleet init --ttl 30s/],
  [['--label', ''], /--label: must be one word/],
])('a worker with %j is refused', async (words, message) => {
  expectRefused(await project.pawl('worker', ...words), 2, message);
});
