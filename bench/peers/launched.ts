import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from './runner.js';
import type { Scratch } from './scratch.js';

/** A runner that was started in a process group of its own, as a shell starts it. */
export class Launched {
  readonly startedMs = Date.now();
  readonly exited: Promise<number>;
  readonly #child: ChildProcess;
  #code: number | undefined;

  constructor(
    scratch: Scratch,
    [program, ...args]: Command,
    { output = 'log' }: { readonly output?: 'log' | 'none' } = {},
  ) {
    const file = openSync(output === 'log' ? join(scratch.folder, 'log') : '/dev/null', 'a');
    this.#child = spawn(program, args, {
      cwd: scratch.project,
      env: scratch.environment,
      detached: true,
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    this.exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve((this.#code = 127)));
      this.#child.once('exit', (code) => resolve((this.#code = code ?? 128)));
    });
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** Undefined while it runs. */
  get exitCode(): number | undefined {
    return this.#code;
  }

  /** Its exit code, or undefined when it still runs after that time. */
  async within(limitMs: number): Promise<number | undefined> {
    const stop = new AbortController();
    const late = pause(limitMs, undefined, { signal: stop.signal }).catch(() => undefined);
    const code = await Promise.race([this.exited, late]);
    stop.abort();
    return code;
  }

  /** What the terminal does at Ctrl-C: the signal goes to the whole foreground group. */
  interruptGroup(): void {
    this.#signal(-this.pid, 'SIGINT');
  }

  signal(name: NodeJS.Signals): void {
    this.#signal(this.pid, name);
  }

  #signal(target: number, name: NodeJS.Signals): void {
    if (this.#code !== undefined) return;
    try {
      process.kill(target, name);
    } catch {
      // It ended in this moment.
    }
  }
}
