import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Results } from './results.js';

/**
 * Where a run's results go: after each measurement into a file beside, which takes the name of the last whole one only
 * when all is measured. So an end in the middle loses neither.
 */
export class ResultFile {
  readonly #path: string;
  readonly #unfinished: string;
  #isBegun = false;

  constructor(path: string) {
    this.#path = path;
    this.#unfinished = path.replace(/(?:\.json)?$/, '.unfinished.json');
  }

  /** Where an aborted run has left what it measured; undefined when it measured nothing or all. */
  get unfinished(): string | undefined {
    return this.#isBegun ? this.#unfinished : undefined;
  }

  keep(results: Results): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#unfinished, `${JSON.stringify(results, undefined, 2)}\n`);
    this.#isBegun = true;
  }

  finish(results: Results): void {
    this.keep(results);
    renameSync(this.#unfinished, this.#path);
    this.#isBegun = false;
  }
}

export function readResultFile(path: string): Results {
  return JSON.parse(readFileSync(path, 'utf8')) as Results;
}
