import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createLineSplitter, type LineSplitter } from './line-splitter.js';
import { descendantsOf, isAlive, type ProcessName, processesWithCookie, statOf } from './process-table.js';
import { reap, signalGroup } from './reap.js';
import type { DeathCause, Ending, Supervised, StartedRequest } from './supervised.js';

const LINE_LIMIT_BYTES = 4 * 1024 * 1024;
/** How long output may still come after the process is gone: somebody else may hold the pipe for ever. */
const DRAIN_MS = 500;
const SNAPSHOT_MS = 1000;

/** One started process, from its first moment to the end of everything it started. */
export class Supervision implements Supervised {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #request: StartedRequest;
  readonly #startedAt = performance.now();
  readonly #splitters: readonly LineSplitter[];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #abort = () => this.kill('aborted');
  #cause: DeathCause | undefined;
  #seen: readonly ProcessName[] = [];

  constructor(child: ChildProcess, pid: number, request: StartedRequest) {
    this.#child = child;
    this.#pid = pid;
    this.#request = request;
    // A signal that cannot be sent is told by an event; whether it died is told by its exit.
    child.on('error', () => undefined);
    this.#splitters = this.#readOutput();
    // A process that has died already has no start time; nobody will look for it. It is told of before it gets its
    // input: an agent that nobody knows of has had nothing to work on.
    request.onSpawn?.({ pid, startTime: statOf(pid)?.startTime ?? '0' });
    this.#writeInput();
    this.#timers.push(
      setTimeout(() => this.kill('timeout'), request.timeoutMs),
      setInterval(() => this.#lookAround(), SNAPSHOT_MS),
    );
    request.signal?.addEventListener('abort', this.#abort, { once: true });
    this.ended = this.#watch();
    if (request.signal?.aborted === true) this.#abort();
  }

  kill(cause: DeathCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    void this.#signal();
  }

  async #watch(): Promise<Ending> {
    const [exitCode, signal] = (await once(this.#child, 'exit')) as [number | null, string | null];
    this.#cause ??= 'exit';
    for (const timer of this.#timers) clearTimeout(timer);
    this.#request.signal?.removeEventListener('abort', this.#abort);
    const { cookie, census } = this.#request;
    // Those who hold the pipe die first: then it ends by itself, and what it still carries is not lost.
    const { killed, left } = await reap({
      groupId: this.#pid,
      seen: this.#seen,
      search: () => processesWithCookie(cookie, census),
    });
    await this.#drain();
    return {
      cause: this.#cause,
      exitCode: exitCode ?? undefined,
      signal: signal ?? undefined,
      durationMs: performance.now() - this.#startedAt,
      stragglers: killed,
      survivors: left,
    };
  }

  /** In order, each with its grace, and SIGKILL at last. Ends when the process does. */
  async #signal(): Promise<void> {
    this.#lookAround();
    for (const signal of this.#request.signals) {
      if (this.#hasExited() || !signalGroup(this.#pid, signal)) break;
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await Promise.race([this.#exit(), pause(this.#request.graceMs, undefined, { ref: false })]);
      this.#lookAround();
    }
    if (!this.#hasExited()) signalGroup(this.#pid, 'SIGKILL');
  }

  #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #exit(): Promise<void> {
    if (!this.#hasExited()) await once(this.#child, 'exit');
  }

  /** Remembers who is there: a process that leaves the group and loses its parent is found again by this. */
  #lookAround(): void {
    const known = new Set(this.#seen.map(({ pid }) => pid));
    const fresh = descendantsOf(this.#pid).filter(({ pid }) => !known.has(pid));
    this.#seen = [...this.#seen.filter(isAlive), ...fresh];
  }

  #readOutput(): readonly LineSplitter[] {
    const limit = this.#request.lineLimitBytes ?? LINE_LIMIT_BYTES;
    return (['stdout', 'stderr'] as const).map((source) => {
      const splitter = createLineSplitter((line) => this.#request.onLine(line, source), limit);
      this.#child[source]?.on('data', (chunk: Buffer) => {
        this.#request.onLife?.();
        splitter.write(chunk);
      });
      // A pipe that breaks ends like one that is closed.
      this.#child[source]?.on('error', () => undefined);
      return splitter;
    });
  }

  /** A process that does not read its input, or ends before it has, is not at fault. */
  #writeInput(): void {
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdin?.end(this.#request.input ?? '');
  }

  async #drain(): Promise<void> {
    const open = [this.#child.stdout, this.#child.stderr].filter((stream) => stream !== null && !stream.readableEnded);
    const ends = open.map((stream) => once(stream as NonNullable<typeof stream>, 'close').catch(() => undefined));
    await Promise.race([Promise.all(ends), pause(DRAIN_MS, undefined, { ref: false })]);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    for (const splitter of this.#splitters) splitter.end();
  }
}
