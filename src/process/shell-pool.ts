import { randomBytes } from 'node:crypto';
import { Leftovers } from './leftovers.js';
import { canStandBy, type ShellJob } from './shell-script.js';
import { StandbyShell } from './standby-shell.js';
import { StartedInShell } from './started-in-shell.js';
import type { StartedProcess } from './started-process.js';
import { COOKIE_VARIABLE } from './process-table.js';

export interface ShellPoolOptions {
  readonly cwd: string;
  /** What the commands' environments have in common. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its shells are found by it when the runner has died. */
  readonly cookie: string;
}

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | undefined;
  readonly cookie: string;
}

/**
 * Shells that stand by for commands. To start a process from a large one is slow: a small shell does it in a fraction of
 * the time, and does for the next command what it did for the last.
 */
export class ShellPool {
  readonly #options: ShellPoolOptions;
  readonly #all = new Set<StandbyShell>();
  readonly #idle: StandbyShell[] = [];
  readonly #leftovers: Leftovers;
  #isClosed = false;
  #turns = 0;

  constructor(options: ShellPoolOptions) {
    this.#options = options;
    this.#leftovers = new Leftovers(options.cookie);
  }

  /** Undefined when the command has to be started in the usual way. */
  start(request: ShellRequest): StartedProcess | undefined {
    const job: ShellJob = { ...request, changes: this.#changes(request), input: request.input ?? '' };
    if (this.#isClosed || !canStandBy(job)) return undefined;
    const shell = this.#idle.pop() ?? this.#newShell();
    if (shell === undefined) return undefined;
    this.#turns += 1;
    const { cookie } = request;
    const since = this.#leftovers.begin(cookie);
    return new StartedInShell({
      shell,
      job,
      token: `${randomBytes(16).toString('hex')}${this.#turns}`,
      leftovers: () => this.#leftovers.of(cookie, shell.name.pid, since),
      release: (isClean) => {
        this.#leftovers.end(cookie);
        this.#release(shell, isClean);
      },
    });
  }

  /** Ends the shells, and whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.length = 0;
    await Promise.all(Array.from(this.#all, (shell) => shell.end()));
  }

  #changes({ env, cookie }: ShellRequest): Record<string, string | undefined> {
    const common = this.#options.env;
    const changes: Record<string, string | undefined> = {};
    for (const [name, value] of Object.entries(env)) if (value !== common[name]) changes[name] = value;
    for (const name in common) if (!(name in env)) changes[name] = undefined;
    changes[COOKIE_VARIABLE] = cookie;
    return changes;
  }

  #newShell(): StandbyShell | undefined {
    const shell = StandbyShell.start(this.#options);
    if (shell === undefined) return undefined;
    this.#all.add(shell);
    void shell.exited.then(() => this.#bury(shell));
    return shell;
  }

  /** One that was killed while it stood by takes nobody along by itself: what waits beside it for the runner's end stays. */
  #bury(shell: StandbyShell): void {
    this.#all.delete(shell);
    const at = this.#idle.indexOf(shell);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    shell.signal('SIGKILL');
    void shell.end();
  }

  /** After something that did not end by itself, or left something behind, nobody knows who else holds its pipes. */
  #release(shell: StandbyShell, isClean: boolean): void {
    if (isClean && !this.#isClosed && !shell.hasExited) this.#idle.push(shell);
    else void shell.end();
  }
}
