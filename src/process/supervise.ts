import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../model/errors.js';
import { drainPipes, reap, signalGroup } from './reap.js';
import { findProgram } from './run-tool.js';
import { createLineSplitter, type Line, type LineSplitter } from './line-splitter.js';
import {
  type Census,
  CLAIM_KEY_VARIABLE,
  COOKIE_VARIABLE,
  descendantsOf,
  isAlive,
  nameOfChild,
  newCensus,
  newcomersWithCookie,
  type ProcessName,
  recentCensus,
} from './process-table.js';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';

const LINE_LIMIT_BYTES = 4 * 1024 * 1024;
const SNAPSHOT_MS = 1000;

/** Why a process ended. The first cause wins. */
export type DeathCause = 'exit' | 'timeout' | 'idle' | 'lingering' | 'aborted' | 'not-started';

export interface SuperviseRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; the cookie is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Goes to its standard input, which is then closed. */
  readonly input?: string | undefined;
  /** Unique: everything that the process leaves behind is found by it. */
  readonly cookie: string;
  /** Proves that a claim is from the agent of an iteration. Without it the process gets none, not even an inherited one. */
  readonly claimKey?: string | undefined;
  /** What to send, in order, before SIGKILL. */
  readonly signals: readonly ('SIGINT' | 'SIGTERM')[];
  /** How long to wait after each. */
  readonly graceMs: number;
  readonly timeoutMs: number;
  /** Callbacks must not throw. */
  readonly onSpawn?: ((name: ProcessName) => void) | undefined;
  /** Something was printed, a whole line or not. */
  readonly onLife?: (() => void) | undefined;
  readonly onLine: (line: Line, source: 'stdout' | 'stderr') => void;
  readonly lineLimitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Kills it at once, even while it has time to end. */
  readonly cutOff?: AbortSignal | undefined;
}

export interface Ending {
  readonly cause: DeathCause;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly durationMs: number;
  /** Processes that it left behind and that were killed. */
  readonly stragglers: number;
  /** Stragglers that could not be killed. */
  readonly survivors: readonly ProcessName[];
  /** Why it could not be started. */
  readonly error?: string | undefined;
  /** It was killed before its time to end was over. */
  readonly wasCutOff?: true | undefined;
}

/** A process under supervision. */
export interface Supervised {
  /** Ends it. A second call changes nothing. */
  kill(cause: DeathCause): void;
  /** Never rejects. Settles when the process and everything it started are gone. */
  readonly ended: Promise<Ending>;
}

/** Starts a process in a group of its own, and ends everything that it started when it ends. */
export function supervise(request: SuperviseRequest): Supervised {
  if (!existsSync(request.cwd)) return notStarted(`the working directory ${request.cwd} is gone`);
  const file = findProgram(request.command, request.cwd, request.env['PATH']);
  if (file === undefined) return notStarted(`${request.command} is not a program that can be run`);
  try {
    return start(request, file);
  } catch (error) {
    return notStarted(messageOf(error));
  }
}

function start(request: SuperviseRequest, file: string): Supervised {
  const { args, cwd, cookie, claimKey } = request;
  const census = recentCensus();
  const { child, unguard } = startGuarded((own) => {
    const env = { ...request.env, ...own, [COOKIE_VARIABLE]: cookie, [CLAIM_KEY_VARIABLE]: claimKey };
    return spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  });
  if (child.pid === undefined) return failedToStart(child);
  return new Supervision({ child, name: nameOfChild(child.pid), census, unguard }, request);
}

function notStarted(why: string): Supervised {
  return { kill: () => undefined, ended: Promise.resolve(neverStarted(why)) };
}

/** Node emits the reason later. */
function failedToStart(child: ChildProcess): Supervised {
  const why = once(child, 'error').then(([error]: unknown[]) => neverStarted(messageOf(error)));
  return { kill: () => undefined, ended: why };
}

function neverStarted(error: string): Ending {
  return { cause: 'not-started', durationMs: 0, stragglers: 0, survivors: [], error };
}

interface Started {
  /** With pipes of its own. */
  readonly child: ChildProcess;
  /** Everything that it starts is below this process, and in its group until it leaves the group. */
  readonly name: ProcessName;
  /** The processes that ran before it. */
  readonly census: Census;
  readonly unguard: () => void;
}

/** One started process, from its first moment to the end of everything it started. */
export class Supervision implements Supervised {
  readonly ended: Promise<Ending>;
  readonly #started: Started;
  readonly #exited: Promise<Pick<Ending, 'exitCode' | 'signal'>>;
  readonly #request: SuperviseRequest;
  readonly #startedAt = performance.now();
  readonly #splitters: readonly LineSplitter[];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #abort = () => this.kill('aborted');
  readonly #cutShort = () => this.#cutOff();
  #cause: DeathCause | undefined;
  #wasCutOff: true | undefined;
  #seen: readonly ProcessName[] = [];

  constructor(started: Started, request: SuperviseRequest) {
    this.#started = started;
    this.#request = request;
    const { child, name } = started;
    // A signal that cannot be sent emits an error; the exit shows whether it died.
    child.on('error', () => undefined);
    this.#exited = exitOf(child);
    this.#splitters = this.#readOutput();
    // Its name is recorded before it gets its input: an agent that is not on record has had nothing to work on.
    request.onSpawn?.(name);
    // A process that does not read its input, or ends before it has, is not at fault.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(request.input ?? '');
    this.#timers.push(
      setTimeout(() => this.kill('timeout'), request.timeoutMs),
      setInterval(() => this.#rememberDescendants(), SNAPSHOT_MS),
    );
    request.signal?.addEventListener('abort', this.#abort, { once: true });
    request.cutOff?.addEventListener('abort', this.#cutShort, { once: true });
    this.ended = this.#watch();
    if (request.signal?.aborted === true) this.#abort();
  }

  kill(cause: DeathCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    void this.#signal();
  }

  async #watch(): Promise<Ending> {
    const { child, name, census, unguard } = this.#started;
    const { exitCode, signal } = await this.#exited;
    this.#cause ??= 'exit';
    for (const timer of this.#timers) clearTimeout(timer);
    this.#request.signal?.removeEventListener('abort', this.#abort);
    this.#request.cutOff?.removeEventListener('abort', this.#cutShort);
    // The processes that hold the pipes are killed first: then the pipes end, and what they still carry is not lost.
    signalGroup(name.pid, 'SIGKILL');
    unguard();
    const search = () => newcomersWithCookie(this.#request.cookie, census, newCensus);
    const { killed, left } = await reap({ seen: this.#seen, search });
    await drainPipes(child);
    for (const splitter of this.#splitters) splitter.end();
    return {
      cause: this.#cause,
      exitCode,
      signal,
      durationMs: performance.now() - this.#startedAt,
      stragglers: killed,
      survivors: left,
      wasCutOff: this.#wasCutOff,
    };
  }

  /** The signals in order, each with its time, and SIGKILL last. Ends when the process does. */
  async #signal(): Promise<void> {
    const group = this.#started.name.pid;
    this.#rememberDescendants();
    for (const signal of this.#request.signals) {
      if (this.#hasExited || !signalGroup(group, signal)) break;
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await Promise.race([this.#exited, pause(this.#request.graceMs, undefined, { ref: false })]);
      this.#rememberDescendants();
    }
    if (!this.#hasExited) signalGroup(group, 'SIGKILL');
  }

  #cutOff(): void {
    this.#cause ??= 'aborted';
    if (this.#hasExited) return;
    this.#wasCutOff = true;
    this.#rememberDescendants();
    signalGroup(this.#started.name.pid, 'SIGKILL');
  }

  get #hasExited(): boolean {
    const { exitCode, signalCode } = this.#started.child;
    return exitCode !== null || signalCode !== null;
  }

  /** A process that later leaves the group and loses its parent is found by this. */
  #rememberDescendants(): void {
    const known = new Set(this.#seen.map(({ pid }) => pid));
    const fresh = descendantsOf(this.#started.name.pid).filter(({ pid }) => !known.has(pid));
    this.#seen = [...this.#seen.filter(isAlive), ...fresh];
  }

  #readOutput(): readonly LineSplitter[] {
    const { onLine, onLife, lineLimitBytes = LINE_LIMIT_BYTES } = this.#request;
    return (['stdout', 'stderr'] as const).map((source) => {
      const splitter = createLineSplitter((line) => onLine(line, source), lineLimitBytes);
      const stream = this.#started.child[source];
      stream?.on('data', (chunk: Buffer) => {
        onLife?.();
        splitter.write(chunk);
      });
      // A pipe that breaks ends like one that is closed.
      stream?.on('error', () => undefined);
      return splitter;
    });
  }
}

async function exitOf(child: ChildProcess): Promise<Pick<Ending, 'exitCode' | 'signal'>> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { exitCode: code ?? undefined, signal: signal ?? undefined };
}

/** Everything that this process of Pawl supervises has it, and nothing that a later one resumes. */
const RUNNER_VARIABLE = 'PAWL_RUNNER';
const RUNNER = randomBytes(12).toString('hex');

/**
 * Reads which process groups Pawl supervises, or that it is just starting one. Its input ends when Pawl ends, whatever the cause. If a group is left then, it
 * ends them, and on Linux every process that inherited the variable of this Pawl.
 */
const SCRIPT = `trap '' TERM INT HUP QUIT USR1 USR2
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
send() {
  for group in $groups; do
    kill -s "$1" -- "-$group"
  done
  for file in $(grep -lszxF "${RUNNER_VARIABLE}=${RUNNER}" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -s "$1" "\${pid%/environ}"
  done
}
[ "$groups" = ' ' ] && exit
send TERM
sleep 2
for round in 1 2 3; do
  send KILL
  sleep 1
done
`;

/** One process for everything that Pawl supervises, started with the first. */
let guard: ChildProcess | undefined;
const MOST_REPLACED = 10;
let replaced = 0;
/** The groups that run. */
const groups = new Set<number | 'starting'>();

interface GuardedChild {
  readonly child: ChildProcess;
  /** Call it when the group has ended: its id may be used again. */
  readonly unguard: () => void;
}

/** Starts a process in a group of its own, with the variable of this Pawl. It does not outlive Pawl for long. */
function startGuarded(start: (env: Readonly<Record<string, string>>) => ChildProcess): GuardedChild {
  add('starting');
  try {
    const child = start({ [RUNNER_VARIABLE]: RUNNER });
    const { pid } = child;
    if (pid === undefined) return { child, unguard: () => undefined };
    add(pid);
    return { child, unguard: () => remove(pid) };
  } finally {
    remove('starting');
  }
}

function add(group: number | 'starting'): void {
  guard ??= startGuard();
  groups.add(group);
  guard.stdin?.write(`+ ${group}\n`);
}

function remove(group: number | 'starting'): void {
  groups.delete(group);
  guard?.stdin?.write(`- ${group}\n`);
}

/** It has neither the variable nor a cookie, so it is never taken for a straggler, and it does not keep Pawl from ending. */
function startGuard(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const group of groups) child.stdin.write(`+ ${group}\n`);
  child.stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  // It was killed: another one takes its place. Where shells do not last, the search at the next resume has to do.
  child.on('exit', () => {
    replaced += 1;
    guard = groups.size === 0 || replaced > MOST_REPLACED ? undefined : startGuard();
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
