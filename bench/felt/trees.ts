import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bounded, type Felt, type Figure, medians, Scene } from './shell.js';

const [FEW, MANY] = [1, 5];
const UNCHANGED = 'cat >/dev/null';
const ONE = 'cat >/dev/null; date +%N > changed.ts';
const THOUSAND =
  'cat >/dev/null; stamp=$(date +%N); for part in 0 1 2 3 4 5 6 7 8 9; do for file in $(ls -d package-$part/*/*/* | head -100); do echo "// $stamp" >> $file; done; done';

function makeTree(scene: Scene, files: number): void {
  const line = 'export const value = compute(first, second, third);\n';
  for (let file = 0; file < files; file += 1) {
    const inner = Math.floor(file / 10);
    const path = join(`package-${inner % 40}`, `module-${inner % 400}`, `part-${inner}`);
    if (file % 10 === 0) mkdirSync(join(scene.tree, path), { recursive: true });
    scene.write(join(path, `file-${file}.ts`), `// ${file}\n${line.repeat(5 + (file % 40))}`);
  }
  scene.write('changed.ts', '0\n');
  for (const tracked of [true, false]) {
    for (const count of [FEW, MANY]) {
      scene.write(
        `${tracked}-${count}.yaml`,
        `prompt: go\niteration_delay: 0\ntrack_file_changes: ${tracked}\nstop:\n  failure: []\n  limits:\n    - max_iterations: ${count}\n`,
      );
    }
  }
}

/** What tracking adds to each iteration but the first. */
function added(scene: Scene, script: string): () => number {
  const run = (tracked: boolean, count: number) =>
    scene.pawl(['run', '--quiet', '--config', `${tracked}-${count}.yaml`, '--', 'sh', '-c', script], [3]).ms;
  const per = (tracked: boolean) => (run(tracked, MANY) - run(tracked, FEW)) / (MANY - FEW);
  return () => per(true) - per(false);
}

function inGit(
  files: number,
  rounds: number,
  scripts: readonly (readonly [string, string, number])[],
): readonly Figure[] {
  const scene = new Scene();
  makeTree(scene, files);
  scene.git('init', '-q', '.');
  scene.git('add', '-A');
  scene.git('commit', '-qm', 'start');
  const figures = scripts.map(([what, script, most]) => {
    const took = medians({ status: () => scene.git('status').ms, tracking: added(scene, script) }, rounds);
    return bounded(
      `${what}, against git status (${took.status.toFixed(0)} ms)`,
      took.tracking / took.status,
      most,
      'x',
    );
  });
  scene.remove();
  return figures;
}

export const tracking: Felt = {
  name: 'tracking',
  title: 'What tracking adds to an iteration in a git tree of 50,000 files',
  measure: () =>
    inGit(50_000, 7, [
      ['nothing changed', UNCHANGED, 1.3],
      ['one file changed', ONE, 1.3],
      ['1,000 files changed', THOUSAND, 1.6],
    ]),
};

export const largeTree: Felt = {
  name: 'large-tree',
  title: 'What tracking adds to an iteration in a git tree of 300,000 files',
  measure: () =>
    inGit(300_000, 3, [
      ['nothing changed', UNCHANGED, 1.5],
      ['one file changed', ONE, 1.5],
    ]),
};

const WALK = `
const { lstatSync, readdirSync } = require('node:fs');
const walk = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = folder + '/' + entry.name;
    if (entry.isDirectory()) walk(path);
    else lstatSync(path);
  }
};
const start = process.hrtime.bigint();
walk('.');
console.log(Number(process.hrtime.bigint() - start) / 1e6);`;

export const plainTree: Felt = {
  name: 'plain-tree',
  title: 'What tracking adds to an iteration in a folder of 50,000 files without git',
  measure() {
    const scene = new Scene();
    makeTree(scene, 50_000);
    const walk = () => Number(scene.run(process.execPath, ['-e', WALK]).stdout);
    const figures = (
      [
        ['nothing changed', UNCHANGED],
        ['one file changed', ONE],
      ] as const
    ).map(([what, script]) => {
      const took = medians({ walk, tracking: added(scene, script) }, 7);
      return bounded(
        `${what}, against a walk with lstat (${took.walk.toFixed(0)} ms)`,
        took.tracking / took.walk,
        1.5,
        'x',
      );
    });
    scene.remove();
    return figures;
  },
};
