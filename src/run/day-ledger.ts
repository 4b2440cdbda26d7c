import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { readConfigFile } from '../config/config-file.js';
import { NODE_DISK, makeFolder } from '../journal/disk.js';
import { messageOf } from '../model/errors.js';
import { isRecord } from '../model/show-value.js';
import { list } from '../model/figures.js';
import { lowestLimit, policyLeaves } from '../model/policy.js';
import type { NewEvent } from '../model/run-event.js';
import { ownDaySpend } from '../model/reduce-lifetime.js';
import type { RunState } from '../model/run-state.js';
import { knownCostUsd } from '../model/spend-account.js';
import { factsOf } from '../stop/facts.js';

/** What the other runs of this machine and user have spent on a day. */
export interface OthersSpend {
  readonly usd?: number | undefined;
  /** Why it is not known, and what to do. */
  readonly problem?: string | undefined;
}

/** What a run notes next to the amount. */
export interface NoteDetails {
  /** Why the amount is not known. */
  readonly why?: string | undefined;
  /** The amount is the known part of what was spent: the rest was before there was a limit, or the user has accepted it. */
  readonly atLeast?: boolean | undefined;
}

type Note = { readonly costUsd: number } | { readonly why: string } | { readonly problem: string } | undefined;

const KEPT_DAYS = 14;

/** A note has this length, so that the next one takes its place in a single write: moving a new file there takes longer. */
const NOTE_BYTES = 256;

/**
 * One small file per run and day, in the user's state folder: each run writes its own and reads the others'. What cannot be
 * read is not taken for nothing.
 */
export class DayLedger {
  readonly #stateHome: string;
  readonly #folder: string;
  readonly #name: string;

  constructor(stateHome: string, runId: string) {
    this.#stateHome = stateHome;
    this.#folder = join(stateHome, 'pawl', 'spend');
    this.#name = `${runId}.json`;
  }

  /** Notes what this run has spent on a day; undefined when it does not know itself. Throws when that cannot be done. */
  note(day: string, costUsd: number | undefined, { why, atLeast }: NoteDetails = {}): void {
    const place = { base: this.#stateHome, segments: ['pawl', 'spend', day], makesBase: true } as const;
    const path = join(makeFolder(NODE_DISK, place, 'refuse'), this.#name);
    const note = Buffer.from(`${JSON.stringify({ costUsd: costUsd ?? null, why, atLeast }).padEnd(NOTE_BYTES - 1)}\n`);
    if (overwrite(path, note)) return;
    writeFileSync(`${path}.new`, note, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** Whether any run has noted something on a day. */
  knows(day: string): boolean {
    return existsSync(join(this.#folder, day));
  }

  others(day: string): OthersSpend {
    const folder = join(this.#folder, day);
    let names: readonly string[];
    try {
      names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== this.#name);
    } catch (error) {
      return { problem: `${folder} cannot be read: ${messageOf(error)}` };
    }
    const notes = names.map((name) => ({ name, note: readNote(join(folder, name)) }));
    const problem = problemOf(folder, notes);
    if (problem !== undefined) return { problem };
    const amounts = notes.map(({ note }) => (note !== undefined && 'costUsd' in note ? note.costUsd : 0));
    return { usd: amounts.reduce((sum, amount) => sum + amount, 0) };
  }

  /** Days that no one asks for any more. */
  forgetOld(today: string): void {
    const days = readdirSync(this.#folder)
      .sort()
      .filter((day) => /^\d{4}-\d\d-\d\d$/.test(day) && day < today);
    for (const day of days.slice(0, -KEPT_DAYS)) rmSync(join(this.#folder, day), { recursive: true, force: true });
  }
}

/** Only a note of the same length is written over: then there is nothing of the old one left. */
function overwrite(path: string, note: Buffer): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return false;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size !== note.length) return false;
    return writeSync(file, note, 0, note.length, 0) === note.length;
  } finally {
    closeSync(file);
  }
}

/** Read in the middle of a write it may make no sense: then it is read again. */
function readNote(path: string): Note {
  const note = readNoteOnce(path);
  return note !== undefined && 'problem' in note ? readNoteOnce(path) : note;
}

/** Whatever lies there, reading it ends. Undefined when it has gone meanwhile. */
function readNoteOnce(path: string): Note {
  const file = readConfigFile(path);
  if (file.kind === 'missing') return undefined;
  if (file.kind === 'refused') return { problem: `${path} ${file.message}` };
  const problem = `${path} does not contain what a run has spent`;
  try {
    const value: unknown = JSON.parse(file.text);
    const { costUsd, why } = isRecord(value) ? value : {};
    if (costUsd === null) return { why: typeof why === 'string' ? why : 'it does not say why' };
    const isAmount = typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0;
    return isAmount ? { costUsd } : { problem };
  } catch {
    return { problem };
  }
}

/** Why the sum is not known, who is the cause, and the way out: only a person knows what it cost. */
function problemOf(
  folder: string,
  notes: readonly { readonly name: string; readonly note: Note }[],
): string | undefined {
  const [broken] = notes.flatMap(({ note }) => (note !== undefined && 'problem' in note ? [note.problem] : []));
  if (broken !== undefined)
    return `${broken}; delete it, or write {"costUsd": 1.50} into it with what that run has cost`;
  const unknown = notes.flatMap(({ name, note }) =>
    note !== undefined && 'why' in note ? [{ name, why: note.why }] : [],
  );
  const [first] = unknown;
  if (first === undefined) return undefined;
  const runs = list(unknown.map(({ name }) => name.slice(0, -'.json'.length)));
  const whose = unknown.length === 1 ? 'does not know what it has' : 'do not know what they have';
  const path = join(folder, first.name);
  const more = unknown.length === 1 ? '' : ', and so on';
  return `${runs} ${whose} spent today (${first.why}); write {"costUsd": 1.50} into ${path} with what it has cost, or delete that file to count nothing${more}`;
}

/** The day of a time in UTC: processes with different time zones (`TZ`, ssh, cron) share one day. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** How long another run may spend before this one hears of it. */
const LOOK_MS = 3000;
/** A change that is worth a record. */
const CENT = 0.01;

interface DayWatchOptions {
  readonly ledger: DayLedger;
  readonly state: () => RunState;
  readonly record: (event: NewEvent) => void;
  readonly now: () => number;
}

/** Keeps the machine's account of the day: notes what this run spends, and records what the others do, if anybody asks. */
export class DayWatch {
  readonly #options: DayWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #noted: string | undefined;

  constructor(options: DayWatchOptions) {
    this.#options = options;
  }

  /** Before the first verdict: a limit that no one has inspected blocks. */
  begin(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#note(dayOf(this.#options.now()));
  }

  /** What was just spent survives the death of this process. */
  note(): void {
    this.#note(dayOf(this.#options.now()));
  }

  look(): void {
    const { ledger, now } = this.#options;
    const day = dayOf(now());
    const problem = this.#note(day);
    if (!this.#isAsked()) return;
    this.#see(day, problem === undefined ? ledger.others(day) : { problem });
  }

  #note(day: string): string | undefined {
    const { ledger, state } = this.#options;
    const { costUsd, ...details } = this.#ownSpend(state(), day);
    const figures = `${day} ${costUsd ?? 'unknown'} ${details.why ?? ''} ${details.atLeast ?? ''}`;
    if (figures === this.#noted) return undefined;
    try {
      ledger.note(day, costUsd, details);
      if (this.#noted === undefined) ledger.forgetOld(day);
      this.#noted = figures;
      return undefined;
    } catch (error) {
      return `the spend of the day cannot be recorded: ${messageOf(error)}`;
    }
  }

  /** What no one knows of a run holds up the others only if the limit was there for it, too. */
  #ownSpend(state: RunState, day: string): NoteDetails & { readonly costUsd?: number | undefined } {
    const costUsd = ownDaySpend(state, day);
    const isAccepted = (state.spend.acceptedIterations ?? 0) > 0;
    if (costUsd !== undefined) return isAccepted ? { costUsd, atLeast: true } : { costUsd };
    if (this.#isAsked()) return { why: factsOf(state).spendProblem?.cost };
    return { costUsd: knownCostUsd(state.spend), atLeast: true };
  }

  #see(day: string, { usd, problem }: OthersSpend): void {
    const { state, record } = this.#options;
    const known = state().day;
    const isNews =
      known?.day !== day || known.problem !== problem || Math.abs((known.othersUsd ?? 0) - (usd ?? 0)) >= CENT;
    if (isNews) record({ type: 'day-spend-seen', day, othersUsd: usd, problem });
  }

  #isAsked(): boolean {
    return lowestLimit(policyLeaves(this.#options.state().policy), 'dayCostUsd') !== undefined;
  }
}
