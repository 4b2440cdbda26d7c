import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BuiltCli } from '../support/cli-project.js';
import { isRunning } from '../support/is-running.js';
import { type CliOutcome, runPawl } from '../support/in-process.js';

const WAIT = { timeout: 60_000, interval: 20 };
let cli: BuiltCli;
let folder = '';
let bin = '';

beforeAll(() => {
  cli = new BuiltCli('run');
  ({ folder, bin } = cli);
});
afterAll(() => cli.remove());

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A working directory with an agent of its own. */
class Tree {
  readonly path = mkdtempSync(join(folder, 'tree-'));
  readonly env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(this.path, '..', 'state') };

  constructor(agent: string) {
    this.write('agent.sh', `#!/usr/bin/env bash\ncat > /dev/null\n${agent}\n`);
    chmodSync(join(this.path, 'agent.sh'), 0o755);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  has(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8').trim();
  }

  pawl(...words: string[]): Promise<CliOutcome> {
    return runPawl(bin, words, { cwd: this.path, environment: this.env });
  }

  /** `pawl run` with the agent, a goal that a file stands for, and no pause. */
  run(...words: string[]): Promise<Result> {
    return this.pawl('run', '-p', 'Go.', '--delay', '0', '--until', 'file_created: DONE', ...words, '--', './agent.sh');
  }

  async json(...words: string[]) {
    return JSON.parse((await this.pawl(...words, '--json')).stdout);
  }

  /** The same, not waited for. */
  start(...words: string[]): { readonly child: ChildProcess; readonly ended: Promise<Result> } {
    const args = ['run', '-p', 'Go.', '--delay', '0', '--until', 'file_created: DONE', ...words, '--', './agent.sh'];
    const child = spawn(process.execPath, [bin, ...args], { cwd: this.path, env: this.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ended: resultOf(child) };
  }
}

function resultOf(child: ChildProcess): Promise<Result> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })));
}

const DONE_IN_TWO =
  'n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n; echo "round $n"; [ $n = 2 ] && touch DONE; true';
const SLOW = 'echo $$ > pid; touch begun; until [ -e go ]; do sleep 0.05; done; touch finished';

describe('pawl run', () => {
  it('runs until the goal is met: exit 0, and every command tells the same of it', async () => {
    const tree = new Tree(DONE_IN_TWO);
    const { status, stdout, stderr } = await tree.run();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^ {2}done +when DONE exists/m);
    expect(stdout).toMatch(/^iteration 1 \d\d:\d\d\n {2}round 1\niteration 1 completed .*file/m);
    expect(stdout).toMatch(/^Done after \d+ iterations?: DONE exists/m);
    expect(stdout).toMatch(/iterations +2\n/);
    expect(stdout).not.toContain('\u001b');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);

    const [run] = await tree.json('list');
    expect(run).toMatchObject({ status: 'completed', live: false, iterations: 2, reasons: ['DONE exists'] });
    expect((await tree.pawl('list')).stdout).toMatch(/^01\w{8} done +2 +unknown (now|\w+ ago) +Go\.: DONE exists$/m);
    expect(await tree.json('status')).toMatchObject({
      runId: run.runId,
      status: 'completed',
      ended: { class: 'goal' },
    });
    expect((await tree.pawl('status')).stdout).toMatch(/^Done .*DONE exists/m);
    expect((await tree.json('show')).iterations).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
    expect((await tree.pawl('show')).stdout).toMatch(/^ {4}2 completed /m);
    expect(await tree.json('show', run.runId.slice(0, 14), '1')).toMatchObject({
      outcome: 'completed',
      prompt: expect.stringContaining('Go.'),
      ending: { cause: 'exit' },
      observation: { files: { created: ['n'] } },
      verdict: { stop: false },
    });
    const shown = (await tree.pawl('show', '2')).stdout;
    expect(shown).toContain('modified n');
    expect(shown).toContain('verdict: stop');
    const logs = (await tree.pawl('logs', '--iteration', '2')).stdout;
    expect(logs).toContain('round 2');
    expect(logs).not.toContain('round 1');
    expect(stdout).toContain(logs.trim());
  });

  it('stops at a limit with exit 3, does not resume while it holds, and goes on when it is raised', async () => {
    const tree = new Tree(DONE_IN_TWO);
    const stopped = await tree.run('--max-iterations', '1', '--quiet');
    expect(stopped).toMatchObject({ status: 3, stderr: '' });
    expect(stopped.stdout).toMatch(/^Iteration limit reached: 1 of 1 iteration/);
    expect(stopped.stdout).toMatch(/pawl resume 01\w{8} --max-iterations 2\n/);
    const refused = await tree.pawl('resume');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('--max-iterations');
    const resumed = await tree.pawl('resume', '--max-iterations', '3');
    expect(resumed).toMatchObject({ status: 0, stderr: '' });
    expect(resumed.stdout).toMatch(/limits +after 3 iterations/);
    expect(resumed.stdout).toContain('iteration 2 completed');
    expect(await tree.pawl('resume')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cannot be resumed'),
    });
  });

  it('takes the limit of the day from the config of the user as it is now', async () => {
    const usage = '{"pawl":"usage","cost_usd":2,"input_tokens":1,"output_tokens":1}';
    const tree = new Tree(`echo '${usage}'`);
    const home = join(tree.path, 'home');
    mkdirSync(join(home, 'pawl'), { recursive: true });
    Object.assign(tree.env, { XDG_CONFIG_HOME: home, XDG_STATE_HOME: join(home, 'state') });
    tree.write('home/pawl/config.yaml', 'max_cost_per_day: 3\n');
    const stopped = await tree.run('--max-iterations', '9', '--quiet');
    expect(stopped).toMatchObject({ status: 3, stdout: expect.stringContaining('$4.00 of $3.00 today') });
    tree.write('home/pawl/config.yaml', 'max_cost_per_day: 7\n');
    const resumed = await tree.pawl('resume', '--quiet');
    expect(resumed).toMatchObject({ status: 3, stdout: expect.stringContaining('$8.00 of $7.00 today') });
  });

  it('says that the price list is missing where it is, and does not blame the model', async () => {
    // The command was copied without what it needs.
    const usage = '{"pawl":"usage","model":"claude-sonnet-4-5","input_tokens":9,"output_tokens":9}';
    const { status, stdout } = await new Tree(`echo '${usage}'`).start('--max-cost', '1', '--quiet').ended;
    expect(status).toBe(5);
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).toContain('price list (@pydantic/genai-prices) cannot be loaded');
    expect(text).toContain('install Pawl again');
    expect(text).not.toContain('write the price');
  });

  it('on a tree with changes of the user that it would commit is refused, also in the background', async () => {
    const tree = new Tree('touch ran');
    tree.write('pawl.yaml', 'commit: iteration\nhooks: { on_error: touch hooked, on_stop: touch hooked }\n');
    Object.assign(tree.env, { PAWL_TRUST: '1' });
    expect(spawnSync('git', ['init', '-q'], { cwd: tree.path })).toMatchObject({ status: 0 });
    for (const words of [[], ['--detach']]) {
      const { status, stdout, stderr } = await tree.run(...words);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/ 2 files .*not committed \(agent\.sh, pawl\.yaml\)/);
      expect(['.ralph', 'ran', 'hooked'].filter((name) => tree.has(name))).toEqual([]);
    }
  });

  it('that was killed while its agent had told nothing has not cost $0.00', async () => {
    const tree = new Tree('touch on; sleep 60');
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('on'), WAIT).toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect((await tree.pawl('list')).stdout).toMatch(/ interrupted +1 +unknown /);
    expect((await tree.json('list'))[0].costUsd).toBeUndefined();
  });

  it('gives up with exit 4 when the agent only fails, and says what it died of', async () => {
    const tree = new Tree('echo "oh no" >&2; exit 7');
    const { status, stdout } = await tree.run();
    expect(status).toBe(4);
    expect(stdout).toContain('iteration 3 failed');
    expect(stdout).toMatch(/^Gave up after 3 iterations: .*failed/m);
    expect((await tree.pawl('show', '1')).stdout).toContain('exit code 7');
  });

  it('with --json prints the record line by line and nothing else', async () => {
    const tree = new Tree(DONE_IN_TWO);
    const { status, stdout } = await tree.run('--json');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect({ status, first: events[0].type, last: events.at(-1).type }).toEqual({
      status: 0,
      first: 'run-started',
      last: 'run-ended',
    });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect((await tree.pawl('logs', '--json')).stdout).toBe(stdout);
  });

  it('takes words after -- as the command, whatever they look like', async () => {
    const tree = new Tree('printf "%s\\n" "$@" > words; touch DONE');
    expect(await tree.run('--quiet')).toMatchObject({ status: 0 });
    rmSync(join(tree.path, 'DONE'));
    const flags = ['--delay', '0', '--until', 'file_created: DONE'];
    const more = await tree.pawl('run', '-p', 'Go.', ...flags, '--', './agent.sh', '--json', 'two words', '-p');
    expect(more).toMatchObject({ status: 0, stdout: expect.stringContaining('completed') });
    expect(tree.read('words')).toBe('--json\ntwo words\n-p');
  });

  it('a goal that only the agent vouches for is named as such', async () => {
    const tree = new Tree('echo ALL GOOD');
    const words = ['run', '-p', 'Go.', '--until', 'output_pattern: ALL GOOD', '--', './agent.sh'];
    const { status, stdout, stderr } = await tree.pawl(...words);
    expect(status).toBe(0);
    expect(stderr).toMatch(/not verified.*agent/);
    expect(stdout).toMatch(/only.*agent said/);
  });

  it('refuses what it cannot start: exit 2, why, no stack, and no trace of a run', async () => {
    const tree = new Tree('touch ran');
    const { status, stdout, stderr } = await tree.pawl('run', 'do it', '--', './agent.sh');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^there is no file "do it";.* -p\n$/);
    expect([tree.has('ran'), tree.has('.ralph')]).toEqual([false, false]);
  });
});

describe('a run and its signals', () => {
  it('one Ctrl-C lets the agent finish: exit 130', async () => {
    const tree = new Tree(SLOW);
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    let said = '';
    child.stderr?.on('data', (chunk) => (said += String(chunk)));
    child.kill('SIGINT');
    await expect.poll(() => said, WAIT).toContain('Ctrl-C again');
    tree.write('go', '');
    const { status, stdout, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toMatch(/after this iteration; Ctrl-C again/);
    expect(stdout).toMatch(/^Stopped by you .*Ctrl-C/m);
    expect(tree.has('finished')).toBe(true);
  });

  it('[p13] a second Ctrl-C ends the agent at once and leaves no process', async () => {
    const tree = new Tree(`sleep 300 & echo $! > child; ${SLOW}`);
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    let said = '';
    child.stderr?.on('data', (chunk) => (said += String(chunk)));
    child.kill('SIGINT');
    await expect.poll(() => said, WAIT).toContain('Ctrl-C again');
    child.kill('SIGINT');
    const { status, stderr } = await ended;
    expect({ status, stderr }).toMatchObject({ status: 130, stderr: expect.stringContaining('stopping now') });
    expect(tree.has('finished')).toBe(false);
    expect(['pid', 'child'].map((name) => isRunning(Number(tree.read(name))))).toEqual([false, false]);
  });

  it('SIGTERM ends it at once, and the run can be resumed', async () => {
    const tree = new Tree(`[ -e begun ] && touch DONE && exit; ${SLOW}`);
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ status: 130, stdout: expect.stringMatching(/^Interrupted .*SIGTERM/m) });
    expect(isRunning(Number(tree.read('pid')))).toBe(false);
    expect(await tree.pawl('resume', '--quiet')).toMatchObject({ status: 0 });
    expect(await tree.json('list')).toMatchObject([{ status: 'completed', iterations: 2 }]);
  });

  it('SIGHUP ends the view, and the run goes on to its end', async () => {
    const tree = new Tree(`${SLOW}; touch DONE`);
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    child.kill('SIGHUP');
    // What answers after the signal has seen it.
    await tree.pawl('steer', 'go on');
    tree.write('go', '');
    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout).not.toContain('completed');
    expect(await tree.json('list')).toMatchObject([{ status: 'completed' }]);
  });

  it('a reader who has seen enough does not end the run', async () => {
    const tree = new Tree(DONE_IN_TWO);
    const { child, ended } = tree.start();
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
    expect(await tree.json('list')).toMatchObject([{ status: 'completed', iterations: 2 }]);
  });

  it('a reader who does not read holds nothing up, and is told what it missed', async () => {
    const call = JSON.stringify({ pawl: 'tool-call', name: 'Bash', input: 'x'.repeat(70) });
    const tree = new Tree(`yes '${call}' | head -n 20000; touch DONE`);
    const { child, ended } = tree.start();
    child.stdout?.pause();
    await expect
      .poll(async () => tree.has('DONE') && (await tree.json('list'))[0]?.status === 'completed', WAIT)
      .toBe(true);
    child.stdout?.resume();
    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout.length).toBeLessThan(3_000_000);
    expect(stdout).toMatch(/\[[\d,]+ lines not shown\]/);
    expect(stdout).toMatch(/^Done .*DONE exists/m);
  });

  it('[p5] a second run in the same tree is refused and told by whom', async () => {
    const tree = new Tree(`${SLOW}; touch DONE`);
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    const { status, stdout, stderr } = await tree.run();
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const [run] = await tree.json('list');
    expect(run).toMatchObject({ status: 'running', live: true, pid: child.pid });
    expect(stderr).toMatch(new RegExp(`run ${run.runId} .*process ${child.pid}`));
    expect(await tree.pawl('resume')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`process ${child.pid}`),
    });
    expect((await tree.pawl('status')).stdout).toContain(`run ${run.runId}, process ${child.pid}`);
    tree.write('go', '');
    expect(await ended).toMatchObject({ status: 0 });
  });

  it('logs -f follows a run and ends with it', async () => {
    const tree = new Tree(`${SLOW}; echo last words; touch DONE`);
    const { ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    const follower = spawn(process.execPath, [bin, 'logs', '-f'], { cwd: tree.path, env: tree.env });
    onTestFinished(() => void follower.kill('SIGKILL'));
    const followed = resultOf(follower);
    tree.write('go', '');
    const { status, stdout } = await followed;
    expect(status).toBe(0);
    expect(stdout).toContain('last words');
    expect(stdout).toMatch(/^Done .*DONE exists/m);
    await ended;
  });
});

describe('records that are not whole', () => {
  it('a run whose runner was killed is interrupted, and can be resumed', async () => {
    const tree = new Tree(`[ -e begun ] && touch DONE && exit; ${SLOW}`);
    const { child, ended } = tree.start();
    await expect.poll(() => tree.has('begun'), WAIT).toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect(await tree.json('list')).toMatchObject([{ status: 'interrupted', live: false }]);
    expect((await tree.pawl('list')).stdout).toMatch(/interrupted .* the Pawl process is gone/m);
    expect((await tree.pawl('status')).stdout).toMatch(/^Interrupted in iteration 1/m);
    expect((await tree.pawl('show')).stdout).toContain('Interrupted in iteration 1');
    expect(await tree.pawl('resume')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/resumed after.*interrupted/),
    });
  });
});
