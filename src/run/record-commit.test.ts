import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hasExited } from '../model/proc-stat.js';
import type { NewEvent } from '../model/run-event.js';
import { statOf } from '../process/process-table.js';
import { recordCommit } from './record-commit.js';
import type { RunHost, LiveParts, RunParts } from './run-host.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-record-commit-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const environment = { PATH: process.env['PATH'], HOME: base };

/** A tree in which `git add` never ends, and what is recorded of its commit. */
class HangingTree {
  readonly workingDir = mkdtempSync(join(base, 'tree-'));
  readonly recorded: NewEvent[] = [];

  constructor() {
    this.git('init', '-q');
    // In the user's own config: a filter that only the repository defines is not run.
    this.git('config', '--global', 'filter.x.clean', 'echo $$ >.git/filter; exec sleep 3001');
    writeFileSync(join(this.workingDir, '.gitattributes'), 'file filter=x\n');
    writeFileSync(join(this.workingDir, 'file'), 'work');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.workingDir, encoding: 'utf8', env: environment });
  }

  commit(more: Partial<RunParts>, ending: AbortSignal, limits = { limitMs: 60_000, lastMs: 300 }) {
    const spec = { commit: 'iteration', workingDir: this.workingDir };
    const record = (event: NewEvent) => this.recorded.push(event);
    const parts = { spec, runId: 'r', environment, record, stop: { run: ending }, ...more };
    const moment = { when: 'iteration', iteration: 1, summary: undefined } as const;
    return recordCommit(parts as unknown as LiveParts, moment, limits);
  }

  async filterStarted(): Promise<number> {
    for (;;) {
      const path = join(this.workingDir, '.git', 'filter');
      const pid = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
      if (pid !== '') return Number(pid);
      // oxlint-disable-next-line no-await-in-loop -- until it is there
      await pause(10);
    }
  }

  async isGone(pid: number): Promise<boolean> {
    for (let round = 0; round < 500; round += 1) {
      const stat = statOf(pid);
      if (stat === undefined || hasExited(stat)) return true;
      // oxlint-disable-next-line no-await-in-loop -- the dead need a moment to be gone
      await pause(10);
    }
    return false;
  }
}

const NEVER = new AbortController().signal;

const hostOf = (leaving = NEVER): RunHost => ({
  wasLeft: false,
  mostCrashes: 10,
  // As in a repository without a commit.
  commitsSince: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  commitTrailers: {},
  leaving,
  publishWork: async () => undefined,
});

describe('a filter that holds git up', () => {
  it('does not outlive the end of the run, and leaves no lock behind', async () => {
    const tree = new HangingTree();
    const ending = new AbortController();
    const committing = tree.commit({}, ending.signal);
    const pid = await tree.filterStarted();
    ending.abort('operator');
    expect(await committing).toBeUndefined();
    const error = 'git add did not end within 300ms after the run was to end';
    expect(tree.recorded).toEqual([{ type: 'work-committed', iteration: 1, error }]);
    expect(await tree.isGone(pid)).toBe(true);
    expect(existsSync(join(tree.workingDir, '.git', 'index.lock'))).toBe(false);
  });

  it('is ended in a run that nobody ends, too', async () => {
    const tree = new HangingTree();
    await tree.commit({}, NEVER, { limitMs: 1000, lastMs: 300 });
    expect(tree.recorded).toMatchObject([{ error: expect.stringMatching(/^git add .*1s/) }]);
  });

  it('breaks a run whose work is to be pushed', async () => {
    const tree = new HangingTree();
    const committing = tree.commit({ host: hostOf() }, AbortSignal.abort('limit'));
    await expect(committing).rejects.toThrow(/not be committed: git \S+ .*300ms/);
    expect(tree.recorded).toMatchObject([{ type: 'work-committed', error: expect.any(String) }]);
  });

  it('lets a run go on elsewhere when its worker ends', async () => {
    const tree = new HangingTree();
    const parts = { host: hostOf(AbortSignal.abort()) };
    expect(await tree.commit(parts, NEVER)).toMatch(/^git \S+ did not end within 300ms/);
    expect(tree.recorded).toMatchObject([{ type: 'work-committed', error: expect.any(String) }]);
  });

  it('is no excuse for work that cannot be committed for another reason', async () => {
    const tree = new HangingTree();
    writeFileSync(join(tree.workingDir, '.git', 'MERGE_HEAD'), '');
    const parts = { host: hostOf(AbortSignal.abort()) };
    const enough = { limitMs: 60_000, lastMs: 60_000 };
    await expect(tree.commit(parts, NEVER, enough)).rejects.toThrow('a merge is not finished');
  });
});
