import { execFileSync } from 'node:child_process';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { median } from '../measure.js';
import { bounded, type Felt, Scene } from './shell.js';

const config = (iterations: number) =>
  `prompt: go\niteration_delay: 0\nstop:\n  failure: []\n  limits:\n    - max_iterations: ${iterations}\n`;

/** The times from the start of an iteration to the start of the next one, as the record has them. */
async function stepsMs(scene: Scene): Promise<readonly number[]> {
  const runs = scene.records;
  const [run = ''] = readdirSync(runs);
  const starts: number[] = [];
  for await (const line of createInterface({ input: createReadStream(join(runs, run, 'journal.jsonl')) })) {
    if (!line.includes('"type":"iteration-started"')) continue;
    starts.push(Date.parse(/"at":"([^"]+)"/.exec(line)?.[1] ?? ''));
  }
  return starts.slice(1).map((at, index) => at - (starts[index] ?? at));
}

export const longRun: Felt = {
  name: 'long-run',
  title: '10,000 iterations, tracking on, a file changed in each',
  async measure() {
    const scene = new Scene();
    scene.git('init', '-q', '.');
    for (let file = 0; file < 50; file += 1) scene.write(`file-${file}.txt`, `line ${file}\n`.repeat(20));
    scene.write('pawl.yaml', config(10_000));
    scene.git('add', '-A');
    scene.git('commit', '-qm', 'start');
    scene.pawl(['run', '--quiet', '--', 'sh', '-c', 'cat >/dev/null; date +%N > changed.txt'], [3]);
    const steps = await stepsMs(scene);
    const mean = (from: number, to: number) => steps.slice(from, to).reduce((sum, ms) => sum + ms, 0) / (to - from);
    scene.remove();
    return [
      { what: 'iterations 10 to 210', figure: `${mean(10, 210).toFixed(1)} ms` },
      bounded('iterations 9,799 to 9,999 against them', mean(9799, 9999) / mean(10, 210), 1.1, 'x'),
    ];
  },
};

export const store: Felt = {
  name: 'store',
  title: 'The snapshot store after 1,000 iterations that change ten files of 200',
  async measure() {
    const scene = new Scene();
    scene.git('init', '-q', '.');
    for (let file = 0; file < 200; file += 1) scene.write(`file-${file}.txt`, `line ${file}\n`.repeat(400));
    scene.write('pawl.yaml', config(1000));
    scene.git('add', '-A');
    scene.git('commit', '-qm', 'start');
    const script =
      'cat >/dev/null; n=$(date +%N); for i in 0 1 2 3 4 5 6 7 8 9; do f=file-$(( (n + i * 19) % 200 )).txt; sed -i "$(( n % 400 + 1 ))s/.*/line $n/" $f; done';
    scene.pawl(['run', '--quiet', '--', 'sh', '-c', script], [3]);
    const steps = await stepsMs(scene);
    const found = execFileSync(
      'find',
      [scene.base, '-type', 'd', '-name', 'objects', '-not', '-path', '*/tree/.git/objects'],
      {
        encoding: 'utf8',
      },
    );
    const stores = found
      .trim()
      .split('\n')
      .filter((path) => path !== '');
    const kb = (path: string) => Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]);
    const sizes = stores.map((path) => {
      const before = kb(path);
      scene.run('git', ['--git-dir', join(path, '..'), '-c', 'gc.reflogExpire=never', 'gc', '-q', '--prune=now']);
      return { before, after: kb(path) };
    });
    scene.remove();
    const before = sizes.reduce((sum, one) => sum + one.before, 0);
    const after = sizes.reduce((sum, one) => sum + one.after, 0);
    const longest = Math.max(...steps.slice(10)) - median(steps.slice(10));
    return [
      bounded(`size (${(before / 1024).toFixed(1)} MB) against what git gc leaves`, before / after, 2, 'x'),
      bounded('the slowest iteration over the median', longest, 100, 'ms'),
    ];
  },
};
