import { bounded, type Felt, type Figure, Scene } from './shell.js';

const MB = 1_000_000;
const lines = (bytes: number) =>
  `cat >/dev/null; yes 'a line of output as agents print them, neither short nor long' | head -c ${bytes}`;

export const output: Felt = {
  name: 'output',
  title: 'Memory and speed while the agent prints (10 GB with --full)',
  async measure({ isFull }) {
    const scene = new Scene();
    scene.write('pawl.yaml', 'prompt: go\nstop:\n  limits:\n    - max_iterations: 1\n');
    const run = (script: string) => scene.peakMb(['run', '--quiet', '--', 'sh', '-c', script], [3]);
    const idle = await run('cat >/dev/null; sleep 1');
    const figures: Figure[] = [{ what: 'memory while it prints nothing', figure: `${idle.peakMb.toFixed(0)} MB` }];
    const empty = await run('cat >/dev/null');
    for (const [what, bytes] of [
      ['10 MB', 10 * MB],
      ['1 GB', 1000 * MB],
      ...(isFull ? [['10 GB', 10_000 * MB] as const] : []),
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time
      const { peakMb, ms } = await run(lines(bytes));
      const speed = bytes / MB / ((ms - empty.ms) / 1000);
      figures.push(bounded(`${what}: memory against printing nothing`, peakMb / idle.peakMb, 1.5, 'x'), {
        what: `${what}: speed`,
        figure: `${speed.toFixed(0)} MB/s`,
        bound: '>= 100 MB/s',
        holds: speed >= 100,
      });
    }
    scene.remove();
    return figures;
  },
};
