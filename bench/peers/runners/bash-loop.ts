import { spawnSync } from 'node:child_process';
import type { Runner } from '../runner.js';

/** The floor: the loop that people type. */
export function bashLoop(): Runner {
  const version = /version (\S+?)\(/.exec(spawnSync('bash', ['--version']).stdout.toString())?.[1];
  const loop = (iterations: number) => `for ((i = 0; i < ${iterations}; i++)); do echo go | claude -p; done`;
  return {
    id: 'bash',
    name: 'a bash loop',
    version,
    prepare: () => {},
    command: (_project, { iterations, timeoutMs }) =>
      timeoutMs === undefined ? ['bash', '-c', loop(iterations)] : { cannot: 'has no timeout' },
    resume: (_project, { iterations }) => ['bash', '-c', loop(iterations)],
    finished: () => undefined,
  };
}
