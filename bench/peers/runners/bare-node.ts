import { resolve } from 'node:path';
import type { Command, Runner } from '../runner.js';

/** The floor for a runner on Node: spawn, pipes, and nothing kept. */
export function bareNode(): Runner {
  const command = (iterations: number): Command => [
    process.execPath,
    resolve('bench/peers/runners/bare-node-loop.mjs'),
    String(iterations),
  ];
  return {
    id: 'bare-node',
    name: 'a bare Node loop',
    version: process.versions.node,
    prepare: () => {},
    command: (_project, { iterations, timeoutMs }) =>
      timeoutMs === undefined ? command(iterations) : { cannot: 'has no timeout' },
    resume: (_project, { iterations }) => command(iterations),
    finished: () => undefined,
  };
}
