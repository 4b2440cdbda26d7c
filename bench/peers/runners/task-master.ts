import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Runner } from '../runner.js';
import { packageVersion, tasks } from './task-list.js';

/** `task-master loop`: the agent itself is to choose and close the tasks, the loop only counts. */
export function taskMaster(folder: string): Runner {
  const cli = join(folder, 'node_modules', 'task-master-ai', 'dist', 'task-master.js');
  const command = (iterations: number): Command => [process.execPath, cli, 'loop', '-n', String(iterations)];
  return {
    id: 'task-master',
    name: 'task-master loop',
    version: packageVersion(folder, 'task-master-ai'),
    prepare: (project) => {
      const list = tasks((id) => ({
        id,
        title: `task ${id}`,
        description: 'do it',
        status: 'pending',
        priority: 'high',
        dependencies: [],
        details: '',
        testStrategy: '',
        subtasks: [],
      }));
      const metadata = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z', description: 'bench' };
      mkdirSync(join(project, '.taskmaster', 'tasks'), { recursive: true });
      writeFileSync(
        join(project, '.taskmaster', 'tasks', 'tasks.json'),
        JSON.stringify({ master: { tasks: list, metadata } }),
      );
    },
    command: (_project, { iterations, delay, timeoutMs }) => {
      if (timeoutMs !== undefined) return { cannot: 'has no timeout' };
      return delay === 'none' ? { cannot: 'its pause of 5 s is fixed' } : command(iterations);
    },
    resume: (_project, { iterations }) => command(iterations),
    finished: () => undefined,
  };
}
