import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { makeStateFolder, shadowFolder } from '../../src/observation/files/shadow-repository.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { AGENTS, AttackedRun } from '../support/attacked-run.js';
import { BuiltCli } from '../support/cli-project.js';
import { type CliOutcome, runPawl } from '../support/in-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const WAIT = { timeout: 60_000, interval: 20 };
const cli = new BuiltCli('pains');
const { folder, bin } = cli;
const runs: AttackedRun[] = [];

// Where the price list is found.
beforeAll(() => symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules')));
afterAll(() => {
  for (const run of runs) run.remove();
  cli.remove();
});

function scratch(): AttackedRun {
  const run = new AttackedRun();
  runs.push(run);
  return run;
}

const GOAL = ['--delay', '0', '--until', 'file_created: DONE'];

/** A working directory with an agent of its own, for the built command. */
class Tree {
  readonly path = mkdtempSync(join(folder, 'tree-'));
  readonly env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state') };

  constructor(agent: string) {
    writeFileSync(join(this.path, 'agent.sh'), `#!/usr/bin/env bash\ncat > /dev/null\n${agent}\n`, { mode: 0o755 });
  }

  pawl(...words: string[]): Promise<CliOutcome> {
    return runPawl(bin, words, { cwd: this.path, environment: this.env });
  }

  run(...words: string[]) {
    return this.pawl('run', '-p', 'Go.', ...words, '--', './agent.sh');
  }

  start(...words: string[]): ChildProcess {
    const args = [bin, 'run', '-p', 'Go.', ...words, '--', './agent.sh'];
    const runner = spawn(process.execPath, args, { cwd: this.path, env: this.env, stdio: 'ignore' });
    onTestFinished(() => void runner.kill('SIGKILL'));
    return runner;
  }

  /** How often the agent was called, when it counts. */
  calls(): number {
    return existsSync(join(this.path, 'n')) ? readFileSync(join(this.path, 'n'), 'utf8').length : 0;
  }

  /** Of its only run, as far as it is written. */
  journal(): string {
    const runs = join(this.path, '.ralph', 'runs');
    const [file] = existsSync(runs) ? readdirSync(runs).map((id) => join(runs, id, 'journal.jsonl')) : [];
    return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}

const COUNTS = 'printf x >> n';

describe('the bound of a run', () => {
  it.each([
    [['--max-iterations=3'], 3],
    [['--max-iterations', '08'], 8],
  ])('[p1] is never lost in the prompt or read as none: %j', async (words, count) => {
    const tree = new Tree(COUNTS);
    const { status, stdout } = await tree.run(...GOAL, ...words);
    expect({ status, calls: tree.calls() }).toEqual({ status: 3, calls: count });
    expect(stdout).toMatch(new RegExp(`^ {2}limits +after ${count} iterations$`, 'm'));
  });

  it.each([
    ['a flag that is misspelled', ['--max-iteration=3'], 'Did you mean --max-iterations?'],
    ['a flag without its value', ['--max-iterations', '--quiet'], 'must be a whole number'],
    ['a bound in words', ['--max-iterations', 'three'], 'must be a whole number'],
    ['words that are left over', ['fix', 'it', '--max-iterations', '3'], 'too many arguments'],
  ])('[p1] and %s: nothing is started', async (_, words, why) => {
    const tree = new Tree(COUNTS);
    expect(await tree.run(...GOAL, ...words)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(why),
    });
    expect(tree.calls()).toBe(0);
  });

  it('[p2] is there when nobody thought of one: 25 iterations, said before the first', async () => {
    const tree = new Tree(COUNTS);
    const { status, stdout } = await tree.run(...GOAL);
    expect({ status, calls: tree.calls() }).toEqual({ status: 3, calls: 25 });
    expect(stdout.split('iteration 1 ')[0]).toMatch(/^ {2}limits +after 25 iterations$/m);
  });

  it('[p15] holds over a crash: spend and streaks go on where they were', async () => {
    const usage = '{"pawl":"usage","input_tokens":10,"output_tokens":5,"cost_usd":0.1}';
    const tree = new Tree(`${COUNTS}; echo '${usage}'; [ $(wc -c < n) = 3 ] && sleep 300; exit 1`);
    const runner = tree.start(...GOAL, '--max-cost', '5');
    await expect.poll(() => tree.journal().match(/"type":"usage-reported"/g)?.length, WAIT).toBe(3);
    const gone = new Promise((resolve) => runner.on('exit', resolve));
    runner.kill('SIGKILL');
    await gone;
    const { status, stdout } = await tree.pawl('resume');
    expect({ status, calls: tree.calls() }).toEqual({ status: 4, calls: 4 });
    expect(stdout).toMatch(/^Gave up after \d iterations: .*failed/m);
    expect(stdout).toMatch(/spent +\$0\.40/);
  });
});

describe('done', () => {
  const TESTS = `echo 1..1; if [ -e fixed ]; then echo 'ok 1 - works'; else echo 'not ok 1 - works'; exit 1; fi`;

  it('[p3] is not believed while a test is red, however often the agent says it', async () => {
    const run = scratch();
    writeFileSync(join(run.workingDir, 'tests.sh'), TESTS);
    const result = await run.run(
      ['runs', 'echo "Done. ALL TESTS PASS."; printf x >> n; [ $(wc -c < n) -lt 3 ] || touch fixed'],
      { maxIterations: 9, tests: 'sh tests.sh', stop: { success: ['all_tests_pass'] } },
    );
    expect(result).toMatchObject({ status: 'completed', class: 'goal', exitCode: 0 });
    expect(run.ended()).toHaveLength(3);
  });

  it('[p14] without any work says that nothing was run', async () => {
    const tree = new Tree(COUNTS);
    writeFileSync(join(tree.path, 'DONE'), '');
    const { status, stdout } = await tree.run(...GOAL);
    expect({ status, calls: tree.calls() }).toEqual({ status: 0, calls: 0 });
    expect(stdout).toMatch(/^Done: DONE exists \(already met/m);
  });

  it.each([
    'node --test',
    'printf "TAP version 13\\n1..0\\n"',
    'echo "===== no tests ran in 0.01s ====="',
    'echo "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"',
  ])('[p14] is not reached by tests of which none ran: %s', async (tests) => {
    const tree = new Tree(COUNTS);
    const words = ['--delay', '0', '--tests', tests, '--until', 'all_tests_pass', '--max-iterations', '1', '--quiet'];
    expect(await tree.run(...words)).toMatchObject({ status: 3, stdout: expect.stringContaining('no test ran') });
    expect(tree.calls()).toBe(1);
  });
});

/** Runs with a program called `claude` that prints one stream per call, the last one again and again. */
function claudeRun(streams: readonly string[], config: LoopConfig = {}): AttackedRun {
  const run = scratch();
  streams.forEach((stream, index) => writeFileSync(join(run.home, `stream-${index + 1}`), stream));
  const path = join(run.folder, 'path');
  const next = `printf x >> "$HOME/n"; n=$(wc -c < "$HOME/n"); cat "$HOME/stream-$((n < ${streams.length} ? n : ${streams.length}))"`;
  mkdirSync(path);
  writeFileSync(join(path, 'claude'), `#!/usr/bin/env bash\ncat > /dev/null\n${next}\n`, { mode: 0o755 });
  run.runner = new LoopRunner(
    {
      workingDir: run.workingDir,
      prompt: 'go',
      agent: { name: 'claude' },
      maxIterations: 1,
      trackFileChanges: false,
      ...config,
    },
    { environment: { ...run.environment, PATH: `${path}${delimiter}${process.env['PATH']}` } },
  );
  run.runner.subscribe((event) => run.events.push(event));
  return run;
}

const recorded = (name: string) => readFileSync(join(root, 'test', 'fixtures', 'streams', 'claude', name), 'utf8');

describe('a provider', () => {
  const WORDS =
    "API Error: 429 Too Many Requests. Rate limit exceeded. You've hit your usage limit, it resets at 5pm. 529 Overloaded";

  it('[p9] that is only written about limits nothing: in words, in the answer of a tool, in an error output', async () => {
    const run = scratch();
    const tool = `{"pawl":"tool-call","id":"1","name":"cat"}\n{"pawl":"tool-result","id":"1","output":"${WORDS}"}`;
    writeFileSync(join(run.workingDir, 'said'), `${WORDS}\n${tool}\n`);
    await run.run(['runs', 'cat said; cat said >&2']);
    expect(run.ended()).toMatchObject([{ outcome: 'completed' }]);
    expect([...run.of('waiting-started'), ...run.of('limit-hit')]).toEqual([]);
  });

  it('[p9] that Claude Code only writes about limits nothing', async () => {
    const lines = recorded('success.jsonl').replaceAll("I'll create the file.", WORDS);
    expect(lines).toContain(WORDS);
    const run = claudeRun([lines]);
    await run.finish();
    expect(run.said()).toContain(WORDS);
    expect(run.ended()).toMatchObject([{ outcome: 'completed' }]);
    expect([...run.of('waiting-started'), ...run.of('limit-hit')]).toEqual([]);
  });

  it('[p20] that is overloaded (529) is waited for, and costs neither the run nor an iteration', async () => {
    const run = claudeRun([recorded('overloaded-forever.jsonl'), recorded('success.jsonl')]);
    run.runner.subscribe(
      ({ type }) => type === 'waiting-started' && setImmediate(() => void run.runner.send({ type: 'resume' })),
    );
    expect(await run.finish()).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(run.of('waiting-started')).toMatchObject([{ for: 'overload' }]);
    expect(run.ended().map(({ iteration, outcome }) => [iteration, outcome])).toEqual([
      [1, 'limited'],
      [1, 'completed'],
    ]);
  });

  it('[p21] that is paid by a key in the environment, not by the subscription, is named before the first iteration', async () => {
    const tree = new Tree('');
    tree.env['ANTHROPIC_API_KEY'] = 'not-to-be-shown';
    tree.env['PATH'] = `${join(AGENTS, 'path')}${delimiter}${tree.env['PATH']}`;
    const words = ['-p', 'Go.', '--agent', 'claude', '--max-iterations', '1', ...GOAL];
    const { status, stdout } = await tree.pawl('run', ...words);
    expect(status).toBe(3);
    const [before = ''] = stdout.split('iteration 1 ');
    expect(before.replaceAll(/\s+/g, ' ')).toMatch(/ANTHROPIC_API_KEY is set.* bills that key/);
    expect(stdout).not.toContain('not-to-be-shown');
  });

  it('[p24] tells cached and reasoning tokens as parts: they are not counted again, and neither is a repeated report', async () => {
    const run = scratch();
    const usage =
      '{"pawl":"usage","id":"r1","model":"claude-sonnet-4-5","input_tokens":100000,"output_tokens":10000,"cache_read_tokens":60000,"cache_write_tokens":20000,"reasoning_tokens":4000}';
    await run.run(['prints', usage, usage]);
    const { totalTokens, costUsd } = totalSpend(run.runner.runState.spend);
    expect(totalTokens).toBe(110_000);
    expect(costUsd).toBeCloseTo(0.02 * 3 + 0.06 * 0.3 + 0.02 * 3.75 + 0.01 * 15, 9);
  });
});

/** Another name and another content each time. */
const NEW_FILE =
  'for word in alpha beta gamma delta; do [ -e new-$word.js ] && continue; echo "let $word;" > new-$word.js; exit; done';

describe.concurrent('progress', () => {
  const tracked = (script: string, config: LoopConfig) => {
    const run = scratch();
    run.initRepository();
    return run.run(['runs', script], { trackFileChanges: true, ...config }).then((result) => ({ run, result }));
  };
  const patience: LoopConfig = { maxIterations: 4, stop: { failure: [{ no_progress: 2 }] } };

  it('[p11] is a file that git does not know yet', async () => {
    const { run, result } = await tracked(NEW_FILE, patience);
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(run.git('status', '--porcelain')).toContain('?? new-');
    expect(run.ended()).toHaveLength(4);
  });

  it('[p11] is not missed for an iteration that only plans, but for as many in a row as the policy says', async () => {
    const plansEverySecond =
      'echo x >> "$HOME/n"; [ $(($(wc -l < "$HOME/n") % 2)) = 1 ] || seq $(wc -l < "$HOME/n") > work';
    expect((await tracked(plansEverySecond, patience)).result).toMatchObject({ class: 'limit', exitCode: 3 });
    const { run, result } = await tracked('echo "I will do it."', patience);
    expect(result).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(run.ended()).toHaveLength(2);
  });

  it('[p12] is not an edit and its reverse', async () => {
    const { run, result } = await tracked('if grep -q one work; then echo two > work; else echo one > work; fi', {
      maxIterations: 9,
      stop: { failure: [{ no_progress: 2 }, { oscillation: 2 }] },
    });
    expect(result).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(result.reasons.map(({ condition }) => condition?.type)).toEqual(['no_progress', 'oscillation']);
    expect(run.ended()).toHaveLength(4);
  });
});

describe.concurrent('a question to a person', () => {
  it('[p23] finds no terminal and an input that has ended, so that it is not waited for', async () => {
    const run = scratch();
    const asks = 'read -r answer && sleep 300; read -r answer < /dev/tty && sleep 300; echo "nobody is here"';
    await run.run(['runs', `${asks} 2> /dev/null; cut -d ' ' -f 6,7 /proc/$$/stat; echo $$`]);
    expect(run.ended()).toMatchObject([{ outcome: 'completed', ending: { cause: 'exit' } }]);
    const [said, session, pid] = run.said().split('\n');
    expect(said).toBe('nobody is here');
    // A session of its own, without a terminal.
    expect(session).toBe(`${pid} 0`);
  });

  it('[p23] that is waited for all the same ends when the patience is over', async () => {
    const run = scratch();
    await run.run(['runs', 'echo "Shall I go on? [y/n]"; sleep 300'], { idleTimeout: '1s' });
    expect(run.ended()).toMatchObject([{ outcome: 'timed-out', ending: { cause: 'idle' } }]);
    expect(run.said()).toContain('Shall I go on?');
  });
});

describe.concurrent('work that an agent destroys', () => {
  it('[p25] can be had back from any iteration, and from before the first', async () => {
    const run = scratch();
    run.initRepository();
    writeFileSync(join(run.workingDir, 'draft'), 'never committed');
    const script = '[ -e story ] && { rm -rf ./* .git; echo gone; exit 0; }; echo "chapter one" > story';
    await run.run(['runs', script], { maxIterations: 2, trackFileChanges: true });
    expect(existsSync(join(run.workingDir, 'story')) || existsSync(join(run.workingDir, 'draft'))).toBe(false);
    const shadow = shadowFolder(makeStateFolder(run.environment), run.workingDir);
    const git = (...words: string[]) =>
      execFileSync('git', [`--git-dir=${shadow}`, ...words], { encoding: 'utf8', env: { ...run.environment } });
    const [first] = run.ended();
    const { treeBefore, treeAfter } = first?.observation.files ?? {};
    expect(git('show', `${treeBefore}:draft`)).toBe('never committed');
    expect(git('show', `${treeAfter}:story`)).toBe('chapter one\n');
    expect(git('log', '--format=%T', `refs/runs/${run.runner.id}`).split('\n')).toContain(treeAfter);
    await run.expectWholeRecord();
  });
});
