import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Journal } from '../journal/journal.js';
import { memoryJournal } from '../journal/memory-journal.js';
import { newRunId } from '../journal/run-places.js';
import { ConfigError, FileSystemError, InvalidState } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import type { RunSource } from '../run/live-handle.js';
import { findRecorded } from '../run/resume-run.js';
import type { RunOptions } from '../run/run-options.js';
import { newRunSource, recordedRunSource } from '../run/run-source.js';
import type { DeepFactorAgentOptions } from './agent-options.js';
import { modelReviewer } from './model-reviewer.js';

type Parts = Required<Pick<RunOptions, 'agent' | 'functions'>> & Pick<RunOptions, 'changed'>;

/** A run that is on record. */
export interface SourceOfRecord {
  readonly recorded: RunState & { readonly spec: RunSpec };
  /** `spec`: what the run is to be from now on. */
  readonly source: (spec: RunSpec, parts: Parts) => RunSource;
}

/** Where the runs of an agent are recorded: in its working directory, in a folder, in a given journal, or in memory. */
export class AgentSources {
  readonly #options: DeepFactorAgentOptions;
  /** Runs that are recorded nowhere else. */
  readonly #inMemory = new Map<string, readonly RunEvent[]>();

  constructor(options: DeepFactorAgentOptions) {
    this.#options = options;
  }

  /** For a new run. */
  fresh(spec: RunSpec, parts: Parts): RunSource {
    const { journal } = this.#options;
    const runId = newRunId('agent');
    if (this.#folder !== undefined) return newRunSource(spec, runId, this.#runOptions(parts));
    const given = typeof journal === 'object' ? journal : this.#memory(runId);
    if (given.state.seq > 0) {
      throw new InvalidState('recorded', 'begin', 'the journal already holds a run: continue it with resume()');
    }
    return newRunSource(spec, runId, { ...this.#runOptions(parts), journal: given });
  }

  /** Rejects with ConfigError when there is no such run. */
  async recorded(reference: string): Promise<SourceOfRecord> {
    const { journal, environment } = this.#options;
    const workingDir = this.#folder;
    if (workingDir === undefined) {
      const held = typeof journal === 'object' ? journal : this.#remembered(reference);
      return this.#ofJournal(held, reference);
    }
    const { runId, spec, recorded } = await findRecorded({ workingDir, run: reference, environment });
    checkKind(recorded, runId);
    return {
      recorded: { ...recorded, spec },
      source: (now, parts) => recordedRunSource(now, runId, recorded, this.#runOptions(parts)),
    };
  }

  #ofJournal(journal: Journal, runId: string): SourceOfRecord {
    const { state } = journal;
    const { spec } = state;
    if (state.runId !== runId || spec === undefined) throw noSuchRun(runId);
    checkKind(state, runId);
    return {
      recorded: { ...state, spec },
      source: (now, parts) => recordedRunSource(now, runId, state, { ...this.#runOptions(parts), journal }),
    };
  }

  /** Where files are; undefined for a record without any. */
  get #folder(): string | undefined {
    const { workingDir, journal } = this.#options;
    if (journal === false || typeof journal === 'object') return undefined;
    return workingDir ?? journal;
  }

  #memory(runId: string, events: readonly RunEvent[] = []): Journal {
    const { now } = this.#options;
    const journal = memoryJournal({ events, now });
    this.#inMemory.set(runId, journal.events);
    return journal;
  }

  #remembered(runId: string): Journal {
    const events = this.#inMemory.get(runId);
    if (events === undefined) throw noSuchRun(runId);
    return this.#memory(runId, events);
  }

  #runOptions(parts: Parts): RunOptions {
    const { environment, now, onWarning, reviewer } = this.#options;
    return { ...parts, reviewer: reviewer && modelReviewer(reviewer, { now }), environment, now, onWarning };
  }
}

/** A folder for records is made when there is none. Throws FileSystemError. */
export function makeRecordFolder({ journal }: DeepFactorAgentOptions): void {
  if (typeof journal !== 'string') return;
  try {
    makeFolders(resolve(journal));
  } catch (error) {
    throw new FileSystemError('make', journal, error);
  }
}

/** Step by step: where nothing can be made, such as in /proc, Node's recursive way never ends. */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above);
  mkdirSync(folder);
}

function checkKind({ kind }: RunState, runId: string): void {
  if (kind === 'agent') return;
  throw new ConfigError([{ path: '', message: `${runId} is not a run of an agent in code: pawl resume continues it` }]);
}

function noSuchRun(runId: string): ConfigError {
  return new ConfigError([{ path: '', message: `there is no run ${JSON.stringify(runId)} in this agent's journal` }]);
}
