import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Agent } from '../iteration/agent.js';
import { checkTestProgram, checkTreeAtStart, checkBudgetIsEnforceable } from './start-checks.js';
import { createReviewer } from '../iteration/reviewer.js';
import { createAgent, isDefined, withDefined } from '../iteration/cli-agent.js';
import { watchGuard } from '../iteration/guard-watch.js';
import type { OutputPlace } from '../iteration/raw-output.js';
import {
  noteProject,
  findRunPlaces,
  journalPathOf,
  realWorkingDir,
  type Environment,
  stateHome,
} from '../journal/run-places.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from '../journal/open-file-journal.js';
import type { FileJournal } from '../journal/file-journal.js';
import type { Journal } from '../journal/journal.js';
import { readJournal } from '../journal/read-journal.js';
import type { RecoveredTail } from '../journal/recover.js';
import type { Redactor } from '../journal/redact.js';
import type { ExtraKeys } from '../journal/snapshot.js';
import { createSeal, readUserKey } from '../journal/run-seal.js';
import { messageOf } from '../model/errors.js';
import { canonicalJson } from '../model/json.js';
import type { RunSpec } from '../model/run-spec.js';
import { hasEnded } from '../model/phase.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { ControlServer } from './control-server.js';
import { DayLedger } from './day-ledger.js';
import type { RunOptions } from './run-options.js';
import { Notifier } from './notifier.js';
import type { RunSource } from './live-handle.js';
import type { RunParts } from './run-host.js';
import { specRedactor } from './spec-redactor.js';
import { alsoFiles, digestOf, type GuardedFiles } from '../observation/guarded-files.js';
import { openFileTracker } from '../observation/files/file-tracker.js';
import { createTreeWatch, type TreeWatch } from '../iteration/tree-watch.js';
import { outputFolder } from './history.js';

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
  const redactor = specRedactor(spec, environment);
  const places = given === undefined ? findRunPlaces(spec.workingDir, runId, environment, spec.records) : undefined;
  const common = {
    runId,
    spec,
    agent,
    reviewer: reviewerOf(spec, environment, redactor, options),
    environment,
    configHash: hashOf(spec),
    ...givenParts(options),
    redact: redactor.text,
    keepSecret: redactor.keep,
  };
  const checkStart = () => checkTreeAtStart(spec, environment);
  const base = { runId, checkStart, notifier: notifierOf(common, options, redactor), changed };
  const partsWith = (journal: Journal, more: Partial<RunParts> = {}): RunParts => {
    const tree = watchTree(spec, runId, environment, () => journal.state.baseline?.tree);
    return { ...common, journal, tree, guard: guardOf(spec, environment, journal), ...more };
  };
  if (given !== undefined || places === undefined) {
    return {
      ...base,
      control: controlOf(runId, options, false),
      recorded: given?.state ?? recorded,
      open: () => partsWith(given as Journal),
      read: () => (given as Journal).read(),
    };
  }
  const path = journalPathOf(places);
  const control = controlOf(runId, options, true);
  const extraKeys: ExtraKeys = (state) => ({
    ...options.extraKeys?.(state),
    ...(control?.path === undefined || hasEnded(state) ? {} : { control: control.path }),
  });
  return {
    ...base,
    recorded,
    folder: dirname(path),
    read: () => readJournal(path),
    control,
    open() {
      const { workingDir, records } = spec;
      const how = { workingDir, environment, records, redactor, now, onWarning, extraKeys };
      const journal = opened(open, how, options.accept);
      const { recovered, deadRuns } = journal;
      const outputPlace = outputPlaces(journal.folder, redactor);
      const ledger = new DayLedger(stateHome(environment), runId);
      return partsWith(journal, { lostRecords: recovered?.lostRecords, deadRuns, ledger, outputPlace });
    },
  };
}

/** What goes into the run as it was given. */
function givenParts({ functions = {}, now = Date.now, onWarning, host }: RunOptions) {
  return { functions, now, host, warn: onWarning };
}

/** As a plain object: the process's own asks the system for each value, in every iteration again. */
function environmentNow({ environment = process.env }: RunOptions): Environment {
  return { ...environment };
}

/** Opens the journal, if it is one to continue with, and tells what was found. */
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
  for (const dead of deadRuns)
    onWarning?.(`${dead} was interrupted here; Pawl first ends the processes it left running`);
  tellProject(workingDir, environment, onWarning);
  return journal;
}

/** What is continued is the journal as it is now, which may be another than was inspected. */
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

function controlOf(runId: string, options: RunOptions, isUsual: boolean): ControlServer | undefined {
  const { control = isUsual, onWarning } = options;
  return control ? new ControlServer({ runId, environment: environmentNow(options), onWarning }) : undefined;
}

function notifierOf(
  { runId, spec, environment, now }: Pick<RunParts, 'runId' | 'spec' | 'environment' | 'now'>,
  { onWarning, nextCommands }: RunOptions,
  redact: Redactor,
): Notifier | undefined {
  const { command, webhook } = spec.notify;
  if (command === undefined && webhook === undefined) return undefined;
  const next = (state: RunState) => nextCommands?.(runId, state) ?? [];
  const userKey = spec.notify.answers === true ? () => readUserKey(environment) : undefined;
  return new Notifier({ runId, spec, environment, redact, onWarning, nextCommands: next, now, userKey });
}

function agentOf(spec: RunSpec, environment: Environment, given: RunOptions['agent']): Agent {
  const agent = given === undefined || isDefined(given) ? createAgent(spec, environment, given) : given;
  checkBudgetIsEnforceable(spec.policy, agent);
  return agent;
}

function reviewerOf(
  spec: RunSpec,
  environment: Environment,
  redactor: Redactor,
  options: RunOptions,
): RunParts['reviewer'] {
  const { now } = givenParts(options);
  const parts = { spec, environment, redact: redactor.text, now };
  return spec.review && createReviewer(spec.review, parts, options.reviewer);
}

function tornText(path: string, { line, bytes, what, savedTo }: RecoveredTail): string {
  return `${path}:${line}: ${what}; ${bytes} bytes were cut off and are kept in ${savedTo}`;
}

function outputPlaces(folder: string, redactor: Redactor): RunParts['outputPlace'] {
  return (iteration, attempt): OutputPlace => ({
    folder: join(folder, outputFolder(iteration, attempt)),
    redact: () => redactor.stream(),
  });
}

function hashOf(spec: RunSpec): string {
  return createHash('sha256').update(canonicalJson(spec)).digest('hex').slice(0, 16);
}

/** Watches the working tree of a run, unless it is told not to. */
function watchTree(
  { workingDir, trackFileChanges, progressAlso }: RunSpec,
  runId: string,
  environment: Readonly<Record<string, string | undefined>>,
  startOfRun: () => string | undefined,
): TreeWatch | undefined {
  if (!trackFileChanges) return undefined;
  const watch = createTreeWatch(openFileTracker({ workingDir, runId, environment }), startOfRun);
  return progressAlso === undefined ? watch : withAlso(watch, alsoFiles(workingDir, progressAlso, environment['HOME']));
}

/** Watches files, too, that are in no snapshot. */
function withAlso(watch: TreeWatch, files: GuardedFiles): TreeWatch {
  const figure = async () => digestOf(await files.look(), () => true);
  let before: string | undefined;
  return {
    ...watch,
    async begin(label) {
      before = await figure();
      return watch.begin(label);
    },
    async changesSince(from, label) {
      const changes = await watch.changesSince(from, label);
      const after = await figure();
      return before === undefined || after === undefined ? changes : { ...changes, also: { before, after } };
    },
  };
}
