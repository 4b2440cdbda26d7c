import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Agent } from '../iteration/agent.js';
import { checkTestProgram } from '../iteration/check-test-program.js';
import { createAgent } from '../iteration/create-agent.js';
import { type DefinedAgent, isDefined, withDefined } from '../iteration/defined-agent.js';
import { watchGuard } from '../iteration/guard-watch.js';
import type { OutputPlace } from '../iteration/raw-output.js';
import { watchTree } from '../iteration/watch-tree.js';
import { noteProject } from '../journal/known-projects.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from '../journal/open-file-journal.js';
import type { FileJournal } from '../journal/file-journal.js';
import type { Journal } from '../journal/journal.js';
import { readJournal } from '../journal/read-journal.js';
import type { RecoveredTail } from '../journal/recover.js';
import type { Redactor } from '../journal/redact.js';
import type { ExtraKeys } from '../journal/snapshot.js';
import { createSeal } from '../journal/run-seal.js';
import { findRunPlaces, journalPathOf, realWorkingDir } from '../journal/run-places.js';
import { type Environment, folderOf, stateHome } from '../journal/second-home.js';
import type { ConditionFunctions } from '../model/condition-function.js';
import { ConfigError, messageOf } from '../model/errors.js';
import { canonicalJson } from '../model/json.js';
import { unknownKeys } from '../model/nearest.js';
import type { RunSpec } from '../model/run-spec.js';
import { hasEnded } from '../model/phase.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { checkTreeAtStart } from './check-tree.js';
import { ControlServer } from './control-server.js';
import { DayLedger } from './day-ledger.js';
import { checkBudgetIsEnforceable } from './enforceable.js';
import { Notifier } from './notifier.js';
import { outputFolder } from './output-folder.js';
import type { RunSource } from './live-handle.js';
import type { RunParts } from './run-parts.js';
import { specRedactor } from './spec-redactor.js';

/** What a caller may put in place of the usual. */
export interface RunOptions {
  /** The default is the environment of the process. */
  readonly environment?: Environment | undefined;
  /** In place of the agent that the spec names: one that runs, or a CLI described by `defineAgent`. */
  readonly agent?: Agent | DefinedAgent | undefined;
  /** In place of a journal in the working directory. */
  readonly journal?: Journal | undefined;
  readonly functions?: ConditionFunctions | undefined;
  /** Wall time in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Told of what went wrong without harm to the record. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Whether other processes of this user can steer the run, through a socket. The default is yes. */
  readonly control?: boolean | undefined;
  /** Throws when the record of a run is not one to go on with. Asked once it is open, before anything is started. */
  readonly accept?: ((recorded: RunState) => void) | undefined;
  /** Commands that make sense in a state, for whoever is notified. */
  readonly nextCommands?: ((runId: string, state: RunState) => readonly string[]) | undefined;
  /** Brings the work of an iteration to where it outlives this machine, before its end is recorded. */
  readonly publishWork?: RunParts['publishWork'];
  readonly leaving?: RunParts['leaving'];
  readonly commitsSince?: RunParts['commitsSince'];
  readonly commitTrailers?: RunParts['commitTrailers'];
  readonly wasLeft?: RunParts['wasLeft'];
  readonly mostCrashes?: RunParts['mostCrashes'];
  readonly batch?: RunParts['batch'];
  /** What is different from the code that started the run. */
  readonly changed?: RunSource['changed'];
  /** More keys at the top of `state.json`. */
  readonly extraKeys?: ExtraKeys | undefined;
}

const OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  environment: true,
  agent: true,
  journal: true,
  functions: true,
  now: true,
  onWarning: true,
  control: true,
  accept: true,
  nextCommands: true,
  publishWork: true,
  leaving: true,
  commitsSince: true,
  commitTrailers: true,
  wasLeft: true,
  mostCrashes: true,
  batch: true,
  changed: true,
  extraKeys: true,
};

/** Throws ConfigError for options that nobody knows: they would be done without. */
export function checkRunOptions(options: object): void {
  const unknown = unknownKeys(options, Object.keys(OPTIONS), 'option');
  if (unknown.length > 0) throw new ConfigError(unknown);
}

/** A run that is still to be recorded. */
export function newRunSource(spec: RunSpec, runId: string, options: RunOptions): RunSource {
  checkTestProgram(spec, environmentNow(options));
  let created = false;
  const open = (journalOptions: FileJournalOptions): FileJournal => {
    const journal = created
      ? openFileJournal({ ...journalOptions, runId })
      : createFileJournal({ ...journalOptions, runId });
    created = true;
    return journal;
  };
  return sourceOf({ spec, runId, options, recorded: INITIAL_STATE, open });
}

/** A run that is recorded. */
export function recordedRunSource(spec: RunSpec, runId: string, recorded: RunState, options: RunOptions): RunSource {
  const open = (journalOptions: FileJournalOptions) => openFileJournal({ ...journalOptions, runId });
  return sourceOf({ spec, runId, options, recorded, open });
}

interface SourceParts {
  readonly spec: RunSpec;
  readonly runId: string;
  readonly options: RunOptions;
  readonly recorded: RunState;
  readonly open: (options: FileJournalOptions) => FileJournal;
}

function guardOf(spec: RunSpec, environment: Environment, journal: Journal): RunParts['guard'] {
  return watchGuard(spec, environment, () => journal.state.testOutputs ?? []);
}

function sourceOf({ spec: resolved, runId, options, recorded, open }: SourceParts): RunSource {
  const { journal: given, now, onWarning, changed } = options;
  const environment = environmentNow(options);
  const spec = withDefined(resolved, options.agent);
  const agent = agentOf(spec, environment, options.agent);
  checkBudgetIsEnforceable(spec.policy, agent);
  const redactor = specRedactor(spec, environment);
  const places = given === undefined ? findRunPlaces(spec.workingDir, runId, environment) : undefined;
  const common = {
    runId,
    spec,
    agent,
    environment,
    configHash: hashOf(spec),
    ...givenParts(options),
    redact: redactor.text,
    keepSecret: redactor.keep,
  };
  const checkStart = () => checkTreeAtStart(spec, environment);
  const notifier = notifierOf(common, options, redactor);
  const partsWith = (journal: Journal, more: Partial<RunParts> = {}): RunParts => {
    const tree = watchTree(spec, runId, environment, undefined);
    return { ...common, journal, tree, guard: guardOf(spec, environment, journal), ...more };
  };
  if (given !== undefined || places === undefined) {
    return {
      runId,
      recorded: given?.state ?? recorded,
      open: () => partsWith(given as Journal),
      read: () => (given as Journal).read(),
      checkStart,
      notifier,
      changed,
    };
  }
  const { workingDir } = spec;
  const path = journalPathOf(places);
  const control = options.control === false ? undefined : new ControlServer({ runId, environment, onWarning });
  const extraKeys: ExtraKeys = (state) => ({
    ...options.extraKeys?.(state),
    ...(control?.path === undefined || hasEnded(state) ? {} : { control: control.path }),
  });
  return {
    runId,
    recorded,
    folder: dirname(path),
    read: () => readJournal(path),
    checkStart,
    control,
    notifier,
    changed,
    open() {
      const journal = opened(open, { workingDir, environment, redactor, now, onWarning, extraKeys }, options.accept);
      const { recovered, deadRuns, folder } = journal;
      const outputPlace = outputPlaces(folder, folderOf(places.second), redactor);
      const ledger = new DayLedger(stateHome(environment), runId);
      return partsWith(journal, { lostRecords: recovered?.lostRecords, deadRuns, ledger, outputPlace });
    },
  };
}

/** What goes into the run as it was given. */
function givenParts({ functions = {}, now = Date.now, onWarning, ...given }: RunOptions) {
  const { publishWork, leaving, commitsSince, commitTrailers, wasLeft, mostCrashes, batch } = given;
  const ofFleet = { publishWork, leaving, commitsSince, commitTrailers, wasLeft, mostCrashes, batch };
  return { functions, now, ...ofFleet, warn: onWarning };
}

/** As a plain object: the process's own asks the system for each value, in every iteration anew. */
function environmentNow({ environment = process.env }: RunOptions): Environment {
  return { ...environment };
}

/** Opens the journal, if it is one to go on with, and tells what was found. */
function opened(
  open: SourceParts['open'],
  options: FileJournalOptions & { readonly environment: Environment },
  accept: RunOptions['accept'],
): FileJournal {
  const { workingDir, environment, onWarning } = options;
  const onProblem = (error: unknown) => onWarning?.(`pawl resume will ask about this run: ${messageOf(error)}`);
  const journal = open({ ...options, seal: createSeal(environment, onProblem) });
  checkAccepted(journal, accept);
  const { path, recovered, deadRuns } = journal;
  if (recovered !== undefined) onWarning?.(tornText(path, recovered));
  for (const dead of deadRuns) onWarning?.(`${dead} was interrupted here; what it left running is ended first`);
  tellProject(workingDir, environment, onWarning);
  return journal;
}

/** What is gone on with is the journal as it is now, which may be another than was looked at. */
function checkAccepted(journal: FileJournal, accept: RunOptions['accept']): void {
  try {
    accept?.(journal.state);
  } catch (error) {
    void journal.close().catch(() => undefined);
    throw error;
  }
}

/** So that the run is found again after a reboot, from anywhere. It can do without. */
function tellProject(workingDir: string, environment: Environment, onWarning: RunOptions['onWarning']): void {
  try {
    noteProject(realWorkingDir(workingDir), environment);
  } catch (error) {
    onWarning?.(`pawl resume --all will not find this run: ${messageOf(error)}`);
  }
}

function notifierOf(
  { runId, spec, environment, now }: Pick<RunParts, 'runId' | 'spec' | 'environment' | 'now'>,
  { onWarning, nextCommands }: RunOptions,
  redact: Redactor,
): Notifier | undefined {
  const { command, webhook } = spec.notify;
  if (command === undefined && webhook === undefined) return undefined;
  const next = (state: RunState) => nextCommands?.(runId, state) ?? [];
  return new Notifier({ runId, spec, environment, redact, onWarning, nextCommands: next, now });
}

function agentOf(spec: RunSpec, environment: Environment, given: RunOptions['agent']): Agent {
  return given === undefined || isDefined(given) ? createAgent(spec, environment, given) : given;
}

function tornText(path: string, { line, bytes, what, savedTo }: RecoveredTail): string {
  return `${path}:${line}: ${what}; ${bytes} bytes were cut off and are kept in ${savedTo}`;
}

function outputPlaces(folder: string, secondFolder: string, redactor: Redactor): RunParts['outputPlace'] {
  return (iteration, attempt): OutputPlace => {
    const below = outputFolder(iteration, attempt);
    return { folder: join(folder, below), secondFolder: join(secondFolder, below), redact: () => redactor.stream() };
  };
}

function hashOf(spec: RunSpec): string {
  return createHash('sha256').update(canonicalJson(spec)).digest('hex').slice(0, 16);
}
