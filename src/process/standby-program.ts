import { type ChildProcess, spawn } from 'node:child_process';
import { type BigIntStats, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { CLAIM_KEY_VARIABLE, COOKIE_VARIABLE, isAlive, nameOfChild, type ProcessName } from './process-table.js';
import { quoted } from './shell-script.js';

/** How a program is to be started. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What comes before the program on the command line, so that it hears of its runner's death. */
  readonly before: readonly string[];
}

/** What differs from one start to the next. */
export interface StartMarks {
  readonly cookie: string;
  readonly claimKey?: string | undefined;
}

/** A process that has waited. It becomes the program when it has been told `go`; what follows is the program's input. */
export interface ReadyProgram {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly go: string;
}

interface Waiting {
  readonly what: string;
  readonly child: ChildProcess;
  readonly name: ProcessName;
  readonly folder: string;
}

/** A program that takes longer gains nothing worth a process that waits beside it. */
const QUICK_MS = 1000;
const NAME = /^[A-Za-z_]\w*$/;
/** Shells set these themselves, whatever they are given. */
const RESTORED = ['PWD', 'OLDPWD'];
/** Shells do not hand these on as they were. */
const CHANGED = new Set([
  'IFS',
  'OPTIND',
  'PPID',
  'PS1',
  'PS2',
  'LINENO',
  'UID',
  'EUID',
  'SHELLOPTS',
  'BASHOPTS',
  'ENV',
]);

/**
 * The next process of a loop over a quick program, started while the one before it works. To start a process from a large
 * one takes longer than such a program does; a small shell that waits becomes the program in a fraction of it. It does
 * nothing before it is told to, carries no cookie until then, and ends when its runner does.
 */
export class StandbyProgram {
  readonly #shell: string;
  #waiting: Waiting | undefined;
  /** What was started last and was quick: when it is started a second time, a third is expected. */
  #quick: string | undefined;
  /** Starts and dismissals so far: what was put off is done only if nothing has come in between. */
  #turn = 0;

  constructor(shell = '/bin/sh') {
    this.#shell = shell;
  }

  /** The process that waits for exactly this; undefined when there is none, and it has to be started in the usual way. */
  take(start: ProgramStart, marks: StartMarks): ReadyProgram | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined) return undefined;
    this.#waiting = undefined;
    if (waiting.what !== textOf(start) || !isAlive(waiting.name) || waiting.folder !== folderOf(start.cwd)) {
      end(waiting.child);
      return undefined;
    }
    hold(waiting.child, true);
    return { child: waiting.child, pid: waiting.name.pid, go: `${marks.cookie}\n${marks.claimKey ?? ''}\n` };
  }

  /** Told of every start: when the same has been started before, and was quick, another of it is made ready. */
  hasStarted(start: ProgramStart, ended: Promise<{ readonly durationMs: number }>): void {
    const what = textOf(start);
    const turn = ++this.#turn;
    const isExpected = this.#quick === what && canPass(start.env);
    // Not at once: the one that has just been started is to get its input first.
    if (isExpected) setImmediate(() => turn === this.#turn && (this.#waiting ??= this.#start(start, what)));
    void ended.then(
      ({ durationMs }) => turn === this.#turn && (this.#quick = durationMs < QUICK_MS ? what : undefined),
    );
  }

  /** Nobody is expected any more, until the same is started twice again. */
  dismiss(): void {
    this.#quick = undefined;
    this.#turn += 1;
    if (this.#waiting !== undefined) end(this.#waiting.child);
    this.#waiting = undefined;
  }

  #start({ program, args, cwd, env, before }: ProgramStart, what: string): Waiting | undefined {
    const folder = folderOf(cwd);
    const [first = this.#shell, ...words] = [...before, this.#shell, '-c', scriptFor(env), 'sh', program, ...args];
    const given = { ...env, [COOKIE_VARIABLE]: undefined, [CLAIM_KEY_VARIABLE]: undefined };
    const child = spawn(first, words, { cwd, env: given, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    // Whoever cannot be started now is started when it is needed, and the reason is told then.
    child.on('error', () => undefined);
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    if (child.pid === undefined || folder === undefined) return undefined;
    hold(child, false);
    return { what, child, name: nameOfChild(child.pid), folder };
  }
}

/** Whether a shell hands the environment on as it was. */
function canPass(env: ProgramStart['env']): boolean {
  return Object.keys(env).every((name) => NAME.test(name) && !CHANGED.has(name));
}

/** Reads no further than its two lines: a shell reads a pipe byte by byte. */
function scriptFor(env: ProgramStart['env']): string {
  const restored = RESTORED.map((name) => {
    const value = env[name];
    return value === undefined ? `unset ${name}` : `export ${name}=${quoted(value)}`;
  });
  return [
    `read -r ${COOKIE_VARIABLE} && read -r ${CLAIM_KEY_VARIABLE} || exit 0`,
    `export ${COOKIE_VARIABLE} ${CLAIM_KEY_VARIABLE}`,
    `[ "$${CLAIM_KEY_VARIABLE}" ] || unset ${CLAIM_KEY_VARIABLE}`,
    ...restored,
    'exec "$@"',
  ].join('\n');
}

function textOf({ program, args, cwd, env, before }: ProgramStart): string {
  return JSON.stringify([program, args, cwd, before, env]);
}

/** A folder that was made again under the same name is another one. */
function folderOf(path: string): string | undefined {
  const stat: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Who only waits keeps nobody's process alive. */
function hold(child: ChildProcess, isNeeded: boolean): void {
  const all = [child, ...child.stdio.filter((stream) => stream instanceof Socket)];
  for (const one of all) if (isNeeded) one.ref();
  for (const one of all) if (!isNeeded) one.unref();
}

function end(child: ChildProcess): void {
  hold(child, true);
  child.kill('SIGKILL');
  for (const stream of child.stdio) stream?.destroy();
}
