import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ScratchTree } from '../../../test/support/scratch-tree.js';

const ROUNDS = process.env['PAWL_TEST_FULL'] === '1' ? 400 : 40;
const LARGE_BYTES = 3000;
const RULES = ['', '*.log\n', 'ignored/\n', '*.log\nignored/\n'];

const tree = new ScratchTree({ limits: { fileBytes: LARGE_BYTES } });
afterAll(() => tree.remove());

/** Small and seeded, so that a failure can be seen again. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const seed = Number(process.env['PAWL_TEST_SEED'] ?? 20_261);
const random = randomNumbers(seed);
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;

const FOLDERS = ['', 'src/', 'src/deep/', 'ignored/', 'nest/', 'nest/in/', 'x/'];
const NAMES = ['a', 'b.ts', 'c.log', 'd d', 'e\nf', '-g', 'x', 'ü'];
const anyPath = () => `${pick(FOLDERS)}${pick(NAMES)}`;
const anyText = () => `${random(4)}\n`.repeat(random(5) + (random(20) === 0 ? 2000 : 0));

const EDITS: readonly (() => void)[] = [
  () => tree.write(anyPath(), anyText()),
  () => tree.write(anyPath(), anyText()),
  () => tree.write(anyPath(), anyText()),
  () => rmSync(tree.at(anyPath()), { recursive: true }),
  () => rmSync(tree.at(pick(FOLDERS.slice(1))), { recursive: true }),
  () => renameSync(tree.at(anyPath()), tree.at(anyPath())),
  () => renameSync(tree.at('src'), tree.at('x')),
  () => chmodSync(tree.at(anyPath()), pick([0o644, 0o755])),
  () => utimesSync(tree.at(anyPath()), 1e9 + random(9), 1e9),
  () => symlinkSync(pick(['a', 'src', '/proc/nowhere']), tree.at(anyPath())),
  () => tree.write('.gitignore', pick(RULES)),
  () => {
    mkdirSync(tree.at('nest/in'), { recursive: true });
    tree.gitIn(tree.at(pick(['nest', 'nest/in'])), 'init', '-q');
  },
  () => void tree.git('add', '-A', '--ignore-errors'),
  () => tree.commitAll(),
  () => void tree.git('reset', '-q', '--hard'),
];

/** Most of them do not fit what is there, which is as it should be. */
function editSomething(): void {
  try {
    pick(EDITS)();
  } catch {
    // The next one may.
  }
}

/** Every file that belongs into a snapshot with what it is, found without git's help but for what the user tracks. */
function walk(): ReadonlyMap<string, string> {
  const tracked = new Set(tree.git('ls-files', '-z').split('\0'));
  const rules = contentOf('.gitignore');
  const isIgnored = (path: string) =>
    (rules.includes('*.log') && path.split('/').some((name) => name.endsWith('.log'))) ||
    (rules.includes('ignored/') && path.startsWith('ignored/'));
  const found = new Map<string, string>();
  const visit = (folder: string) => {
    for (const name of readdirSync(join(tree.top, folder)).filter((name) => name !== '.git')) {
      const path = `${folder}${name}`;
      if (lstatSync(tree.at(path)).isDirectory()) visit(`${path}/`);
      else if (!isIgnored(path) || tracked.has(path)) found.set(path, describeFile(path));
    }
  };
  visit('');
  return found;
}

function contentOf(path: string): string {
  try {
    return readFileSync(tree.at(path), 'utf8');
  } catch {
    return '';
  }
}

function describeFile(path: string): string {
  const stat = lstatSync(tree.at(path), { bigint: true });
  if (stat.isSymbolicLink()) return `link ${readlinkSync(tree.at(path))}`;
  const isExecutable = (stat.mode & 0o100n) !== 0n;
  const content = stat.size > LARGE_BYTES ? `${stat.size} ${stat.mtimeNs} ${stat.ino}` : contentOf(path);
  return `file ${isExecutable} ${content}`;
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  return {
    created: [...after.keys()].filter((path) => !before.has(path)).sort(),
    modified: [...after.keys()].filter((path) => before.has(path) && before.get(path) !== after.get(path)).sort(),
    deleted: [...before.keys()].filter((path) => !after.has(path)).sort(),
  };
}

describe(`${ROUNDS} rounds of chance (seed ${seed})`, () => {
  it('the snapshots say the same as reading every file', { timeout: ROUNDS * 3000 }, async () => {
    let before = walk();
    let treeBefore = await tree.tree();
    const treeOf = new Map<string, string>();
    for (let round = 1; round <= ROUNDS; round++) {
      for (let edits = random(6); edits > 0; edits--) editSomething();
      const after = walk();
      // oxlint-disable no-await-in-loop -- one after the other is the point
      const treeAfter = await tree.tree();
      const changes = await tree.tracker.changes(treeBefore, treeAfter);
      if ('error' in changes) throw new Error(changes.error);
      const seen = {
        created: [...changes.created].sort(),
        modified: [...changes.modified].sort(),
        deleted: [...changes.deleted].sort(),
      };
      expect(seen, `round ${round}`).toEqual(difference(before, after));
      const key = JSON.stringify([...after].map(([path, what]) => `${path} ${what}`).sort());
      expect(treeOf.get(key) ?? treeAfter, `round ${round}`).toBe(treeAfter);
      treeOf.set(key, treeAfter);
      [before, treeBefore] = [after, treeAfter];
    }
    expect(new Set(treeOf.values()).size).toBe(treeOf.size);
  });
});
