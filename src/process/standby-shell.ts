import { type ChildProcess, spawn } from 'node:child_process';
import { drainPipes } from './drain-pipes.js';
import { CLAIM_KEY_VARIABLE, COOKIE_VARIABLE, nameOfChild, type ProcessName } from './process-table.js';
import { signalGroup } from './reap.js';
import { STANDBY_SCRIPT } from './shell-script.js';
import { type Exit, exitOf } from './started-process.js';

export interface StandbyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By it the shell is found when its runner has died. */
  readonly cookie: string;
}

/** A shell in a group of its own that waits to be told what to do, and dies with its runner. */
export class StandbyShell {
  readonly name: ProcessName;
  readonly exited: Promise<Exit>;
  hasExited = false;
  /** Told all that comes from it. */
  onOutput: (chunk: Buffer, source: 'stdout' | 'stderr') => void = () => undefined;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.name = nameOfChild(pid);
    child.on('error', () => undefined);
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    child.stdout?.on('data', (chunk: Buffer) => this.onOutput(chunk, 'stdout'));
    child.stderr?.on('data', (chunk: Buffer) => this.onOutput(chunk, 'stderr'));
    this.exited = exitOf(child).then((exit) => {
      this.hasExited = true;
      return exit;
    });
    this.tell(STANDBY_SCRIPT);
  }

  /** Undefined when it cannot be started now. */
  static start({ cwd, env, cookie }: StandbyOptions): StandbyShell | undefined {
    const child = spawn('/bin/sh', ['-s'], {
      cwd,
      env: { ...env, [COOKIE_VARIABLE]: cookie, [CLAIM_KEY_VARIABLE]: undefined },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) return new StandbyShell(child, child.pid);
    child.on('error', () => undefined);
    return undefined;
  }

  tell(script: string): void {
    this.#child.stdin?.write(script);
  }

  signal(signal: NodeJS.Signals): boolean {
    return signalGroup(this.name.pid, signal);
  }

  /** Once it has exited. */
  drained(): Promise<void> {
    return drainPipes(this.#child);
  }

  /** Ends it and everything in its group. */
  async end(): Promise<void> {
    if (!this.hasExited) this.signal('SIGKILL');
    await this.exited;
    await this.drained();
    for (const stream of this.#child.stdio) stream?.destroy();
  }
}
