import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import type { EventOf, EventType, RunEvent } from '../../src/model/run-event.js';
import { isAlive, processesOfRun, statOf } from '../../src/process/process-table.js';
import { LoopRunner, type RunResult } from '../../src/run/run-handle.js';

export const AGENTS = join(import.meta.dirname, '..', 'fixtures', 'agents');

/** A working directory with a home beside it, for runs of real programs. */
export class AttackedRun {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-attacked-')));
  readonly workingDir = join(this.folder, 'work');
  readonly home = join(this.folder, 'home');
  readonly environment: Readonly<Record<string, string | undefined>> = {
    ...process.env,
    HOME: this.home,
    XDG_STATE_HOME: join(this.folder, 'state'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a user',
    GIT_AUTHOR_EMAIL: 'user@localhost',
    GIT_COMMITTER_NAME: 'a user',
    GIT_COMMITTER_EMAIL: 'user@localhost',
  };
  readonly events: RunEvent[] = [];
  readonly warnings: string[] = [];
  /** False: what the agent says is not kept, where memory is measured. */
  keepsText = true;
  runner!: LoopRunner;

  constructor() {
    mkdirSync(this.workingDir);
    mkdirSync(this.home);
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.workingDir, env: { ...this.environment }, encoding: 'utf8' });
  }

  initRepository(): void {
    this.git('init', '-q');
    writeFileSync(join(this.workingDir, 'kept'), 'a file of the user');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
  }

  /** A run of one iteration without tracking, unless the config says otherwise. */
  prepare(command: readonly string[], config: LoopConfig = {}): LoopRunner {
    const [program = '', ...words] = command;
    const path = program.includes('/') || program === 'bash' ? program : join(AGENTS, program);
    this.runner = new LoopRunner(
      {
        workingDir: this.workingDir,
        ...(config.promptPath === undefined ? { prompt: 'go' } : {}),
        agent: { name: 'command', command: [path, ...words] },
        maxIterations: 1,
        iterationDelay: 0,
        trackFileChanges: false,
        iterationTimeout: '4m',
        ...config,
      },
      { environment: this.environment, onWarning: (message) => this.warnings.push(message) },
    );
    this.runner.subscribe((event) =>
      this.events.push(this.keepsText || event.type !== 'agent-said' ? event : { ...event, text: '' }),
    );
    return this.runner;
  }

  async run(command: readonly string[], config: LoopConfig = {}): Promise<RunResult> {
    this.prepare(command, config);
    return this.finish();
  }

  /** Runs what was prepared. Whatever the agent did, nothing of it is left and the record is whole. */
  async finish(): Promise<RunResult> {
    const result = await this.runner.run();
    expect(processesOfRun(this.runner.id)).toEqual([]);
    expect(this.notedPids().filter(isRunning)).toEqual([]);
    expect(this.ended().map(({ ending }) => ending?.survivors ?? 0)).not.toContain(1);
    return result;
  }

  of<T extends EventType>(type: T): readonly EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  ended(): readonly EventOf<'iteration-ended'>[] {
    return this.of('iteration-ended');
  }

  said(): string {
    return this.of('agent-said')
      .map(({ text }) => text)
      .join('\n');
  }

  /** Processes that the agents wrote down. */
  notedPids(): readonly number[] {
    const path = join(this.home, 'pids');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
  }

  get runFolder(): string {
    return join(this.workingDir, '.ralph', 'runs', this.runner.id);
  }

  /** The journal as it lies on disk says the same as what was published. */
  async expectWholeRecord(): Promise<void> {
    const verified = await verifyJournal(join(this.runFolder, 'journal.jsonl'));
    expect(verified.torn).toBeUndefined();
    expect(verified.events).toBe(this.events.at(-1)?.seq);
    expect(verified.state).toEqual(this.runner.runState);
  }

  /** Bytes of every file of the run. */
  recordedBytes(): number {
    const below = readdirSync(this.runFolder, { recursive: true, withFileTypes: true });
    return below
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && isAlive({ pid, startTime: stat.startTime });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are referenced, on the heap and in buffers: garbage depends on when it is collected. */
export function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  return usedBytes();
}

/** With what nothing refers to any more. */
function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * The most that was held beyond the beginning while `work` went on, looked at again and again. No more is held than used:
 * garbage is collected only where more than `allowed` is used.
 */
export async function mostHeldWhile(allowed: number, work: () => Promise<unknown>): Promise<number> {
  const before = heldBytes();
  let most = 0;
  const look = () => {
    const used = usedBytes() - before;
    most = Math.max(most, used < allowed ? used : heldBytes() - before);
  };
  const watch = setInterval(look, 300);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  look();
  return most;
}
