import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_DISK } from '../journal/disk.js';
import { makeFolder } from '../journal/make-folder.js';
import { messageOf } from '../model/errors.js';

/** What the other runs of this machine and user have spent on a day. */
export interface OthersSpend {
  readonly usd?: number | undefined;
  /** Why it cannot be told. */
  readonly problem?: string | undefined;
}

const KEPT_DAYS = 14;

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
  note(day: string, costUsd: number | undefined): void {
    const place = { base: this.#stateHome, segments: ['pawl', 'spend', day], makesBase: true } as const;
    const path = join(makeFolder(NODE_DISK, place, 'refuse'), this.#name);
    writeFileSync(`${path}.new`, `${JSON.stringify({ costUsd: costUsd ?? null })}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  others(day: string): OthersSpend {
    try {
      const folder = join(this.#folder, day);
      const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== this.#name);
      let usd = 0;
      for (const name of files) {
        const { costUsd } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { costUsd?: unknown };
        if (typeof costUsd !== 'number' || !(costUsd >= 0))
          return { problem: `${name.slice(0, -5)} does not know what it has spent` };
        usd += costUsd;
      }
      return { usd };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  /** Days that nobody asks for any more. */
  forgetOld(today: string): void {
    const days = readdirSync(this.#folder)
      .sort()
      .filter((day) => /^\d{4}-\d\d-\d\d$/.test(day) && day < today);
    for (const day of days.slice(0, -KEPT_DAYS)) rmSync(join(this.#folder, day), { recursive: true, force: true });
  }
}

/** The day of a time where the user is. */
export function dayOf(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
