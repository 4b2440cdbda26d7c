import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf, isMissing } from '../../../journal/disk.js';
import type { Environment } from '../../../journal/run-places.js';
import { messageOf } from '../../../model/errors.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import { homeShort } from './run-row.js';

const PATIENCE_MS = 2000;
/** Each waiting look holds one of the few threads that all files are read by. */
const MOST_WAITING = 2;

export interface FoundProjects {
  readonly there: readonly string[];
  /** Folders that could not be inspected, with why. */
  readonly problems: readonly string[];
}

/** Which folders can be inspected. A disk that does not answer is asked once, and holds no one up after that. */
export class Projects {
  readonly #waiting = new Map<string, Promise<Answer>>();

  async look(folders: readonly string[], environment: Environment): Promise<FoundProjects> {
    const there: string[] = [];
    const problems: string[] = [];
    for (const folder of folders) {
      // oxlint-disable-next-line no-await-in-loop -- one thread at a time
      const answer = await this.#ask(folder);
      if (answer === 'there') there.push(folder);
      else if (answer !== 'gone') problems.push(`${homeShort(folder, environment)}: ${answer.problem}`);
    }
    return { there, problems };
  }

  async #ask(folder: string): Promise<Answer> {
    const isAsked = this.#waiting.has(folder);
    if (!isAsked && this.#waiting.size >= MOST_WAITING) return SLOW;
    const asked = this.#waiting.get(folder) ?? answerOf(folder);
    this.#waiting.set(folder, asked);
    void asked.then(() => this.#waiting.delete(folder));
    const timeout = new AbortController();
    try {
      const late = pause(isAsked ? 0 : PATIENCE_MS, SLOW, { signal: timeout.signal }).catch(() => SLOW);
      return await Promise.race([asked, late]);
    } finally {
      timeout.abort();
    }
  }
}

type Answer = 'there' | 'gone' | { readonly problem: string };

const SLOW: Answer = { problem: 'its disk does not answer' };

async function answerOf(folder: string): Promise<Answer> {
  try {
    return (await stat(folder)).isDirectory() ? 'there' : 'gone';
  } catch (error) {
    if (isMissing(error)) return 'gone';
    return { problem: errnoOf(error) === undefined ? 'it cannot be read' : systemErrorWords(messageOf(error)) };
  }
}
