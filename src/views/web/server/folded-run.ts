import { statSync } from 'node:fs';
import { readJournal } from '../../../journal/read-journal.js';
import { TAIL_START, TailedFile, type TailPosition } from '../../../journal/tailed-file.js';
import { JournalDamaged, messageOf } from '../../../model/errors.js';
import { faultsText } from '../../../model/record-fault.js';
import type { RunEvent } from '../../../model/run-event.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import { cutOffText, LARGE_JOURNAL_BYTES, offsetOfLine, tornText } from '../../../app/read-record.js';
import { type RunView, ViewFold } from '../wire/run-view.js';
import { Breather } from './breather.js';

/** The fold of one journal, taken further whenever someone looks. Readers start from it and not from the beginning. */
export class FoldedRun {
  readonly #path: string;
  #file: TailedFile;
  #fold = new ViewFold();
  /** Where to begin reading for what follows a record, about every 256 KB. */
  #marks: TailPosition[] = [TAIL_START];
  #damage: string | undefined;
  /** The fold does not have the words of the agent yet. */
  #isSkimmed = false;
  #underWay: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
    this.#file = new TailedFile(path);
  }

  get view(): RunView {
    return this.#fold.view;
  }

  /** Up to the end of what is there now. */
  catchUp(): Promise<void> {
    this.#underWay ??= this.#goOn().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  /** What is wrong with the record, in words. */
  async problem(isLive: boolean): Promise<string | undefined> {
    if (this.#damage !== undefined) return this.#damage;
    const { tail } = this.#file;
    if (tail === undefined || isLive) return faultsText(this.view.state.faults);
    return tail.incomplete ? cutOffText(tail.line) : tornText(this.#path, tail);
  }

  /** The last known place at or before a record. */
  placeBefore(seq: number): TailPosition {
    return this.#marks.findLast((mark) => mark.seq <= seq) ?? TAIL_START;
  }

  /** The records behind `afterSeq`, as far as they can be read, until the reader has enough. */
  async *eventsAfter(afterSeq: number): AsyncGenerator<RunEvent, void, void> {
    const file = new TailedFile(this.#path, this.placeBefore(afterSeq));
    const breather = new Breather();
    let seq = afterSeq;
    try {
      await file.look();
      for await (const events of file.read()) {
        for (const event of events) {
          if (event.seq > seq) yield event;
          seq = Math.max(seq, event.seq);
          const rest = breather.breathe();
          if (rest !== undefined) await rest;
        }
      }
    } catch (error) {
      if (!(error instanceof JournalDamaged)) throw error;
      yield* this.#upToDamage(error, seq);
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#underWay?.catch(() => undefined);
    await this.#file.close();
  }

  async #goOn(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#file.look();
      if (this.#file.isSuperseded) await this.#startOver();
      await this.#read();
    } catch (error) {
      await this.#readUpToDamage(error);
    }
    if (this.#isSkimmed) await this.#readSpoken();
  }

  async #read(): Promise<void> {
    const breather = new Breather();
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    const skims = size - this.#file.position.offset > LARGE_JOURNAL_BYTES;
    this.#isSkimmed ||= skims;
    for await (const events of this.#file.read({ skims })) {
      for (const event of events) this.#fold.add(event);
      const rest = breather.breathe();
      if (rest !== undefined) await rest;
      this.#marks.push(this.#file.position);
      this.#damage = undefined;
    }
  }

  /** Of a large journal most words are never shown: only those that are kept are read. */
  async #readSpoken(): Promise<void> {
    const fold = this.#fold;
    for await (const event of this.eventsAfter(fold.dropSpoken() - 1)) {
      if (event.seq > fold.seq) break;
      fold.addSpoken(event);
    }
    this.#isSkimmed = false;
  }

  async #startOver(): Promise<void> {
    await this.#file.close();
    this.#file = new TailedFile(this.#path);
    this.#fold = new ViewFold();
    this.#marks = [TAIL_START];
    this.#damage = undefined;
    await this.#file.look();
  }

  async #readUpToDamage(error: unknown): Promise<void> {
    this.#damage = systemErrorWords(messageOf(error));
    if (!(error instanceof JournalDamaged)) return;
    for await (const event of this.#upToDamage(error, this.#fold.seq)) this.#fold.add(event);
  }

  /** The reader holds back what stands before the damage in the same part of the file. */
  async *#upToDamage({ line }: JournalDamaged, afterSeq: number): AsyncGenerator<RunEvent, void, void> {
    if (afterSeq >= line - 1) return;
    const untilOffset = await offsetOfLine(this.#path, line);
    yield* readJournal(this.#path, { fromSeq: afterSeq + 1, untilOffset, onTorn: () => undefined });
  }
}
