import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { lineWidth } from '../../src/words/printable.js';
import { need } from '../environment.js';
import { BuiltCli } from '../support/cli-project.js';
import { type SessionOptions, TmuxSession } from '../support/tmux-session.js';
import { VirtualScreen } from '../support/virtual-screen.js';
import { runPawl } from '../support/in-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const screens = join(root, 'docs', 'guide', 'screens');
const WAIT = { timeout: 60_000, interval: 60 };
const ENDED = 'and the shell goes on';
let cli: BuiltCli;
let folder = '';

beforeAll(() => {
  cli = new BuiltCli('live');
  ({ folder } = cli);
  mkdirSync(join(folder, 'runtime'), { mode: 0o700 });
  writeFileSync(
    join(folder, 'pawl'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'bin', 'pawl.js')}' "$@"\n`,
  );
  chmodSync(join(folder, 'pawl'), 0o755);
});
afterAll(() => cli.remove());

/** So many of eight tests pass: three, and one more with each iteration. */
const TESTS = `#!/bin/sh
n=$(cat n 2>/dev/null || echo 0); n=$((n + 3))
[ $n -ge 8 ] && echo "=== 8 passed in 0.12s ===" && exit 0
echo "=== $((8 - n)) failed, $n passed in 0.12s ==="
exit 1
`;

/** A project with an agent in it, and terminals to look at it. */
class Project {
  readonly path = mkdtempSync(join(folder, 'tree-'));
  readonly env = {
    PATH: `${folder}:${process.env['PATH']}`,
    HOME: folder,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: join(folder, 'runtime'),
    // A shell that ends late would write it where everything is removed.
    HISTFILE: '/dev/null',
  };
  readonly #context: TestContext;

  constructor(context: TestContext) {
    this.#context = context;
    spawnSync('git', ['init', '-q'], { cwd: this.path });
    cpSync(join(root, 'test', 'fixtures', 'agents', 'narrates'), join(this.path, 'agent'));
    this.write('tests.sh', TESTS);
    chmodSync(join(this.path, 'tests.sh'), 0o755);
    this.write('.gitignore', 'n\ngo-*\nprompt-*\n.ralph\n');
  }

  write(name: string, text = ''): void {
    writeFileSync(join(this.path, name), text);
  }

  read(name: string): string {
    return existsSync(join(this.path, name)) ? readFileSync(join(this.path, name), 'utf8') : '';
  }

  async pawl(...words: readonly string[]): Promise<string> {
    const bin = join(folder, 'bin', 'pawl.js');
    return (await runPawl(bin, words, { cwd: this.path, environment: this.env })).stdout;
  }

  /** Returns when the run has ended: until then it writes to the folder that is removed after the tests. */
  async stopNow(run = ''): Promise<string> {
    const words = run === '' ? [] : [run];
    const live = JSON.parse(await this.pawl('status', '--json', ...words)) as { readonly runId: string };
    const answer = await this.pawl('stop', '--now', live.runId);
    await this.pawl('wait', live.runId);
    return answer;
  }

  run(more = '', agent = './agent'): string {
    const goal = '--tests ./tests.sh --until all_tests_pass --max-cost 5 --max-duration 4h';
    return `pawl run -p 'Make the tests pass.' ${goal} --delay 0 ${more} -- ${agent}; echo; echo ${ENDED}`;
  }

  async terminal(options: Partial<SessionOptions> = {}): Promise<TmuxSession> {
    const tmux = need('tmux', this.#context);
    const session = await TmuxSession.open({ tmux, folder: this.path, env: this.env, ...options });
    this.#context.onTestFinished(() => session.close());
    return session;
  }

  /** A shell with a line typed into it. */
  async typed(line: string, options: Partial<SessionOptions> = {}): Promise<TmuxSession> {
    const session = await this.terminal(options);
    await this.#context.expect.poll(() => session.screen(), WAIT).toContain('$');
    await session.type(`clear; ${line}`);
    await session.press('Enter');
    return session;
  }

  async sees(session: TmuxSession, what: string | RegExp): Promise<string> {
    await this.#context.expect.poll(() => session.screen(), WAIT).toMatch(what);
    return session.screen();
  }

  /** The agent is in the middle of this iteration. */
  works(session: TmuxSession, iteration: number): Promise<string> {
    return this.sees(session, new RegExp(`iteration ${iteration} of 25,[^]*→ Bash npm test`));
  }
}

/** For the guide; only when asked. */
function keepScreen(name: string, screen: string): void {
  if (process.env['PAWL_UPDATE_SCREENS'] === undefined) return;
  mkdirSync(screens, { recursive: true });
  writeFileSync(join(screens, `${name}.txt`), `${screen.replaceAll(/ +$/gm, '')}\n`);
}

const KEYS = 'p pause  s stop after this  t steer  S stop now  k skip  r reboot  ? help';
const times = (text: string, what: string) => text.split(what).length - 1;

describe.concurrent('the live view in a real terminal', () => {
  it('at 80x24: help, pause and unpause, steer, skip, reboot, and stop after this', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run());
    const first = await project.sees(session, /→ Bash npm test[^]*help/);
    expect(first).toMatch(/^iteration 1 of 25, \d+s +\d+s .*\$0\.09 {2}23,340 tokens$/m);
    expect(first).toContain('  tests   3 passed, 5 failed');
    expect(first).toMatch(/goal +█+░+ {2}5 of 8 tests fail/);
    expect(first).toMatch(/limit +░+ {2}\$0\.09 of \$5\.00/);
    expect(first).toContain(KEYS);
    await session.press('?');
    const help = await project.sees(session, 'end this iteration');
    expect(help).not.toContain('→ Bash');
    keepScreen('help', help);
    await session.press('?');
    await project.sees(session, '→ Bash npm test');

    await session.press('p');
    await project.sees(session, 'pauses after this iteration');
    project.write('go-1');
    keepScreen('paused', await project.sees(session, /^paused +\d+s in all/m));
    await session.press('t');
    await project.sees(session, 'to the agent: ');
    expect(await session.isCursorShown()).toBe(true);
    await session.type('mind the 日本 gapp');
    await session.press('Left', 'BSpace', 'Right', 'End');
    const typing = await project.sees(session, 'to the agent: mind the 日本 gap');
    keepScreen('steer', typing);
    await session.press('Enter');
    await project.sees(session, '1 note for the agent with the next prompt');
    expect(await session.isCursorShown()).toBe(false);
    await session.press('p');
    await project.works(session, 2);
    expect(project.read('prompt-2')).toContain('mind the 日本 gap');

    await session.press('r');
    await project.sees(session, 'a new session with the next iteration');
    await session.press('k');
    await project.works(session, 3);
    await project.sees(session, /reached at about iteration \d+, \d\d:\d\d/);
    await session.press('s');
    await project.sees(session, 'stops after this iteration');
    project.write('go-3');
    const end = await project.sees(session, ENDED);
    expect(end).toMatch(/Stopped by you .*keyboard/);
    expect(end).not.toContain('? help');
    const all = await session.everything();
    for (const line of ['✓   1 completed', '✗   2 skipped', '✓   3 completed', 'run loop_'])
      expect(times(all, line)).toBe(1);
    expect(await session.isCursorShown()).toBe(true);
    await session.type('stty -a | grep -wo -- "-\\?icanon\\|-\\?echo"');
    await session.press('Enter');
    await project.sees(session, /^icanon\necho$/m);
  });

  it('at 200x50, made smaller and larger: one frame, nothing twice, and S stops now', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run(), { columns: 200, rows: 50 });
    project.write('go-1');
    keepScreen('200x50', await project.works(session, 2));
    for (const [columns, rows] of [
      [80, 24],
      [40, 20],
      [120, 40],
    ] as const) {
      await session.resize(columns, rows);
      await expect
        .poll(async () => {
          const screen = await session.screen();
          // What is finished is broken by the terminal.
          const frame = screen.slice(screen.lastIndexOf('iteration 2 of 25'));
          const widest = Math.max(...frame.split('\n').map((line) => line.length));
          return [times(screen, '→ Bash npm test'), times(screen, '? help'), widest < columns];
        }, WAIT)
        .toEqual([1, 1, true]);
    }
    const all = await session.everything();
    expect(times(all, '✓   1 completed')).toBe(1);
    await session.press('S');
    const end = await project.sees(session, ENDED);
    expect(end).toMatch(/Stopped by you .*keyboard/);
  });

  it('made narrower again and again: no dead copy of the live part is left above it', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run(), { columns: 100, rows: 30 });
    project.write('go-1');
    await project.works(session, 2);
    for (const columns of [80, 60, 50, 40]) {
      await session.resize(columns, 30);
      const isDrawn = async () => Math.max(...(await session.screen()).split('\n').slice(-8).map(lineWidth)) < columns;
      await expect.poll(isDrawn, WAIT).toBe(true);
    }
    const all = await session.everything();
    expect([times(all, '→ Bash npm test'), times(all, '? help'), times(all, '✓   1 completed')]).toEqual([1, 1, 1]);
    await session.press('S');
    await project.sees(session, ENDED);
  });

  it.for(['QUIT', 'USR2', 'ALRM'] as const)(
    'SIG%s gives the terminal back as it was, and then does what it does',
    async (name, context) => {
      const { expect } = context;
      const project = new Project(context);
      const run = project.run('', './agent 5').replace(/;.*/, '').replaceAll("'", '"');
      // Other than bash, sh does not repair a terminal.
      const after = 'echo "exit $?"; stty -a | grep -wo -- "-\\?icanon\\|-\\?echo\\|-\\?isig"; sleep 60';
      const command = `sh -c 'echo $$ > pid; exec ${run}'; ${after}`;
      const session = await project.terminal({ command });
      await project.sees(session, '? help');
      process.kill(Number(project.read('pid')), `SIG${name}`);
      const screen = await project.sees(session, /exit \d+\n(\S+\n)*echo$/m);
      expect(screen).toContain(`exit ${128 + constants.signals[`SIG${name}`]}\nisig\nicanon\necho`);
      expect(screen).not.toContain('? help');
      expect(await session.isCursorShown()).toBe(true);
    },
  );

  it('stopped by somebody else it gives the terminal back, and fg takes it again', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const run = project.run().replace(/;.*/, '').replaceAll("'", '"');
    const session = await project.typed(`sh -c 'echo $$ > pid; exec ${run}'`);
    await project.sees(session, '? help');
    for (const turn of [1, 2]) {
      process.kill(Number(project.read('pid')), 'SIGTSTP');
      const stopped = await project.sees(session, /Stopped[^]*\$$/);
      expect(stopped, String(turn)).not.toContain('? help');
      expect(await session.isCursorShown()).toBe(true);
      await session.type('clear; fg');
      await session.press('Enter');
      await project.sees(session, '? help');
    }
    await session.press('S');
    await project.sees(session, /Stopped by you .*keyboard/);
  });

  it('what is pasted in several lines stays several words, and the whole line is there to type in', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run());
    await project.sees(session, '? help');
    await session.press('t');
    await project.sees(session, 'to the agent: ');
    await session.paste('line1\nline2');
    await project.sees(session, 'to the agent: line1 line2');
    await session.type(` ${'x'.repeat(48)}`);
    await project.sees(session, `to the agent: line1 line2 ${'x'.repeat(48)}`);
    await session.press('Escape');
    await project.sees(session, '? help');
    await session.press('S');
    expect(await project.sees(session, ENDED)).toContain('Stopped by you');
  });

  it('an attended run is rejected with a reason, and approved', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run('--attended'));
    const asks = await project.sees(session, 'iteration 1 of 25 waits for your approval');
    expect(asks).toContain('a approve  x reject');
    keepScreen('approval', asks);
    await session.press('x');
    await session.type('first the docs');
    await session.press('Enter');
    await project.sees(session, '1 note for the agent with the next prompt');
    await session.press('a');
    await project.works(session, 1);
    expect(project.read('prompt-1')).toContain('first the docs');
    await session.press('S');
    await project.sees(session, ENDED);
  });

  it('watch shows what the run itself shows, takes keys, leaves with q, and the run goes on', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const own = await project.typed(project.run());
    project.write('go-1');
    await project.works(own, 2);
    const other = await project.typed('pawl watch');
    await project.works(other, 2);
    // V1, but for the clock and the way out.
    const frame = (screen: string) =>
      screen
        .slice(screen.indexOf('iteration 2 of 25'))
        .split('\n')
        .slice(1, -1)
        .filter((line) => !line.includes('of 4h'))
        .join('\n');
    await expect.poll(async () => frame(await other.screen()), WAIT).toBe(frame(await own.screen()));
    expect(times(await other.screen(), '✓   1 completed')).toBe(1);
    await other.press('t');
    await other.type('from afar');
    await other.press('Enter');
    await project.sees(own, '1 note for the agent with the next prompt');
    await other.press('q');
    await project.sees(other, /left; pawl watch 01\w+ shows it again\n\$/);
    expect(await other.isCursorShown()).toBe(true);
    project.write('go-2');
    keepScreen('80x24', await project.works(own, 3));
    expect(project.read('prompt-3')).toContain('from afar');
    await other.type('clear; pawl watch');
    await other.press('Enter');
    keepScreen('watch', await project.works(other, 3));
    await other.press('S');
    await project.sees(other, /Stopped by you .*pawl watch/);
    await project.sees(own, ENDED);
    // Of a finished run: how it went and how it ended.
    await other.type('clear; pawl watch; echo "exit $?"');
    await other.press('Enter');
    const finished = await project.sees(other, 'exit 0');
    expect(finished).toMatch(/✓ {3}1 completed[^]*✗ {3}3 interrupted[^]*Stopped by you .*pawl watch/);
  });

  it('Ctrl-Z gives the terminal back, fg goes on; Ctrl-C stops after this, and again stops now', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run().replace(/;.*/, ''));
    await project.sees(session, '? help');
    await session.press('C-z');
    await project.sees(session, 'Stopped');
    expect(await session.isCursorShown()).toBe(true);
    // In the background it goes on, and leaves the terminal alone.
    await session.type('bg; clear; stty -a | grep -wo -- "-\\?icanon"; jobs');
    await session.press('Enter');
    await project.sees(session, /^icanon\n.*Running/m);
    project.write('go-1');
    await expect.poll(() => project.read('n'), WAIT).toBe('2');
    await session.type('clear; jobs; fg');
    await session.press('Enter');
    const back = await project.sees(session, '? help');
    expect(back).toMatch(/Running[^]*✓ {3}1 completed[^]*iteration 2 of 25/);
    await session.press('C-c');
    await project.sees(session, /stopping after this iteration; Ctrl-C again stops now[^]*stops after this iteration/);
    await session.press('C-c');
    const end = await project.sees(session, /Stopped by you .*Ctrl-C/);
    expect(end).toContain('stopping now');
    expect(end).not.toContain('? help');
  });

  it('a terminal that goes away ends the view, not the run', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    const session = await project.typed(project.run());
    await project.sees(session, '? help');
    await session.close();
    project.write('go-1');
    await expect.poll(() => project.read('n'), WAIT).toBe('2');
    expect(JSON.parse(await project.pawl('status', '--json'))).toMatchObject({ live: true, status: 'running' });
    expect(await project.stopNow()).toContain('stops now');
  });

  it('of several live runs one is chosen with the arrows', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    for (const words of ['add -A', '-c user.name=a -c user.email=a@localhost commit -qm all']) {
      spawnSync('git', words.split(' '), { cwd: project.path });
    }
    const agent = join(project.path, 'agent');
    context.onTestFinished(async () => {
      const runs = JSON.parse(await project.pawl('list', '--json')) as {
        readonly runId: string;
        readonly live: boolean;
      }[];
      for (const { runId } of runs.filter(({ live }) => live)) await project.stopNow(runId);
    });
    for (const name of ['one', 'two'])
      await project.pawl('run', '-p', name, '--detach', '--worktree', name, '--', agent);
    expect(await project.pawl('watch')).toMatch(/^01\w+ {2}running[^\n]*\n01\w+ {2}running[^\n]*\n$/);
    const session = await project.typed('pawl watch');
    await project.sees(session, /2 runs are live\n❯ 01\w+ /);
    await session.press('Down');
    await project.sees(session, /\n❯ 01\w+ [^\n]*two/);
    await session.press('Enter');
    await project.sees(session, /^run loop_\w+: command, on pawl\/two$[^]*q leave/m);
    await session.press('S');
    await project.sees(session, /Stopped by you .*pawl watch/);
    const runs = JSON.parse(await project.pawl('list', '--json')) as {
      readonly runId: string;
      readonly live: boolean;
    }[];
    const live = runs.filter((run) => run.live);
    expect(live).toHaveLength(1);
    expect(await project.stopNow(live[0]?.runId)).toContain('stops now');
  });

  it('on bytes: no line too wide, nothing cleared, few writes, unchanged lines left alone, whatever the agent says', async (context) => {
    const { expect } = context;
    const project = new Project(context);
    project.write('hostile.mjs', HOSTILE_AGENT);
    project.write('stamp.mjs', STAMP);
    const recorder = `exec '${process.execPath}' stamp.mjs bytes.jsonl`;
    const command = `${project.run('--max-iterations 2', `'${process.execPath}' hostile.mjs`)}; sleep 60`;
    const session = await project.terminal({ command, recorder: `cd '${project.path}'; ${recorder}` });
    await project.sees(session, ENDED);
    await expect.poll(() => project.read('bytes.jsonl'), WAIT).toContain('goes on');
    const chunks = project
      .read('bytes.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly ms: number; readonly text: string });
    const text = chunks.map((chunk) => chunk.text).join('');
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(text).not.toMatch(/\u001b\[[23]J|\u001bc|\u001b\]|\u009b|\u202e|\u0007/);
    const begin = text.indexOf('\u001b[?2026h');
    const end = text.lastIndexOf('\u001b[?2026l');
    // It throws at any other sequence, and at a line that is as wide as the terminal.
    const screen = new VirtualScreen(80, 24);
    screen.write(text.slice(begin, end).replaceAll('\r\n', '\n'));
    expect(screen.rewrites).toEqual([]);
    const frames = chunks.flatMap(({ ms, text: part }) =>
      Array.from({ length: times(part, '\u001b[?2026h') }, () => ms),
    );
    const busiest = frames.map((ms) => frames.filter((other) => other >= ms && other < ms + 900).length);
    expect(frames.length).toBeGreaterThan(10);
    expect(Math.max(...busiest)).toBeLessThanOrEqual(10);
  });

  it.for([
    ['a dumb terminal with NO_COLOR', { TERM: 'dumb', NO_COLOR: '1' }],
    ['CI that gives a terminal', { CI: '1' }],
  ] as const)('%s gets plain lines without a control code', async ([, more], context) => {
    const { expect } = context;
    const project = new Project(context);
    project.write('go-1');
    const env = { ...project.env, ...more };
    const recorder = `cat > '${join(project.path, 'bytes')}'`;
    const command = `${project.run('--max-iterations 1')}; sleep 60`;
    const session = await project.terminal({ command, recorder, env });
    const screen = await project.sees(session, ENDED);
    expect(screen).toContain('iteration 1 completed in');
    await expect.poll(() => project.read('bytes'), WAIT).toContain('goes on');
    expect(project.read('bytes')).not.toContain('\u001b');
  });
});

/** Adds to a file when which bytes came. */
const STAMP = `import { appendFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
const decoder = new StringDecoder('utf8');
process.stdin.on('data', (chunk) => {
  appendFileSync(process.argv[2], JSON.stringify({ ms: performance.now(), text: decoder.write(chunk) }) + '\\n');
});
`;

/** Talks all the time, and tries what can be tried with a terminal. */
const HOSTILE_AGENT = `import { setTimeout as pause } from 'node:timers/promises';
const tell = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
const EVIL = ['\\u001b[2J\\u001b[3J\\u001bc', '\\u001b]52;c;aGFja2Vk\\u0007', '\\u001b]8;;http://evil\\u001b\\\\\\\\link', '\\u001b[20A\\u001b[9999D',
  '\\u202Eevil\\u2066', '\\u009b2J', 'x'.repeat(5000), '日本語'.repeat(60), '👍🏽🇩🇪e\\u0301'.repeat(40), 'a' + '\\u0301'.repeat(3000), '\\r\\n\\r\\nover', '\\u001b[?1049h'];
for (let turn = 0; turn < 60; turn += 1) {
  const evil = EVIL[turn % EVIL.length];
  tell({ pawl: 'text', text: 'word ' + turn + ' ' + evil });
  tell({ pawl: 'tool-call', id: String(turn), name: 'Bash' + evil, input: { command: 'run ' + evil } });
  tell({ pawl: 'tool-result', id: String(turn), failed: turn % 7 === 0, output: evil + turn });
  await pause(40);
}
`;
