import { join } from 'node:path';
import type { Command, Runner } from '../runner.js';
import { packageVersion } from './task-list.js';

/** Loops on one task. Its `resume` knows only sessions that nothing in the package creates, so a person starts anew. */
export function ralphStarter(folder: string): Runner {
  const cli = join(folder, 'node_modules', 'ralph-starter', 'dist', 'cli.js');
  const options = ['--agent', 'claude-code', '--headless', '--no-auto-skills', '--output-dir', '.'];
  const command = (iterations: number): Command => [
    process.execPath,
    cli,
    'run',
    'do the work',
    ...options,
    '--max-iterations',
    String(iterations),
  ];
  return {
    id: 'ralph-starter',
    name: 'ralph-starter',
    version: packageVersion(folder, 'ralph-starter'),
    prepare: () => {},
    command: (_project, { iterations, timeoutMs }) =>
      timeoutMs === undefined ? command(iterations) : { cannot: 'its timeout is fixed at 5 minutes' },
    resume: (_project, { iterations }) => command(iterations),
    finished: () => undefined,
  };
}
