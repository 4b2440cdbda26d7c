import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Runner } from '../runner.js';
import { occurrences, packageVersion, tasks } from './task-list.js';

/** A bun executable. It works through the check boxes of a PRD and pauses only before a retry. */
export function ralphy(folder: string): Runner {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  const binary = join(folder, 'node_modules', 'ralphy-cli', 'dist', `ralphy-linux-${arch}`);
  const command = (iterations: number): Command => [
    binary,
    '--fast',
    '--no-commit',
    '--no-browser',
    '--max-iterations',
    String(iterations),
  ];
  return {
    id: 'ralphy',
    name: 'ralphy-cli',
    version: packageVersion(folder, 'ralphy-cli'),
    prepare: (project) => {
      writeFileSync(join(project, 'PRD.md'), tasks((number) => `- [ ] task ${number}\n`).join(''));
    },
    command: (_project, { iterations, timeoutMs }) =>
      timeoutMs === undefined ? command(iterations) : { cannot: 'has no timeout' },
    resume: (_project, { iterations }) => command(iterations),
    finished: (project) => occurrences(project, 'PRD.md', /^- \[x\]/gm),
  };
}
