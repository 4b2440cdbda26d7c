import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command, Runner, RunRequest } from '../runner.js';

/** Pawl's command as it is built, copied away so that a build by somebody else does not take it from under the bench. */
export function copyPawl(folder: string): string {
  const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/build.mjs'), '--cli-if-stale']);
  if (status !== 0) throw new Error(`the command cannot be built: ${stderr.toString()}`);
  cpSync(resolve('dist/bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return join(folder, 'bin', 'pawl.js');
}

/** Pawl with its Claude Code adapter. File tracking is on unless a config says otherwise, so there is a row for each. */
export function pawl(bin: string, { tracksFiles }: { readonly tracksFiles: boolean }): Runner {
  const options = ({ iterations, delay, timeoutMs }: RunRequest) => [
    '--max-iterations',
    String(iterations),
    ...(delay === 'none' ? ['--delay', '0'] : []),
    ...(timeoutMs === undefined ? [] : ['--timeout', `${timeoutMs / 1000}s`]),
  ];
  return {
    id: tracksFiles ? 'pawl' : 'pawl-untracked',
    name: tracksFiles ? 'Pawl' : 'Pawl, tracking off',
    version: (JSON.parse(readFileSync(resolve('package.json'), 'utf8')) as { version: string }).version,
    prepare: (project) => {
      if (!tracksFiles) writeFileSync(join(project, 'pawl.yaml'), 'track_file_changes: false\n');
    },
    command: (_project, request): Command => [
      process.execPath,
      bin,
      'run',
      '-p',
      'go',
      '-a',
      'claude',
      ...options(request),
    ],
    resume: (): Command => [process.execPath, bin, 'resume'],
    finished: countEnded,
  };
}

/** The iterations that the newest run's journal calls ended. */
function countEnded(project: string): number {
  const runs = join(project, '.ralph', 'runs');
  const newest = existsSync(runs) ? readdirSync(runs).sort().at(-1) : undefined;
  if (newest === undefined) return 0;
  const journal = readFileSync(join(runs, newest, 'journal.jsonl'), 'utf8');
  return journal.split('"type":"iteration-ended"').length - 1;
}
