import { pathToFileURL } from 'node:url';
import { bounded, type Felt, LIBRARY, medians, PAWL, Scene } from './shell.js';

/** The time that a command needs before anything happens, over `node -e 0`. */
export const start: Felt = {
  name: 'start',
  title: 'Start, over node -e 0',
  measure() {
    const scene = new Scene();
    scene.git('init', '-q', '.');
    scene.write('pawl.yaml', 'prompt: go\nstop:\n  limits:\n    - max_iterations: 1\n');
    scene.git('add', '-A');
    scene.git('commit', '-qm', 'start');
    const node = (...args: readonly string[]) => scene.run(process.execPath, args).ms;
    const stamped = () => {
      const before = Date.now();
      scene.pawl(['run', '--quiet', '--', 'sh', '-c', 'cat >/dev/null; date +%s%N >../stamp'], [0, 3]);
      return Number(scene.run('cat', ['../stamp']).stdout) / 1e6 - before;
    };
    stamped();
    const took = medians(
      {
        node: () => node('-e', '0'),
        module: () => node('--input-type=module', '-e', '0'),
        version: () => node(PAWL, '--version'),
        help: () => node(PAWL, '--help'),
        library: () => node('--input-type=module', '-e', `import ${JSON.stringify(pathToFileURL(LIBRARY).href)}`),
        agent: stamped,
      },
      15,
    );
    scene.remove();
    return [
      { what: 'node -e 0', figure: `${took.node.toFixed(0)} ms` },
      bounded('pawl --version', took.version - took.node, 25, 'ms'),
      bounded('pawl --help', took.help - took.node, 40, 'ms'),
      bounded("import 'pawl'", took.library - took.node, 120, 'ms'),
      bounded('pawl run to the first instruction of its agent, tracking on', took.agent - took.node, 180, 'ms'),
    ];
  },
};
