import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Runner } from '../runner.js';
import { packageVersion, tasks } from './task-list.js';

/** A runner in bash that works through the stories of a PRD. */
export function agenticLoop(folder: string): Runner {
  const cli = join(folder, 'node_modules', 'agentic-loop', 'bin', 'ralph.sh');
  const command = (iterations: number): Command => ['bash', cli, 'run', '--max', String(iterations), '--fast'];
  return {
    id: 'agentic-loop',
    name: 'agentic-loop',
    version: packageVersion(folder, 'agentic-loop'),
    knownCause: 'on bash 5 its first `((iteration++))` ends the script under its `set -e`',
    prepare: (project, { timeoutMs }) => {
      const stories = tasks((number) => ({
        id: `TASK-${number}`,
        title: 'task',
        description: 'do it',
        type: 'general',
        priority: number,
        passes: false,
        files: { create: [], modify: [] },
        acceptanceCriteria: ['done'],
        testSteps: ['bash -c true'],
      }));
      const checks = { lint: false, requireTests: false, test: false };
      const limit = timeoutMs === undefined ? {} : { maxSessionSeconds: timeoutMs / 1000 };
      mkdirSync(join(project, '.ralph'), { recursive: true });
      writeFileSync(join(project, 'PROMPT.md'), 'go\n');
      writeFileSync(
        join(project, '.ralph', 'config.json'),
        JSON.stringify({ projectType: 'minimal', checks, tests: {}, ...limit }),
      );
      const feature = { name: 'bench', branch: 'main', status: 'pending' };
      writeFileSync(join(project, '.ralph', 'prd.json'), JSON.stringify({ feature, stories }));
    },
    command: (_project, { iterations }) => command(iterations),
    resume: (_project, { iterations }) => command(iterations),
    finished: () => undefined,
  };
}
