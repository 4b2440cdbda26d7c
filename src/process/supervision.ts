import { setTimeout as pause } from 'node:timers/promises';
import { createLineSplitter, type LineSplitter } from './line-splitter.js';
import { descendantsOf, isAlive, type ProcessName } from './process-table.js';
import { reap } from './reap.js';
import type { StartedProcess } from './started-process.js';
import type { DeathCause, Ending, Supervised, SuperviseRequest } from './supervised.js';

const LINE_LIMIT_BYTES = 4 * 1024 * 1024;
const SNAPSHOT_MS = 1000;

/** One started process, from its first moment to the end of everything it started. */
export class Supervision implements Supervised {
  readonly ended: Promise<Ending>;
  readonly #process: StartedProcess;
  readonly #request: SuperviseRequest;
  readonly #startedAt = performance.now();
  readonly #splitters: readonly LineSplitter[];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #abort = () => this.kill('aborted');
  readonly #cutShort = () => this.#cutOff();
  #cause: DeathCause | undefined;
  #wasCutOff: true | undefined;
  #seen: readonly ProcessName[] = [];

  constructor(process: StartedProcess, request: SuperviseRequest) {
    this.#process = process;
    this.#request = request;
    this.#splitters = this.#readOutput();
    // It is told of before it gets its input: an agent that nobody knows of has had nothing to work on.
    request.onSpawn?.(process.name);
    process.feed(request.input ?? '');
    this.#timers.push(
      setTimeout(() => this.kill('timeout'), request.timeoutMs),
      setInterval(() => this.#lookAround(), SNAPSHOT_MS),
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
    const { exitCode, signal } = await this.#process.exited;
    this.#cause ??= 'exit';
    for (const timer of this.#timers) clearTimeout(timer);
    this.#request.signal?.removeEventListener('abort', this.#abort);
    this.#request.cutOff?.removeEventListener('abort', this.#cutShort);
    // Those who hold the pipe die first: then it ends by itself, and what it still carries is not lost.
    this.#process.killGroup();
    const { killed, left } = await reap({ seen: this.#seen, search: () => this.#process.leftovers() });
    await this.#process.drained();
    for (const splitter of this.#splitters) splitter.end();
    this.#process.release({ isClean: this.#cause === 'exit' && killed === 0 });
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

  /** In order, each with its grace, and SIGKILL at last. Ends when the process does. */
  async #signal(): Promise<void> {
    this.#lookAround();
    for (const signal of this.#request.signals) {
      if (this.#process.hasExited || !this.#process.signal(signal)) break;
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await Promise.race([this.#process.exited, pause(this.#request.graceMs, undefined, { ref: false })]);
      this.#lookAround();
    }
    if (!this.#process.hasExited) this.#process.signal('SIGKILL');
  }

  /** What it started is found by the same traces as ever. */
  #cutOff(): void {
    this.#cause ??= 'aborted';
    if (this.#process.hasExited) return;
    this.#wasCutOff = true;
    this.#lookAround();
    this.#process.signal('SIGKILL');
  }

  /** Remembers who is there: a process that leaves the group and loses its parent is found again by this. */
  #lookAround(): void {
    const known = new Set(this.#seen.map(({ pid }) => pid));
    const fresh = descendantsOf(this.#process.name.pid).filter(({ pid }) => !known.has(pid));
    this.#seen = [...this.#seen.filter(isAlive), ...fresh];
  }

  #readOutput(): readonly LineSplitter[] {
    const limit = this.#request.lineLimitBytes ?? LINE_LIMIT_BYTES;
    const splitterFor = (source: 'stdout' | 'stderr') =>
      createLineSplitter((line) => this.#request.onLine(line, source), limit);
    const splitters = { stdout: splitterFor('stdout'), stderr: splitterFor('stderr') };
    this.#process.onOutput((chunk, source) => {
      this.#request.onLife?.();
      splitters[source].write(chunk);
    });
    return [splitters.stdout, splitters.stderr];
  }
}
