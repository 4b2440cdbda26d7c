import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, milliseconds } from '../../measure.js';
import type { Effort } from '../effort.js';
import type { Runner } from '../runner.js';
import { derived, interleaved } from '../samples.js';
import type { Table } from '../table.js';
import { periodMs } from './period.js';

/** A runner that watches for progress gives up after five iterations without any. */
const REQUEST = { iterations: 5, delay: 'none' } as const;
const LOOK = { kind: 'look' } as const;
const WORK = { kind: 'work' } as const;

/** Folders of ten files, three deep, as in a large repository. */
class LargeTree {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-peers-tree-')));
  readonly top = join(this.folder, 'tree');

  constructor(files: number) {
    const line = 'export const value = compute(first, second, third);\n';
    for (let file = 0; file < files; file++) {
      const inner = Math.floor(file / 10);
      const path = join(this.top, `package-${inner % 40}`, `module-${inner % 400}`, `part-${inner}`);
      if (file % 10 === 0) mkdirSync(path, { recursive: true });
      writeFileSync(join(path, `file-${file}.ts`), `// ${file}\n${line.repeat(5 + (file % 40))}`);
    }
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A');
    this.git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all');
  }

  git(...words: readonly string[]): void {
    const env = { PATH: process.env['PATH'], HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1' };
    const { status } = spawnSync('git', words, { cwd: this.top, env, stdio: 'ignore' });
    if (status !== 0) throw new Error(`git ${words.join(' ')} does not work here`);
  }

  /** As it was before a runner worked in it. */
  clean(): void {
    this.git('clean', '-ffdxq');
    this.git('checkout', '-q', '--', '.');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What knowing whether an iteration changed anything costs on a large tree. */
export async function measureTracking(runners: readonly Runner[], effort: Effort): Promise<Table> {
  const tree = new LargeTree(effort.treeFiles);
  const statuses: number[] = [];
  const inTree = async (runner: Runner, deed: typeof LOOK | typeof WORK) => {
    tree.clean();
    statuses.push(await milliseconds(() => tree.git('status')));
    return periodMs(runner, REQUEST, deed, { project: tree.top });
  };
  try {
    const small = await interleaved(runners, effort.treeRounds, (runner) => periodMs(runner, REQUEST, LOOK));
    const nothing = await interleaved(runners, effort.treeRounds, (runner) => inTree(runner, LOOK));
    const one = await interleaved(runners, effort.treeRounds, (runner) => inTree(runner, WORK));
    return tableOf(runners, effort, { small, nothing, one, statusMs: median(statuses) });
  } finally {
    tree.remove();
  }
}

interface Figures {
  readonly small: Awaited<ReturnType<typeof interleaved>>;
  readonly nothing: Awaited<ReturnType<typeof interleaved>>;
  readonly one: Awaited<ReturnType<typeof interleaved>>;
  readonly statusMs: number;
}

function tableOf(runners: readonly Runner[], effort: Effort, { small, nothing, one, statusMs }: Figures): Table {
  const files = effort.treeFiles.toLocaleString('en-US');
  const added = (value = 0, floor = 0) => value - floor;
  return {
    id: 'tracking',
    title: `The cost of ${files} files`,
    about:
      `The same loop in a git tree of ${files} files, against a tree of one file: what a runner adds per iteration to know ` +
      `whether something changed. \`git status\` takes ${statusMs.toFixed(0)} ms on that tree. About 0 means that the runner does not look.`,
    columns: [
      { id: 'smallMs', title: 'one file', unit: 'ms' },
      { id: 'nothingMs', title: 'nothing changed, added', unit: 'ms' },
      { id: 'nothingRatio', title: 'x `git status`', unit: 'ratio' },
      { id: 'oneMs', title: 'one file changed, added', unit: 'ms' },
      { id: 'oneRatio', title: 'x `git status`', unit: 'ratio' },
    ],
    rows: runners.map(({ id }) => ({
      runner: id,
      cells: {
        smallMs: small.get(id),
        nothingMs: derived(added, nothing.get(id), small.get(id)) ?? nothing.get(id),
        nothingRatio: derived((value, floor) => added(value, floor) / statusMs, nothing.get(id), small.get(id)),
        oneMs: derived(added, one.get(id), small.get(id)) ?? one.get(id),
        oneRatio: derived((value, floor) => added(value, floor) / statusMs, one.get(id), small.get(id)),
      },
    })),
  };
}
