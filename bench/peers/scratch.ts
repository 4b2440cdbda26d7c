import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { bareEnvironment } from '../bare-environment.js';
import { onAbort } from './abort.js';
import { type Deed, writeFakeAgent } from './fake-agent.js';
import { endMarked } from './marked-processes.js';

export interface AgentStart {
  readonly atMs: number;
  readonly pid: number;
}

/** A project, a home and a scripted agent that belong to one run of one runner, and nothing of the user's. */
export class Scratch {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-peers-')));
  readonly project: string;
  readonly #forgetAtAbort = onAbort(() => this.remove());

  constructor(deed: Deed, { project }: { readonly project?: string | undefined } = {}) {
    for (const name of ['bin', 'home', 'tmp', 'run']) mkdirSync(join(this.folder, name), { mode: 0o700 });
    this.project = project ?? join(this.folder, 'project');
    this.play(deed);
    if (project === undefined) this.#createProject();
  }

  /** Everything that descends from this scratch carries it. */
  get mark(): string {
    return basename(this.folder);
  }

  get environment(): NodeJS.ProcessEnv {
    return { ...bareEnvironment(this.folder), PEERS_MARK: this.mark };
  }

  /** Gives the agent another deed. */
  play(deed: Deed): void {
    writeFakeAgent(this.folder, deed);
  }

  starts(): readonly AgentStart[] {
    return this.#stamps('starts');
  }

  ends(): readonly AgentStart[] {
    return this.#stamps('ends');
  }

  /** The agents that found another one at work when they started. */
  overlaps(): readonly AgentStart[] {
    return this.#stamps('overlaps');
  }

  /** The last words of the runner, for the row that says why it cannot. */
  lastLine(): string {
    const log = join(this.folder, 'log');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    const shown = lines.map((line) => stripVTControlCharacters(line).trim()).filter((line) => line !== '');
    return (shown.at(-1) ?? 'no output').replaceAll(this.folder, '').slice(0, 100);
  }

  /** Ends what still runs and carries the mark. */
  async endProcesses(): Promise<void> {
    await endMarked(this.mark);
  }

  /** Ends all of it and removes the folder. */
  async remove(): Promise<void> {
    await this.endProcesses();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    this.#forgetAtAbort();
  }

  #stamps(name: string): readonly AgentStart[] {
    const path = join(this.folder, name);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => {
      const [seconds, pid] = line.split(' ').map(Number);
      return { atMs: (seconds ?? Number.NaN) * 1000, pid: pid ?? Number.NaN };
    });
  }

  #createProject(): void {
    mkdirSync(this.project);
    writeFileSync(join(this.project, 'README.md'), 'A scratch project.\n');
    for (const words of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['commit', '-qm', 'all'],
    ]) {
      const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
      const { status } = spawnSync('git', [...identity, ...words], { cwd: this.project, env: this.environment });
      if (status !== 0) throw new Error(`git ${words.join(' ')} does not work here`);
    }
  }
}
