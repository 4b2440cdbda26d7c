import { bounded, type Felt, medians, Scene } from './shell.js';

const [FEW, MANY] = [10, 60];
const UNCHANGED = 'cat >/dev/null';
const CHANGED = 'cat >/dev/null; date +%N > changed.txt';

/** A loop without anything: a process, its pipes, and the next one. */
const BARE = `
const { spawn } = require('node:child_process');
const [count, script] = process.argv.slice(1);
(async () => {
  for (let at = 0; at < Number(count); at += 1) {
    await new Promise((done) => {
      const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'pipe'] });
      child.stdin.end('go');
      child.stdout.resume();
      child.stderr.resume();
      child.once('close', done);
    });
  }
})();`;

function config(iterations: number): string {
  return `prompt: go\niteration_delay: 0\nstop:\n  failure: []\n  limits:\n    - max_iterations: ${iterations}\n`;
}

export const iteration: Felt = {
  name: 'iteration',
  title: 'An iteration with tracking in a git tree of 50 files, over a bare Node loop',
  measure() {
    const scene = new Scene();
    scene.git('init', '-q', '.');
    for (let file = 0; file < 50; file += 1) scene.write(`file-${file}.txt`, `line ${file}\n`.repeat(20));
    scene.write('changed.txt', '0\n');
    for (const count of [FEW, MANY]) scene.write(`${count}.yaml`, config(count));
    scene.git('add', '-A');
    scene.git('commit', '-qm', 'start');
    const per = (run: (count: number) => number) => () => (run(MANY) - run(FEW)) / (MANY - FEW);
    const pawl = (script: string) => (count: number) =>
      scene.pawl(['run', '--quiet', '--config', `${count}.yaml`, '--', 'sh', '-c', script], [3]).ms;
    const bare = (script: string) => (count: number) =>
      scene.run(process.execPath, ['-e', BARE, String(count), script]).ms;
    const took = medians(
      {
        bareUnchanged: per(bare(UNCHANGED)),
        bareChanged: per(bare(CHANGED)),
        unchanged: per(pawl(UNCHANGED)),
        changed: per(pawl(CHANGED)),
      },
      7,
    );
    scene.remove();
    return [
      { what: 'a bare Node loop', figure: `${took.bareUnchanged.toFixed(1)} ms` },
      bounded('added when nothing changed', took.unchanged - took.bareUnchanged, 15, 'ms'),
      bounded('added when a file changed', took.changed - took.bareChanged, 25, 'ms'),
    ];
  },
};
