import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { LoadedConfig } from '../config/load-config.js';
import { JOURNAL_NAME, projectRuns, type Environment, stateHome } from '../journal/run-places.js';
import { ConfigError } from '../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import type { RunSpec } from '../model/run-spec.js';
import {
  type MadeWorktree,
  madeWorktree,
  makeWorktree,
  planWorktree,
  type WorktreePlan,
} from '../workspace/worktree.js';
import { plural, quote } from '../model/figures.js';
import { printable, shellWord } from '../words/printable.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { promptFileKind } from './prompt-file.js';
import type { NoteTaker } from './surroundings.js';

/** A run that is to have a worktree of its own. */
export interface WorktreeRun {
  /** As it will be. */
  readonly spec: RunSpec;
  /** Makes the worktree and has the run begin there. One that does not begin leaves nothing behind. */
  enter(terminal: NoteTaker, begin: (spec: RunSpec) => Promise<ExitCode>): Promise<ExitCode>;
}

export interface WorktreeRequest {
  readonly runId: string;
  readonly name: string;
  /** Another process has made it and left the run to this one. */
  readonly isMade: boolean;
}

/** Throws ConfigError when the worktree cannot be made. */
export async function planWorktreeRun(
  config: LoadedConfig,
  wish: WorktreeRequest,
  environment: Environment,
): Promise<WorktreeRun> {
  const { name, isMade, runId } = wish;
  const home = join(stateHome(environment), 'pawl', 'worktrees');
  const { workingDir } = config.spec;
  const plan = await planWorktree({ workingDir, name, home, environment, isMade });
  if ('error' in plan) throw refused(plan.error);
  return {
    spec: specIn(plan.path, plan, config),
    async enter(terminal, begin) {
      const made = isMade ? madeWorktree(plan) : await make(plan, environment);
      if (made === undefined) return EXIT_CODES.operator;
      if (!isMade) for (const note of notesOn(plan, made.path)) terminal.note(printable(note));
      const spec = specIn(made.path, plan, config);
      const journal = join(projectRuns(spec.workingDir), runId, JOURNAL_NAME);
      try {
        return await begin(spec);
      } finally {
        if (!existsSync(journal)) await made.discard();
      }
    },
  };
}

/** `--worktree task.md` names the worktree, and the prompt would be another one, or none. */
export function checkNotPromptFile(worktree: string | true | undefined, cwd: string): void {
  if (typeof worktree !== 'string' || promptFileKind(resolve(cwd, worktree)) !== 'file') return;
  const meant = `pawl run ${shellWord(worktree)} --worktree`;
  throw refused(
    `${quote(worktree)} was taken as the NAME of the worktree, and it is a file; for a prompt write: ${meant}`,
  );
}

/** Undefined when a signal put an end to it. */
async function make(plan: WorktreePlan, environment: Environment): Promise<MadeWorktree | undefined> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, onSignal);
  try {
    const made = await makeWorktree(plan, environment, stop.signal);
    if ('error' in made && !stop.signal.aborted) throw refused(systemErrorWords(made.error));
    if ('error' in made) return undefined;
    if (stop.signal.aborted) await made.discard();
    return stop.signal.aborted ? undefined : made;
  } finally {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, onSignal);
  }
}

/** The same run in the worktree. Its prompt stays where the user has it. */
function specIn(path: string, plan: WorktreePlan, { spec, origins }: LoadedConfig): RunSpec {
  const { branch, repository, prefix } = plan;
  const workingDir = resolve(path, prefix);
  const stateDir = relative(spec.workingDir, spec.session.stateDir);
  return {
    ...spec,
    workingDir,
    worktree: { path, branch, repository },
    // Work that no one commits would be stranded there.
    commit: origins['commit']?.source === 'default' ? 'iteration' : spec.commit,
    session: stateDir.startsWith('..') ? spec.session : { ...spec.session, stateDir: resolve(workingDir, stateDir) },
  };
}

function notesOn({ branch, uncommitted = 0 }: WorktreePlan, path: string): readonly string[] {
  const verb = uncommitted === 1 ? 'is' : 'are';
  return [
    `works in the worktree ${path}, on the branch ${branch}`,
    ...(uncommitted === 0
      ? []
      : [`${plural(uncommitted, 'uncommitted change')} of this tree ${verb} not in the worktree`]),
  ];
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', place: '--worktree', message }]);
}
