import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
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
  cli = new BuiltCli('ctl');
  ({ folder, bin } = cli);
  mkdirSync(join(folder, 'runtime'), { mode: 0o700 });
});
afterAll(() => cli.remove());

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps the prompt, says that it has begun, and works until it is let go. */
const WAITS = [
  'n=$(($(cat n 2>/dev/null || echo 0) + 1))',
  'cat > prompt-$n; echo $$ > pid; echo $n > n',
  'until [ -e go-$n ]; do sleep 0.05; done; touch finished-$n',
].join('\n');

/** A working directory with an agent of its own. */
class Tree {
  readonly path = mkdtempSync(join(folder, 'tree-'));
  readonly env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: join(folder, 'runtime'),
  };

  constructor(agent = WAITS) {
    this.write('agent.sh', `#!/usr/bin/env bash\n${agent}\n`);
    chmodSync(join(this.path, 'agent.sh'), 0o755);
  }

  write(name: string, text = ''): void {
    writeFileSync(join(this.path, name), text);
  }

  has(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  read(name: string): string {
    return this.has(name) ? readFileSync(join(this.path, name), 'utf8').trim() : '';
  }

  /** Not from the process of the run. */
  pawl(...words: string[]): Promise<CliOutcome> {
    return runPawl(bin, words, { cwd: this.path, environment: this.env });
  }

  async pawlMeanwhile(...words: string[]): Promise<Result> {
    return resultOf(spawn(process.execPath, [bin, ...words], { cwd: this.path, env: this.env }));
  }

  async state(): Promise<{ readonly status: string; readonly iterations: number }> {
    return JSON.parse((await this.pawl('status', '--json')).stdout);
  }

  words(...more: string[]): string[] {
    return ['run', '-p', 'Go.', '--delay', '0', '--until', 'file_created: DONE', ...more, '--', './agent.sh'];
  }

  start(...more: string[]): { readonly child: ChildProcess; readonly ended: Promise<Result> } {
    const child = spawn(process.execPath, [bin, ...this.words(...more)], { cwd: this.path, env: this.env });
    onTestFinished(() => void child.kill('SIGTERM'));
    return { child, ended: resultOf(child) };
  }

  begun(iteration: number): Promise<void> {
    return expect.poll(() => this.read('n'), WAIT).toBe(String(iteration));
  }

  runId(): string {
    return readdirSync(join(this.path, '.ralph', 'runs')).at(-1) ?? '';
  }

  file(name: string): string {
    return join('.ralph', 'runs', this.runId(), name);
  }
}

function resultOf(child: ChildProcess): Promise<Result> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })));
}

describe('a live run, steered from another process', () => {
  it('[p22] pauses after the iteration, is told something, goes on, and stops after the iteration', async () => {
    const tree = new Tree();
    const { ended } = tree.start();
    await tree.begun(1);
    const paused = await tree.pawl('pause');
    expect(paused).toMatchObject({ status: 0, stderr: '' });
    expect(paused.stdout).toMatch(/^01\w{8} pauses after this iteration.*pawl unpause/);
    expect((await tree.state()).status).toBe('running');
    expect((await tree.pawl('status')).stdout).toMatch(/pauses after this iteration.*by pawl pause/);
    expect((await tree.pawl('unpause')).stdout).toMatch(/^01\w{8} .*pause.*\n$/);
    expect(await tree.pawl('unpause')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/cannot unpause .*running.*no pause/),
    });
    expect(await tree.pawl('pause')).toMatchObject({ status: 0 });
    tree.write('go-1');
    await expect.poll(async () => (await tree.state()).status, WAIT).toBe('paused');
    expect(await tree.pawl('pause')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^01\w{8}: cannot pause .*paused\n$/),
    });
    expect(await tree.pawl('steer', 'mind the gap')).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse((await tree.pawl('unpause', '--json')).stdout)).toEqual({
      runId: tree.runId(),
      commands: [{ type: 'resume' }],
      status: expect.any(String),
    });
    await tree.begun(2);
    expect(tree.read('prompt-2')).toContain('mind the gap');
    const stopped = await tree.pawl('stop', tree.runId().slice(0, 16));
    expect(stopped.stdout).toMatch(/stops after this iteration.*pawl stop --now/);
    expect(await tree.pawl('pause')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/cannot pause .*running.*stops after this iteration/),
    });
    tree.write('go-2');
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    expect(stdout).toMatch(/Stopped by you .*pawl stop, pid \d+/);
    expect([tree.has('finished-1'), tree.has('finished-2'), tree.has('prompt-3')]).toEqual([true, true, false]);
  });

  it('skips an iteration, and stops now: the agent is gone, and whoever waits is told', async () => {
    const tree = new Tree();
    const { ended } = tree.start();
    await tree.begun(1);
    const waiting = tree.pawlMeanwhile('wait');
    expect(await tree.pawl('skip')).toMatchObject({ status: 0, stderr: '' });
    await tree.begun(2);
    expect(tree.has('finished-1')).toBe(false);
    expect(await tree.pawl('reboot')).toMatchObject({ status: 0, stderr: '' });
    expect(await tree.pawl('stop', '--now')).toMatchObject({ status: 0, stdout: expect.stringContaining('stops now') });
    expect(await ended).toMatchObject({ status: 130 });
    expect(tree.has('finished-2')).toBe(false);
    expect(isRunning(Number(tree.read('pid')))).toBe(false);
    expect(await waiting).toMatchObject({
      status: 130,
      stderr: '',
      stdout: expect.stringMatching(/^01\w{8}: Stopped by you .*pawl stop/),
    });
    expect(readdirSync(join(folder, 'runtime', 'pawl'))).toEqual([]);
  });

  it('gets another limit, several at once, and holds to it', async () => {
    const tree = new Tree();
    const { ended } = tree.start('--max-iterations', '1');
    await tree.begun(1);
    const { status, stdout } = await tree.pawl('extend', '--max-iterations', '2', '--max-duration', '3h');
    expect(status).toBe(0);
    expect(stdout).toMatch(/has .*limit.* 2 iterations/);
    expect(stdout).toMatch(/has .*limit.* 3h /);
    expect(await tree.pawl('extend')).toMatchObject({ status: 2, stderr: expect.stringContaining('--max-cost 20') });
    expect(await tree.pawl('extend', '--limit', 'all_tests_pass')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^extend .*limit.*all_tests_pass.*\n$/),
    });
    tree.write('go-1');
    await tree.begun(2);
    // The agent has told nothing of what it used: a budget would only stop the run.
    expect(await tree.pawl('extend', '--max-cost', '5')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cannot extend: spend unknown'),
    });
    tree.write('go-2');
    expect(await ended).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^Iteration limit reached: 2 of 2 iterations/m),
    });
    expect(await tree.pawl('wait')).toMatchObject({ status: 3 });
    expect(JSON.parse((await tree.pawl('wait', '--json')).stdout)).toMatchObject({ status: 'stopped', exitCode: 3 });
  });

  it('asks for approval when it is attended: rejected with words, then approved', async () => {
    const tree = new Tree('cat > prompt; touch DONE');
    const { ended } = tree.start('--attended');
    await expect.poll(async () => (tree.has('.ralph') ? (await tree.state()).status : ''), WAIT).toBe('waiting');
    expect((await tree.pawl('status')).stdout).toContain('pawl approve 01');
    for (const word of ['pause', 'unpause']) {
      expect(await tree.pawl(word)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(new RegExp(`cannot ${word} .*approval: pawl approve`)),
      });
    }
    expect(await tree.pawl('reject')).toMatchObject({ status: 2 });
    expect(await tree.pawl('reject', tree.runId())).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('missing'),
    });
    expect(await tree.pawl('reject', 'only', 'the', 'docs')).toMatchObject({ status: 2 });
    expect(await tree.pawl('reject', tree.runId(), 'only the docs')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/approval again/),
    });
    await expect.poll(async () => (await tree.state()).status, WAIT).toBe('waiting');
    expect(tree.has('prompt')).toBe(false);
    expect(await tree.pawl('approve')).toMatchObject({ status: 0, stderr: '' });
    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout).toContain('pawl approve');
    expect(tree.read('prompt')).toContain('only the docs');
  });

  it('twenty clients at once are all answered, and one that talks rubbish disturbs nobody', async () => {
    const tree = new Tree();
    const { ended } = tree.start();
    await tree.begun(1);
    const { control } = JSON.parse(readFileSync(join(tree.path, tree.file('state.json')), 'utf8'));
    const rubbish = connect(control);
    rubbish.on('error', () => undefined);
    let answer = '';
    rubbish.on('data', (chunk) => (answer += String(chunk)));
    rubbish.write('GET / HTTP/1.1\r\n\r\n');
    await expect.poll(() => answer, WAIT).toContain('"ok":false');
    const request = (n: number) =>
      `${JSON.stringify({ run: tree.runId(), command: { type: 'steer', text: `client ${n}` }, by: `client ${n}` })}\n`;
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        (_, n) =>
          new Promise<string>((resolve) => {
            const socket = connect(control);
            socket.on('data', (chunk) => {
              resolve(String(chunk));
              socket.destroy();
            });
            socket.write(request(n));
          }),
      ),
    );
    expect(new Set(answers.map((text) => JSON.parse(text).effect))).toEqual(
      new Set([expect.stringContaining('next prompt')]),
    );
    expect(await tree.pawl('stop', '--now')).toMatchObject({ status: 0 });
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    expect(stdout.match(/steer .*by client \d+/g)).toHaveLength(20);
  });

  it('its own agent cannot give itself more', async () => {
    const extend = `${process.execPath} "$PAWL_BIN" extend --max-iterations 99`;
    const tree = new Tree(`cat > /dev/null; ${extend} 2> said; touch DONE`);
    Object.assign(tree.env, { PAWL_BIN: bin });
    expect(await tree.start().ended).toMatchObject({ status: 0 });
    expect(tree.read('said')).toMatch(/the agent\b.*extend is for people/);
  });

  it('nor can its hook, which is not told that it is the agent', async () => {
    const tree = new Tree('cat > /dev/null; touch DONE');
    const extend = `${process.execPath} "$PAWL_BIN" extend --max-iterations 99 2> said`;
    tree.write('pawl.yaml', `hooks: { before_iteration: '${extend}' }\n`);
    Object.assign(tree.env, { PAWL_BIN: bin, PAWL_TRUST: '1' });
    expect(await tree.start().ended).toMatchObject({ status: 0 });
    expect(tree.read('said')).toMatch(/hook before_iteration\b.*extend is for people/);
  });
});

describe('a run that is not live', () => {
  it('says what state it is in and what to do', async () => {
    const tree = new Tree('cat > /dev/null');
    expect(await tree.pawl('stop')).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no run') });
    expect(await tree.pawl(...tree.words('--max-iterations', '1', '--quiet'))).toMatchObject({ status: 3 });
    for (const words of [['pause'], ['steer', 'hello'], ['approve', tree.runId()]]) {
      const { status, stdout, stderr } = await tree.pawl(...words);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^01\w{8} is not running .*; pawl resume 01\w{8} .*\n$/);
    }
    expect(await tree.pawl('extend', '--max-iterations', '9', '--limit', 'max_output_tokens: 5')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/resume 01\w{8} --limit 'max_output_tokens: 5' --max-iterations 9 /),
    });
  });

  it('one that is live and cannot be reached is named with the process to signal', async () => {
    const tree = new Tree();
    const { child, ended } = tree.start();
    await tree.begun(1);
    rmSync(JSON.parse(readFileSync(join(tree.path, tree.file('state.json')), 'utf8')).control);
    expect(await tree.pawl('stop')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(new RegExp(`live.*cannot be reached.* kill -INT ${child.pid} `)),
    });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ status: 130 });
  });

  it('one that has no socket says so', async () => {
    const tree = new Tree();
    const long = join(tree.path, 'x'.repeat(120));
    mkdirSync(long);
    Object.assign(tree.env, { XDG_RUNTIME_DIR: '', TMPDIR: long });
    const { child, ended } = tree.start();
    await tree.begun(1);
    expect(await tree.pawl('stop')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(new RegExp(`no commands.* kill -INT ${child.pid} `)),
    });
    child.kill('SIGTERM');
    const { status, stderr } = await ended;
    expect({ status, stderr }).toMatchObject({ status: 130, stderr: expect.stringContaining('warning: no commands') });
  });

  it('a run whose runner was killed: wait says so with exit 1, and its socket is replaced when it goes on', async () => {
    const tree = new Tree(`[ -e n ] && touch DONE; ${WAITS}`);
    const { child, ended } = tree.start();
    await tree.begun(1);
    const waiting = tree.pawlMeanwhile('wait');
    child.kill('SIGKILL');
    await ended;
    expect(await waiting).toMatchObject({ status: 1, stderr: expect.stringContaining('was interrupted') });
    expect(await tree.pawl('stop')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('not running (interrupted)'),
    });
    const left = readdirSync(join(folder, 'runtime', 'pawl'));
    expect(left).toHaveLength(1);
    tree.write('go-2');
    expect(await tree.pawl('resume', '--quiet')).toMatchObject({ status: 0 });
    expect(readdirSync(join(folder, 'runtime', 'pawl'))).toEqual([]);
    expect(await tree.pawl('wait')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^01\w{8}: Done .*DONE/),
    });
  });
});

describe('a run in the background', () => {
  it('has no terminal, outlives whoever started it, and is stopped from elsewhere', async () => {
    const tree = new Tree();
    const { status, stdout, stderr } = await tree.pawl(...tree.words('--detach'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [, runId, pid = ''] = /^(loop_\w{26}) runs in the background, process (\d+)\n/.exec(stdout) ?? [];
    onTestFinished(() => void (isRunning(Number(pid)) && process.kill(Number(pid), 'SIGKILL')));
    expect(stdout).toMatch(/watch +pawl watch 01\w{8}\n {2}stop +pawl stop 01\w{8}\n/);
    await tree.begun(1);
    expect(tree.runId()).toBe(runId);
    const [, , , session, terminal] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    expect({ session, terminal }).toEqual({ session: pid, terminal: '0' });
    process.kill(Number(pid), 'SIGHUP');
    expect(await tree.pawl('stop', '--now')).toMatchObject({ status: 0 });
    expect(await tree.pawl('wait')).toMatchObject({ status: 130 });
    await expect.poll(() => isRunning(Number(pid)), WAIT).toBe(false);
    expect(tree.read(tree.file('detached.log'))).toContain('iteration 1');
  });

  it('is resumed there, too; with --json for machines, and its log for people', async () => {
    const tree = new Tree(`[ -e n ] && touch DONE; touch go-1 go-2; ${WAITS}`);
    const started = JSON.parse((await tree.pawl(...tree.words('--detach', '--json', '--max-iterations', '1'))).stdout);
    expect(started).toEqual({
      runId: tree.runId(),
      pid: expect.any(Number),
      log: expect.stringMatching(/detached.log$/),
    });
    expect(await tree.pawl('wait')).toMatchObject({ status: 3 });
    expect(await tree.pawl('resume', '--detach')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('raise it with --max-iterations'),
    });
    expect(await tree.pawl('resume', '--detach', '--max-iterations', '5')).toMatchObject({ status: 0, stderr: '' });
    expect(await tree.pawl('wait')).toMatchObject({ status: 0 });
    const log = tree.read(tree.file('detached.log'));
    expect(log).toMatch(/Iteration limit reached: 1 of 1 iteration[^]*Done .*DONE exists/);
  });

  it('what cannot be started there is said here, with its exit code and without a trace', async () => {
    const tree = new Tree();
    expect(await tree.pawl('run', '--detach', '--', './agent.sh')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('there is no prompt'),
    });
    expect(tree.has('.ralph')).toBe(false);
    const { ended } = tree.start();
    await tree.begun(1);
    const { status, stdout, stderr } = await tree.pawl(...tree.words('--detach'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('is being written by process');
    expect(stderr).toMatch(new RegExp(`pawl stop ${tree.runId()} .*pawl run --worktree `));
    expect(readdirSync(join(tree.path, '.ralph', 'runs'))).toHaveLength(1);
    await tree.pawl('stop', '--now');
    await ended;
  });
});
