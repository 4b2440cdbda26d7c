import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SessionOptions {
  readonly tmux: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Without one it is a shell. */
  readonly command?: string;
  /** A command that gets every byte that is written to the terminal. */
  readonly recorder?: string;
}

/** A real terminal of a certain size, with keys that can be pressed and a screen that can be read. */
export class TmuxSession {
  readonly #tmux: string;
  readonly #place = mkdtempSync(join(tmpdir(), 'pawl-tmux-'));

  private constructor(tmux: string) {
    this.#tmux = tmux;
  }

  static async open({ tmux, folder, env, columns = 80, rows = 24, command, recorder }: SessionOptions) {
    const session = new TmuxSession(tmux);
    const shell = command ?? 'exec bash --norc --noprofile -c \'PS1="$ "; export PS1; exec bash --norc --noprofile\'';
    const size = ['-x', String(columns), '-y', String(rows)];
    // With a recorder it begins when that is listening.
    const waiting = recorder === undefined ? shell : `read go; stty -echo; ${shell}`;
    const vars = Object.entries(env).map(([name, value = '']) => `${name}=${value}`);
    await session.#call('new-session', '-d', ...size, '-c', folder, 'env', '-i', ...vars, 'sh', '-c', waiting);
    if (recorder !== undefined) {
      await session.#call('pipe-pane', recorder);
      await session.press('Enter');
    }
    return session;
  }

  /** Keys by tmux's names for them. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#call('send-keys', ...keys);
  }

  /** A text, as it is. */
  async type(text: string): Promise<void> {
    await this.#call('send-keys', '-l', text);
  }

  /** As a terminal pastes it: between marks where the program has asked for them. */
  async paste(text: string): Promise<void> {
    await this.#call('set-buffer', text);
    await this.#call('paste-buffer', '-p');
  }

  /** What is on the screen. */
  async screen(): Promise<string> {
    return (await this.#call('capture-pane', '-p')).trimEnd();
  }

  /** The screen and all that has scrolled away. */
  async everything(): Promise<string> {
    return (await this.#call('capture-pane', '-p', '-S', '-')).trimEnd();
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#call('resize-window', '-x', String(columns), '-y', String(rows));
  }

  async isCursorShown(): Promise<boolean> {
    return (await this.#call('display-message', '-p', '#{cursor_flag}')).trim() === '1';
  }

  async close(): Promise<void> {
    await this.#call('kill-server').catch(() => undefined);
    rmSync(this.#place, { recursive: true, force: true });
  }

  async #call(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(this.#tmux, ['-u', '-S', join(this.#place, 's'), '-f', '/dev/null', ...args], {
      env: { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
    return stdout;
  }
}
