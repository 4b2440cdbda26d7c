import { MarkedOutput } from './marked-output.js';
import type { ProcessName } from './process-table.js';
import { jobScript, markOf, type ShellJob } from './shell-script.js';
import type { StandbyShell } from './standby-shell.js';
import type { Exit, OutputListener, StartedProcess } from './started-process.js';

export interface ShellTurn {
  readonly shell: StandbyShell;
  readonly job: Omit<ShellJob, 'input'>;
  /** Nobody can guess it. */
  readonly token: string;
  readonly leftovers: () => Promise<readonly ProcessName[]>;
  readonly release: (isClean: boolean) => void;
}

/** A command that a shell does which stood by: the shell's group is its own for that time. */
export class StartedInShell implements StartedProcess {
  readonly exited: Promise<Exit>;
  readonly #turn: ShellTurn;
  readonly #marked: Promise<Exit>;
  #listener: OutputListener = () => undefined;
  #outputs: Readonly<Record<'stdout' | 'stderr', MarkedOutput>>;
  #hasEnded = false;

  constructor(turn: ShellTurn) {
    this.#turn = turn;
    const mark = Buffer.from(markOf(turn.token));
    let open = 2;
    let exitCode: number | undefined;
    let resolve: (exit: Exit) => void = () => undefined;
    this.#marked = new Promise((done) => (resolve = done));
    const outputOf = (source: 'stdout' | 'stderr') =>
      new MarkedOutput(
        mark,
        (chunk) => this.#listener(chunk, source),
        (text) => {
          if (source === 'stdout') exitCode = Number(text);
          open -= 1;
          if (open > 0) return;
          this.#hasEnded = true;
          resolve({ exitCode });
        },
      );
    this.#outputs = { stdout: outputOf('stdout'), stderr: outputOf('stderr') };
    this.exited = Promise.race([this.#marked, turn.shell.exited]);
    turn.shell.onOutput = (chunk, source) => this.#outputs[source].write(chunk);
  }

  get name(): ProcessName {
    return this.#turn.shell.name;
  }

  get hasExited(): boolean {
    return this.#hasEnded || this.#turn.shell.hasExited;
  }

  onOutput(listener: OutputListener): void {
    this.#listener = listener;
  }

  feed(input: string): void {
    const { shell, job, token } = this.#turn;
    shell.tell(jobScript({ ...job, input }, token));
  }

  signal(signal: NodeJS.Signals): boolean {
    return this.#turn.shell.signal(signal);
  }

  /** The shell goes on; what is left of the command beside it is found one by one. */
  killGroup(): void {
    if (this.#turn.shell.hasExited) this.#turn.shell.signal('SIGKILL');
  }

  leftovers(): Promise<readonly ProcessName[]> {
    return this.#turn.leftovers();
  }

  /** The marks come last of all that was printed. */
  async drained(): Promise<void> {
    if (this.#hasEnded) return;
    await this.#turn.shell.drained();
    this.#outputs.stdout.end();
    this.#outputs.stderr.end();
  }

  release({ isClean }: { readonly isClean: boolean }): void {
    this.#turn.release(isClean);
  }
}
