import type { ChildProcess } from 'node:child_process';
import { drainPipes } from './drain-pipes.js';
import { type Census, nameOfChild, newcomersWithCookie, type ProcessName } from './process-table.js';
import { signalGroup } from './reap.js';
import { lookForProcesses } from './recent-census.js';
import { type Exit, exitOf, type OutputListener, type StartedProcess } from './started-process.js';

export interface StartedBy {
  readonly cookie: string;
  /** Who was there before it. */
  readonly census: Census;
  /** What it waits to be told before it gets its input. */
  readonly go?: string | undefined;
}

/** A process of its own, with pipes of its own. */
export class StartedChild implements StartedProcess {
  readonly name: ProcessName;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #go: string;
  readonly #search: () => readonly ProcessName[];

  constructor(child: ChildProcess, pid: number, { cookie, census, go = '' }: StartedBy) {
    this.#child = child;
    this.#go = go;
    this.#search = () => newcomersWithCookie(cookie, census, lookForProcesses);
    this.name = nameOfChild(pid);
    // A signal that cannot be sent is told by an event; whether it died is told by its exit.
    child.on('error', () => undefined);
    this.exited = exitOf(child);
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  onOutput(listener: OutputListener): void {
    for (const source of ['stdout', 'stderr'] as const) {
      this.#child[source]?.on('data', (chunk: Buffer) => listener(chunk, source));
      // A pipe that breaks ends like one that is closed.
      this.#child[source]?.on('error', () => undefined);
    }
  }

  /** A process that does not read its input, or ends before it has, is not at fault. */
  feed(input: string): void {
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdin?.end(`${this.#go}${input}`);
  }

  signal(signal: NodeJS.Signals): boolean {
    return signalGroup(this.name.pid, signal);
  }

  killGroup(): void {
    signalGroup(this.name.pid, 'SIGKILL');
  }

  leftovers(): readonly ProcessName[] {
    return this.#search();
  }

  drained(): Promise<void> {
    return drainPipes(this.#child);
  }

  release(): void {
    // Nothing of it is kept.
  }
}
