import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sealLine } from '../../src/journal/record-scanner.js';
import { type Felt, type Figure, Scene } from './shell.js';

const BYTES = 500_000_000;
const SAID_EACH = 20;
const TEXT = 'Now the parser reads the third kind of line as well, and its tests say so. '.repeat(26);

interface Line {
  readonly type: string;
  readonly iteration?: number;
}

/**
 * A run of many iterations that ended without a word, of 500 MB: the first iteration of a real one, repeated. Its goal is met
 * when it is resumed.
 */
export function longRecord(scene: Scene): { readonly id: string; readonly iterations: number } {
  scene.write(
    'pawl.yaml',
    'prompt: go\niteration_delay: 0\nstop:\n  success:\n    - file_created: DONE.md\n  failure: []\n  limits:\n    - max_iterations: 1000000\n',
  );
  scene.pawl([
    'run',
    '--quiet',
    '--',
    'sh',
    '-c',
    'cat >/dev/null; if [ -e once ]; then touch DONE.md; fi; touch once',
  ]);
  const runs = scene.records;
  const [id = ''] = readdirSync(runs);
  const path = join(runs, id, 'journal.jsonl');
  const events = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { sum: _, ...event } = JSON.parse(line) as Line & { readonly sum: string };
      return event;
    });
  const from = events.findIndex(({ type }) => type === 'iteration-started');
  const until = events.findIndex(({ type }, at) => at > from && type === 'iteration-started');
  const block = events.slice(from, until);
  rmSync(join(runs, id, 'state.json'));
  rmSync(path);
  const said = block.findIndex(({ type }) => type === 'iteration-ended');
  const talk = Array.from({ length: SAID_EACH }, () => ({ v: 1, type: 'agent-said', text: TEXT }));
  const iteration = [...block.slice(0, said), ...talk, ...block.slice(said)];
  let seq = 0;
  let activeMs = 0;
  const stamped = (event: object, number: number) => {
    activeMs += 100;
    const whole = { ...event, seq: (seq += 1), at: new Date(1_760_000_000_000 + activeMs).toISOString(), activeMs };
    return sealLine(JSON.stringify('iteration' in event ? { ...whole, iteration: number } : whole));
  };
  appendFileSync(path, Buffer.concat(events.slice(0, from).map((event) => stamped(event, 0))));
  let number = 0;
  while (statSync(path).size < BYTES) {
    const lines: Buffer[] = [];
    for (let more = 0; more < 200; more += 1) {
      number += 1;
      for (const event of iteration) lines.push(stamped(event, number));
    }
    appendFileSync(path, Buffer.concat(lines));
  }
  return { id, iterations: number };
}

const MOST_MB = 300;

export const longRecordFelt: Felt = {
  name: 'long-record',
  title: 'A run with a journal of 500 MB: memory',
  async measure() {
    const scene = new Scene();
    const { id, iterations } = longRecord(scene);
    const figures: Figure[] = [{ what: 'iterations', figure: String(iterations) }];
    for (const args of [
      ['show', id],
      ['explain', id],
      ['resume', id, '--quiet'],
      ['show', id],
      ['explain', id],
    ]) {
      const { peakMb, ms } = await scene.peakMb(args); // oxlint-disable-line no-await-in-loop -- one at a time
      const what = `pawl ${args[0]}${args[0] === 'resume' ? '' : figures.length > 3 ? ', after that' : ''} (${(ms / 1000).toFixed(1)} s)`;
      figures.push({ what, figure: `${peakMb.toFixed(0)} MB`, bound: `<= ${MOST_MB} MB`, holds: peakMb <= MOST_MB });
    }
    scene.remove();
    return figures;
  },
};
