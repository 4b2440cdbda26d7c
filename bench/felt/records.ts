import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealLine } from '../../src/journal/record-scanner.js';
import { bounded, type Felt, medians, Scene } from './shell.js';

const RUNS = 10_000;
const DAMAGED_EVERY = 100;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A run of three iterations, copied under other ids; one in a hundred has lost a part of its files. */
export function manyRuns(scene: Scene, count = RUNS): readonly string[] {
  scene.write(
    'pawl.yaml',
    'prompt: go\niteration_delay: 0\nstop:\n  failure: []\n  limits:\n    - max_iterations: 3\n',
  );
  scene.pawl(['run', '--quiet', '--', 'sh', '-c', 'cat >/dev/null; echo done'], [3]);
  const { records } = scene;
  const [first = ''] = readdirSync(records);
  const original = join(records, first);
  const state = join(records, '..');
  const indexes = readdirSync(join(state, 'index')).map((key) => join(state, 'index', key));
  const files = readdirSync(original).filter((name) => name.endsWith('.json') || name.endsWith('.jsonl'));
  const ids = Array.from({ length: count - 1 }, (_, at) => idAt(first, at));
  for (const [at, id] of ids.entries()) {
    const folder = join(records, id);
    const links = join(scene.tree, '.ralph', 'runs', id);
    for (const each of [folder, links]) mkdirSync(each);
    for (const index of indexes) cpSync(join(index, first), join(index, id));
    for (const name of files) {
      symlinkSync(join(folder, name), join(links, name));
      const lines = readFileSync(join(original, name), 'utf8').trimEnd().split('\n');
      writeFileSync(join(folder, name), Buffer.concat(lines.map((line) => resealed(line.replaceAll(first, id)))));
    }
    if (at % DAMAGED_EVERY === 0) truncateSync(join(folder, 'state.json'), 100);
  }
  return [first, ...ids];
}

/** A changed line with a checksum that fits. */
function resealed(line: string): Buffer {
  return sealLine(line.replace(/,"sum":"[0-9a-f]{8}"\}$/, '}'));
}

/** Ids that come before the first, in order. */
function idAt(first: string, at: number): string {
  const digits = [1, 32, 1024, 32_768].map((place) => DIGITS[Math.floor(at / place) % 32]).toReversed();
  return `${first.slice(0, 5)}01M0${digits.join('')}${first.slice(13)}`;
}

export const records: Felt = {
  name: 'records',
  title: `${RUNS.toLocaleString('en')} runs of one folder, one in ${DAMAGED_EVERY} damaged`,
  measure() {
    const scene = new Scene();
    const ids = manyRuns(scene);
    const one = ids[ids.length >> 1] ?? '';
    const took = medians(
      {
        list: () => scene.pawl(['list', '--all', '--json']).cpuMs,
        status: () => scene.pawl(['status', one]).cpuMs,
        show: () => scene.pawl(['show', one]).cpuMs,
      },
      5,
    );
    scene.remove();
    return [
      bounded('pawl list, CPU', took.list / 1000, 3, 's'),
      bounded('pawl status of one of them, CPU', took.status / 1000, 0.5, 's'),
      bounded('pawl show of one of them, CPU', took.show / 1000, 0.5, 's'),
    ];
  },
};
