import { realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { type ProjectCommand, specCommands } from '../config/project-commands.js';
import type { ListedRun } from '../journal/list-runs.js';
import { isSealed } from '../journal/run-seal.js';
import { type Environment, stateHome } from '../journal/run-places.js';
import { ConfigError } from '../model/errors.js';
import type { ExitCode } from '../model/exit-code.js';
import { canonicalJson } from '../model/json.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { unconfirmedOf } from '../setup/trust.js';
import { shortId } from '../words/short-id.js';
import { type ConfirmOptions, confirmThese } from './confirm-commands.js';
import type { NotedSurroundings } from './surroundings.js';

/**
 * A record is a program: what it says is executed. One that came with a repository, or was changed, continues only when
 * someone has confirmed it.
 */
export class RecordGuard {
  readonly #run: ListedRun;
  readonly #environment: Environment;
  readonly #confirmed = new Set<string>();

  constructor(run: ListedRun, environment: Environment) {
    this.#run = run;
    this.#environment = environment;
  }

  /** Has a record confirmed that is not the user's own, to be continued by `command`; gives the exit code when it is not. Throws ConfigError. */
  async confirm(
    state: RunState,
    options: ConfirmOptions,
    context: NotedSurroundings,
    command?: string,
  ): Promise<ExitCode | undefined> {
    this.checkPlace(state);
    if (this.#isOwn(state)) return undefined;
    const { runId, workingDir } = this.#run;
    const id = shortId(runId);
    const file = `the record of ${id} (you did not start it, or it has changed)`;
    const commands = recordCommands(state);
    const goOn = command ?? `pawl resume ${id}`;
    const code = await confirmThese({ commands, file, workingDir, command: goOn }, options, context);
    if (code === undefined) this.#confirmed.add(wholeOf(state));
    return code;
  }

  /** Throws ConfigError when a record is to be continued that no one has confirmed. */
  check(state: RunState): void {
    this.checkPlace(state);
    if (this.#isOwn(state) || this.#confirmed.has(wholeOf(state))) return;
    const message = `the record of ${this.#run.runId} has changed since it was checked; it is not resumed`;
    throw new ConfigError([{ path: '', message }]);
  }

  #isOwn(state: RunState): boolean {
    return isOwnRecord(state, this.#run.workingDir, this.#environment);
  }

  /** A run continues where its record lies, and nowhere else. Throws ConfigError. */
  checkPlace({ spec }: Pick<RunState, 'spec'> = this.#run.snapshot ?? {}): void {
    const { isInProject, workingDir, folder, runId } = this.#run;
    if (spec === undefined) return;
    checkShape(spec, runId);
    const place = realOf(isInProject ? dirname(dirname(dirname(folder))) : workingDir);
    const isHere = isAbsolute(spec.workingDir) && realOf(spec.workingDir) === place;
    if (isHere && [spec.promptPath, spec.session.stateDir].every((path) => isAbsolute(path))) return;
    const what = isHere ? 'contains paths that are not absolute' : `is of a run in ${JSON.stringify(spec.workingDir)}`;
    const message = `the record of ${shortId(runId)} ${what}, and lies in ${JSON.stringify(place)}: it is not resumed there`;
    throw new ConfigError([{ path: '', message }]);
  }
}

/** Whether the user has begun the run or confirmed its record, as it is now. */
export function isOwnRecord(state: RunState, workingDir: string, environment: Environment): boolean {
  try {
    if (isSealed(state, environment) && !hasOtherScripts(state)) return true;
    const commands = recordCommands(state);
    return commands.length > 0 && unconfirmedOf(commands, workingDir, stateHome(environment)).length === 0;
  } catch {
    // Nothing of ours has another shape.
    return false;
  }
}

function checkShape(spec: RunSpec, runId: string): void {
  try {
    const texts = specCommands(spec).map(({ shown }) => shown);
    if ([...texts, spec.workingDir, spec.promptPath, spec.session.stateDir].every((text) => typeof text === 'string'))
      return;
  } catch {
    // It is told below.
  }
  const message = `the record of ${shortId(runId)} does not say what the run executes: it is not resumed`;
  throw new ConfigError([{ path: '', message }]);
}

/** All of it or nothing: each of its commands is known again by the whole record. */
function recordCommands(state: RunState): readonly ProjectCommand[] {
  const { spec, pipeline, runId } = state;
  const whole = wholeOf(state);
  const one = (what: string, shown: string | undefined): readonly ProjectCommand[] =>
    shown === undefined ? [] : [{ path: `${runId} ${what}`, place: undefined, what, shown, whole }];
  if (spec === undefined) return one('nothing', 'it says nothing of what it executes');
  const { generate, audit } = pipeline?.spec ?? {};
  return [
    ...specCommands(inForce(spec, state)).map((command) => ({ ...command, path: `${runId} ${command.path}`, whole })),
    ...one('generate', generate?.command),
    ...one('audit', audit?.command),
  ];
}

function wholeOf(state: RunState): string {
  const { runId, spec, pipeline } = state;
  const scripts = spec === undefined ? [] : scriptsOf(inForce(spec, state));
  return canonicalJson({ runId, spec, pipeline: pipeline?.spec, scripts });
}

/** Limits are raised while a run continues, and a condition may be a script. */
function hasOtherScripts(state: RunState): boolean {
  const { spec } = state;
  if (spec === undefined) return false;
  const known = new Set(scriptsOf(spec));
  return scriptsOf(inForce(spec, state)).some((script) => !known.has(script));
}

function inForce(spec: RunSpec, { policy }: RunState): RunSpec {
  return { ...spec, policy };
}

function scriptsOf(spec: RunSpec): readonly string[] {
  return specCommands(spec)
    .filter(({ what }) => what === 'script')
    .map(({ whole }) => whole);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
