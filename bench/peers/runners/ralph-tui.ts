import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Runner, RunRequest } from '../runner.js';
import { packageVersion, tasks } from './task-list.js';

/** `[[agents]]` in its config is the one place for a timeout. */
function config(timeoutMs: number): string {
  const lines = ['defaultAgent = "claude"', 'defaultTracker = "json"', '[[agents]]', 'name = "claude"'];
  return [...lines, 'plugin = "claude"', 'default = true', `timeout = ${timeoutMs}`, ''].join('\n');
}

/** Runs on bun, without its screen. It works through the stories of a PRD. */
export function ralphTui(folder: string): Runner {
  const modules = join(folder, 'node_modules');
  const bun = join(modules, '@oven', `bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, 'bin', 'bun');
  const cli = join(modules, 'ralph-tui', 'dist', 'cli.js');
  const quiet = ['--headless', '--no-setup', '--no-notify'];
  const pauseOf = ({ delay }: RunRequest) => (delay === 'none' ? ['--delay', '0'] : []);
  return {
    id: 'ralph-tui',
    name: 'ralph-tui',
    version: packageVersion(folder, 'ralph-tui'),
    prepare: (project, { timeoutMs }) => {
      const userStories = tasks((number) => ({
        id: `US-${number}`,
        title: `task ${number}`,
        description: 'do it',
        acceptanceCriteria: ['done'],
        priority: number,
        passes: false,
      }));
      const prd = { name: 'bench', description: 'bench', branchName: 'main', userStories };
      writeFileSync(join(project, 'prd.json'), JSON.stringify(prd, undefined, 2));
      if (timeoutMs === undefined) return;
      mkdirSync(join(project, '.ralph-tui'), { recursive: true });
      writeFileSync(join(project, '.ralph-tui', 'config.toml'), config(timeoutMs));
    },
    command: (_project, request): Command => [
      bun,
      cli,
      'run',
      '--prd',
      'prd.json',
      '--agent',
      'claude',
      '--iterations',
      String(request.iterations),
      ...pauseOf(request),
      ...quiet,
    ],
    resume: (): Command => [bun, cli, 'resume', '--headless'],
    finished: countedIterations,
  };
}

function countedIterations(project: string): number | undefined {
  const path = join(project, '.ralph-tui', 'session.json');
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, 'utf8')) as { currentIteration?: number }).currentIteration;
}
