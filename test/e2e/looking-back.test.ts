/** `pawl explain`, `replay` and `stats` on runs of the built command and on the corpus. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeepFactorAgent } from '../../src/agent/index.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { explain, replay } from '../../src/replay/index.js';
import { maxIterations, maxTokens } from '../../src/stop/conditions.js';
import { scriptedModel } from '../../src/testing/scripted-model.js';
import { runProgram } from '../../src/views/cli/program.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { contextOf, recordingTerminal } from '../support/terminal.js';

const CORPUS = fileURLToPath(new URL('../corpus/runs', import.meta.url));

let cli: BuiltCli;
let project: CliProject;
let scratch: string;
beforeAll(async () => {
  cli = new BuiltCli('looking-back');
  scratch = mkdtempSync(join(tmpdir(), 'pawl-back-'));
  // It works once, and then only talks.
  project = new CliProject(cli, { agent: '[ -e made ] || echo x > made; echo "still thinking"' });
  const policy = ['--give-up', 'no_progress: 2', '--until', 'file_created: DONE.md', '--delay', '0s'];
  expect(await project.pawl('run', '-p', 'x', ...policy, '--quiet', '--', './agent.sh')).toMatchObject({ status: 4 });
  project.write(
    'pipeline.yaml',
    `items: [a, b, c, d, e]
generate: { command: 'echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"', output: 'out/{{item.id}}.txt' }
audit: grep -q '^a' "$PAWL_OUTPUT"
retry: { max_attempts: 1, stop_conditions: { max_consecutive_fails: 2, min_items: 9 } }
`,
  );
  expect((await project.pawl('pipeline', 'run', '--trust', '--quiet')).status).toBe(4);
});
afterAll(() => {
  cli.remove();
  rmSync(scratch, { recursive: true, force: true });
});

interface Said {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** In this process: what is looked at is on disk. */
async function pawlAt(columns: number, ...words: readonly string[]): Promise<Said> {
  const terminal = recordingTerminal(columns);
  const status = await runProgram(words, contextOf(terminal));
  const [out, err] = [terminal.out(), terminal.err()];
  // A command to be copied stays on its line.
  const prose = words.includes('--json') ? [] : out.split('\n').filter((line) => !/ pawl \w+ .* --cwd /.test(line));
  for (const line of prose) expect(line.length).toBeLessThanOrEqual(columns);
  expect(out + err).not.toMatch(/undefined|NaN|\[object/);
  return { status, out, err };
}
const pawl = (...words: readonly string[]) => pawlAt(80, ...words);
const here = () => ['--cwd', project.path];
const runOf = (kind: 'loop' | 'pipe') =>
  readdirSync(join(project.path, '.ralph', 'runs')).find((name) => name.startsWith(kind)) ?? '';
const json = ({ out }: Said): unknown => JSON.parse(out);
const fileWith = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};

describe('the name of the run', () => {
  const onScreen = async (isScreen: boolean, ...words: readonly string[]) => {
    const terminal = { ...recordingTerminal(80), isScreen };
    const context = { ...contextOf(terminal), environment: project.env };
    expect(await runProgram([...words, runOf('loop'), ...here()], context), terminal.err()).toBe(0);
    return terminal.out();
  };

  it.each([['diff'], ['diff', '--stat'], ['logs']])(
    'is the heading of pawl %s %s on a screen only',
    async (...words) => {
      expect((await onScreen(true, ...words)).split('\n')[0]).toBe(`run ${runOf('loop')}: x`);
      expect(await onScreen(false, ...words)).not.toContain(`run ${runOf('loop')}`);
    },
  );

  it.each([
    ['diff', '--json'],
    ['diff', '--name-only'],
    ['logs', '--json'],
  ])('is not in pawl %s %s', async (...words) => {
    expect(await onScreen(true, ...words)).not.toMatch(/^run /m);
  });
});

describe('pawl explain', () => {
  it('says why a run gave up, how close the rest was, and what it would have taken', async () => {
    const { status, out } = await pawl('explain', runOf('loop'), ...here());
    expect(status).toBe(0);
    expect(out).toMatch(/^Gave up after 3 iterations: .*progress/m);
    expect(out).toMatch(/\(met\)\n +rule: after 2 iterations in a row without progress$/m);
    expect(out).toMatch(/needs DONE\.md/);
    expect(out).toMatch(/ 3 of 25 iterations$/m);
  });

  it('goes back to an iteration, in words and as JSON', async () => {
    expect((await pawl('explain', '--at', '1', runOf('loop'), ...here())).out).toMatch(
      /^After iteration 1 the run continued/m,
    );
    expect(json(await pawl('explain', '--at', '2', '--json', runOf('loop'), ...here()))).toMatchObject({
      iteration: 2,
      stop: false,
      conditions: expect.arrayContaining([
        expect.objectContaining({ measure: { value: 1, threshold: 2, unit: 'iterations' } }),
      ]),
    });
    const wrong = await pawl('explain', '--at', '9', runOf('loop'), ...here());
    expect(wrong).toMatchObject({ status: 2, out: '', err: expect.stringContaining('has no iteration 9') });
    expect((await pawl('explain', '--at', 'x', ...here())).err).toContain('--at: "x" is not the number');
  });

  it('explains a pipeline by its attempts', async () => {
    const { out } = await pawl('explain', runOf('pipe'), ...here());
    expect(out).toMatch(/^Gave up after 3 attempts: 2 items/m);
    expect(out).toMatch(/ 3 of 50 attempts$/m);
  });

  it('shows composites as a tree, at any width', async () => {
    const run = join(CORPUS, 'flaky-one-green');
    for (const columns of [60, 80, 100]) {
      const { out } = await pawlAt(columns, 'explain', run, '--at', '6');
      expect(out).toContain('✓ all 20 tests pass');
    }
  });

  it('says what is wrong with a record, and explains what can be read of it', async () => {
    const text = readFileSync(join(CORPUS, 'stall-short', 'journal.jsonl'), 'utf8').split('\n');
    const torn = fileWith('torn.jsonl', `${text.slice(0, 40).join('\n')}\n{"v":1,`);
    const cut = { status: 0, err: expect.stringContaining('the last line of the journal (41) is incomplete') };
    expect(await pawl('explain', torn)).toMatchObject({
      ...cut,
      out: expect.stringMatching(/^run torn.*\nInterrupted /),
    });
    expect(await pawl('replay', torn)).toMatchObject({ ...cut, out: expect.stringContaining('; interrupted after') });
    const damaged = fileWith('damaged.jsonl', [...text.slice(0, 40), 'rubbish', ...text.slice(41)].join('\n'));
    const said = await pawl('explain', damaged);
    expect(said).toMatchObject({ status: 1, err: expect.stringContaining('damaged.jsonl:41') });
    expect(said.out).toMatch(/^run damaged.*\nDamaged /);
  });

  it.each([
    ['empty.jsonl', '', /empty: no run is recorded in it/],
    ['foreign.jsonl', 'one\n{"a":1}\nthree\n', /damaged at line 1: .*; 2 lines follow/],
    ['binary.jsonl', '\u0000\u0001\n\u0002', /damaged at line 1: .*; 1 line follows/],
  ])('%s is no run', async (name, text, message) => {
    const path = fileWith(name, text);
    const explained = await pawl('explain', path);
    expect(explained).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
    expect(await pawl('replay', path)).toMatchObject({ status: 1, out: '', err: expect.stringMatching(message) });
    const beside = await pawl('replay', path, join(CORPUS, 'stall-short'));
    expect(beside).toMatchObject({ status: 1, out: expect.stringMatching(/^stall-short: .*\n$/) });
  });

  it('takes one run, by its path as well, and tells its id', async () => {
    for (const words of [[CORPUS], ['all', ...here()]]) {
      const { status, err } = await pawl('explain', ...words);
      expect({ status, err }).toEqual({ status: 2, err: expect.stringMatching(/means \d+ runs; explain takes one/) });
    }
    const run = join(CORPUS, 'stall-short');
    expect(json(await pawl('explain', '--json', run))).toMatchObject({ runId: expect.stringMatching(/^loop_/) });
  });

  it('does not deny a stop from which the run was resumed', async () => {
    const again = new CliProject(cli, { agent: 'date +%N > made' });
    const limit = ['--max-iterations', '2', '--delay', '0s', '--quiet'];
    expect((await again.pawl('run', '-p', 'x', ...limit, '--', './agent.sh')).status).toBe(3);
    expect((await again.pawl('resume', '--max-iterations', '4', '--quiet')).status).toBe(3);
    const words = ['explain', '--cwd', again.path];
    const then = (await pawlAt(200, ...words, '--at', '2')).out;
    expect(then).toMatch(/^Iteration limit reached: 2 of 2 iterations; resumed later with 4 iterations/m);
    expect(then).not.toContain('continued');
    const now = (await pawlAt(200, ...words)).out;
    expect(now).toMatch(/before: Iteration limit reached: .*; resumed with 4 iterations/);
  });
});

describe('pawl replay', () => {
  it('gives the recorded verdicts without another policy', async () => {
    const { out } = await pawl('replay', 'all', ...here());
    expect(out.match(/verdicts? as recorded/g)).toHaveLength(2);
  });

  it('finds runs beside plain files, in a project and in its .ralph, and each once', async () => {
    const mixed = join(scratch, 'mixed');
    const run = join(CORPUS, 'stall-short');
    cpSync(run, join(mixed, 'one'), { recursive: true });
    writeFileSync(join(mixed, 'README.md'), 'x');
    symlinkSync(run, join(scratch, 'link'));
    expect(await pawl('replay', mixed)).toMatchObject({ status: 0, out: expect.stringMatching(/^one: .*\n$/) });
    const thrice = await pawl('replay', run, join(scratch, 'link'), mixed);
    expect(thrice.out).toMatch(/^stall-short: .*\n$/);
    expect(thrice.err).toMatch(/\bone: .*same run as stall-short/);
    for (const path of [project.path, join(project.path, '.ralph')]) {
      expect((await pawl('replay', path)).out.match(/as recorded/g)).toHaveLength(2);
    }
    mkdirSync(join(scratch, 'odd', 'journal.jsonl'), { recursive: true });
    for (const path of ['odd', 'odd/journal.jsonl']) {
      expect(await pawl('replay', join(scratch, path))).toMatchObject({
        status: 2,
        out: '',
        err: expect.stringMatching(/./),
      });
    }
  });

  it('keeps to the width of the terminal, and to one line for each run', async () => {
    const policy = fileWith('wide.yaml', 'failure: [{ no_progress: 4 }]\nlimits: [{ max_cost: 5 }]\n');
    await pawlAt(60, 'replay', CORPUS, '--policy', policy);
    await pawlAt(60, 'replay', CORPUS, '--sweep', 'test_failure_streak: 4', '--sweep', 'max_output_tokens: 2000');
    await pawlAt(60, 'replay', CORPUS, '--sweep', 'no_progress: 4');
    const own = (await pawl('replay', CORPUS)).out.trimEnd().split('\n');
    expect(own.filter((line) => line.startsWith(' '))).toEqual([]);
  });

  it('says that a goal is unknown which was looked at less often than the policy asks', async () => {
    const text =
      'stop:\n  confirm: 3\n  success: [all_tests_pass]\n  failure: []\n  limits: [{ max_iterations: 99 }]\n';
    const policy = fileWith('confirm.yaml', text);
    const one = (await pawl('replay', join(CORPUS, 'plan-first'), '--policy', policy)).out;
    expect(one).toMatch(/would stop +unknown: all \d+ tests pass .*1 of 3/);
    const many = ['plan-first', 'red-refactor'].map((name) => join(CORPUS, name));
    expect((await pawl('replay', ...many, '--policy', policy)).out).toMatch(/plan-first +goal at 11 +unknown/);
  });

  it('tells what was never recorded from what was never reached', async () => {
    const run = join(CORPUS, 'stall-short');
    for (const condition of ['max_cost_per_day', 'context_above']) {
      const { out } = await pawl('replay', run, '--sweep', `${condition}: 1,2`);
      expect(out).not.toMatch(/^\*/m);
      expect(out).toMatch(new RegExp(`not recorded in 1 run.*unknown.*:\\s+${condition}`));
    }
    const dear = await pawl('replay', join(CORPUS, 'unknown-cost'), '--sweep', 'max_cost: 1000000');
    expect(dear.out).toMatch(/unknown/);
    expect(dear.out).toContain('because their spend is unknown');
    expect(dear.out).toContain('saves more iterations');
  });

  it('says where another policy would have stopped, and which fact it lacks', async () => {
    const policy = fileWith(
      'tight.yaml',
      'stop:\n  success: [{ file_created: OTHER.md }]\n  limits: [{ max_iterations: 2 }]\n',
    );
    const { status, out } = await pawl('replay', runOf('loop'), '--policy', policy, ...here());
    expect(status).toBe(0);
    expect(out).toContain('would stop  after 2 iterations (iteration limit)');
    expect(out).toContain('saves       1 iteration');
    expect(out).toMatch(/OTHER\.md.* not /);
    expect(json(await pawl('replay', runOf('loop'), '--policy', policy, '--json', ...here()))).toMatchObject([
      { stop: { iteration: 2, class: 'limit' }, saved: { iterations: 1, losesGoal: false }, missing: [{ of: 2 }] },
    ]);
  });

  it('tries a manifest on a pipeline, and nothing else', async () => {
    const manifest = project.read('pipeline.yaml').replace('max_consecutive_fails: 2', 'max_consecutive_fails: 1');
    project.write('strict.yaml', manifest);
    const words = ['replay', runOf('pipe'), ...here(), '--policy'];
    expect((await pawl(...words, join(project.path, 'strict.yaml'))).out).toContain('after 2 attempts');
    const loop = fileWith('loop.yaml', 'stop: { limits: [{ max_cost: 1 }] }\n');
    expect(await pawl(...words, loop)).toMatchObject({ status: 2, err: expect.stringContaining('is a pipeline') });
  });

  it('names the place of a mistake in the policy', async () => {
    const bad = fileWith('bad.yaml', 'stop:\n  limits:\n    - max_cost: -3\n');
    const { status, out, err } = await pawl('replay', ...here(), '--policy', bad);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/bad\.yaml:3:17 stop\.limits\[0\]\.usd: must be/);
    const top = fileWith('top.yaml', 'failure:\n  - no_progress: x\n');
    expect((await pawl('replay', ...here(), '--policy', top)).err).toMatch(/top\.yaml:2:18 stop\.failure/);
    const day = fileWith('day.yaml', 'stop: { limits: [{ max_cost_per_day: 3 }] }\n');
    expect(await pawl('replay', ...here(), '--policy', day)).toMatchObject({
      status: 2,
      err: expect.stringContaining('your own config'),
    });
    expect((await pawl('replay', '--policy', join(scratch, 'no.yaml'), ...here())).err).toContain('no such file');
  });

  it.each([
    [['--sweep', 'no_progres: 2..3'], /Did you mean no_progress|did you mean/i],
    [['--sweep', 'no_progress: 5..2'], /ends before it begins/],
    [['--sweep', 'max_iterations: 1..150', '--sweep', 'no_progress: 1..9'], /1350 pairs/],
    [['no-such-run'], /there is no run "no-such-run"/],
    [['./no/such/path'], /there is no "\.\/no\/such\/path"/],
    [['--all', 'x'], /is too much/],
    [['--policy', 'a', '--policy', 'b'], /given twice/],
    [['--policy', ''], /the name of a file is missing/],
    [['--sweep', 'retry_rate: 0.1..0.3', join(CORPUS, 'stall-short')], /counts only in a pipeline/],
  ])('%j is refused', async (words, message) => {
    const { status, out, err } = await pawl('replay', ...here(), ...words);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('sweeps the corpus in the built command, and marks the best values', async () => {
    const { status, stdout } = await project.pawl('replay', '--sweep', 'no_progress: 2..10', CORPUS);
    expect(status).toBe(0);
    const rows = stdout.split('\n').filter((line) => /^[* ] +\d/.test(line));
    expect(rows).toHaveLength(9);
    expect(rows.filter((row) => row.startsWith('*')).length).toBeGreaterThan(3);
    expect(rows.some((row) => !row.startsWith('*'))).toBe(true);
    expect(stdout).toContain('of 82 runs');
  });

  it('makes a grid of two sweeps', async () => {
    const sweeps = ['--sweep', 'no_progress: 3,6', '--sweep', 'max_cost: $5,$10', join(CORPUS, 'stall-late')];
    expect(json(await pawl('replay', '--json', ...sweeps))).toMatchObject({
      sweeps: ['no_progress', 'max_cost'],
      rows: [{ name: '3 $5' }, { name: '3 $10' }, { name: '6 $5' }, { name: '6 $10' }],
    });
    await pawl('replay', ...sweeps);
  });

  it('shows many runs in one table', async () => {
    const policy = fileWith('many.yaml', 'stop:\n  failure: [{ no_progress: 4 }]\n');
    const { out } = await pawl('replay', CORPUS, '--policy', policy);
    expect(out).toMatch(/plateau-nine-pays +goal at 22 +failure at \d+ +\d+ +\$[\d.]+ +goal lost/);
    expect(out).toMatch(/\d+ of 82 runs would have stopped earlier/);
  });
});

describe('pawl stats', () => {
  it('sums up the runs of a project', async () => {
    const { out } = await pawl('stats', ...here());
    expect(out).toContain('2 failure');
    expect(out).toContain('no goal was met');
    expect(json(await pawl('stats', '--json', ...here()))).toMatchObject({
      runs: 2,
      outcomes: { failure: 2 },
      goals: 0,
    });
  });

  it('says what is not known, and finds flaky tests and errors', async () => {
    const runs = join(scratch, 'shop', '.ralph', 'runs');
    for (const name of ['flaky-one-green', 'unknown-cost', 'same-error', 'usage-limit-twice']) {
      const text = readFileSync(join(CORPUS, name, 'journal.jsonl'), 'utf8');
      const id = /"runId":"(\w+)"/.exec(text)?.[1] ?? '';
      mkdirSync(join(runs, id), { recursive: true });
      cpSync(join(CORPUS, name), join(runs, id), { recursive: true });
    }
    const { out } = await pawl('stats', '--cwd', join(scratch, 'shop'));
    expect(out).toMatch(/cost +\$[\d.]+ in 3 runs, unknown in 1/);
    expect(out).toMatch(/waited +\d+h.* for usage limits/);
    expect(out).toMatch(/flaky +\S+/);
    expect(out).toMatch(/9 × ENOSPC/);
  });

  it('has something to say where there is nothing', async () => {
    mkdirSync(join(scratch, 'bare'));
    expect((await pawl('stats', '--cwd', join(scratch, 'bare'))).out).toContain('No runs in');
    expect((await pawl('stats', '--all-projects')).status).toBe(0);
    expect((await pawl('stats', '--all-projects', ...here())).status).toBe(2);
  });
});

it('a live run says what is closest to stopping it', async () => {
  const live = new CliProject(cli, { agent: '[ -e one ] && sleep 60; touch one' });
  const limits = ['--max-iterations', '4', '--delay', '0s', '--detach'];
  expect((await live.pawl('run', '-p', 'x', ...limits, '--', './agent.sh')).status).toBe(0);
  const words = ['explain', '--cwd', live.path];
  await expect.poll(async () => (await pawl(...words)).out, { timeout: 60_000 }).toMatch(/Running iteration 2/);
  const { out } = await pawl(...words);
  expect(out).toMatch(/stop conditions .*nearest/);
  expect(out).toContain('1 of 4 iterations');
  expect((await live.pawl('stop', '--now')).status).toBe(0);
});

it('an in-process agent is looked back at like any other run', async () => {
  const model = scriptedModel([{ text: 'almost' }, { text: 'still not' }, { text: 'DONE at last' }]);
  const agent = createDeepFactorAgent({
    model,
    stopWhen: [maxTokens(10_000), maxIterations(5)],
    verifyCompletion: ({ text }) => text.startsWith('DONE'),
  });
  const events: RunEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  expect(await agent.loop({ prompt: 'go' })).toMatchObject({ status: 'completed', iterations: 3 });
  const own = replay(events);
  expect(own).toMatchObject({ kind: 'agent', stop: { class: 'goal', iteration: 3, asRecorded: true } });
  expect(own.verdicts.map(({ isSame }) => isSame)).toEqual([...own.verdicts].map(() => true));
  expect(explain(events)).toMatchObject({ kind: 'agent', class: 'goal', iteration: 3 });
  const tighter = replay(events, (recorded) => ({ ...recorded, failure: [maxTokens(200)] }));
  expect(tighter).toMatchObject({
    stop: { class: 'failure', iteration: 2 },
    saved: { losesGoal: true, iterations: 1 },
  });
});
