import { posix } from 'node:path';
import { MOST_PATH_CHARACTERS, suiteFileOf } from './suite-files.js';

/** Lists of sources name test files. Those that exist in the clean room are those of the start, so the lists must agree. */
export class TestTokens {
  readonly #folder: string;
  readonly #original: ReadonlySet<string>;
  readonly #now: ReadonlySet<string>;
  readonly #completed = new Set<string>();

  constructor(path: string, original: string, now: string) {
    this.#folder = posix.dirname(path);
    this.#original = new Set(original.match(TOKEN));
    this.#now = new Set(now.match(TOKEN));
  }

  isTest(token: string): boolean {
    if (token.length > MOST_PATH_CHARACTERS) return false;
    const folder = (_: string, name: string) => (/test/i.test(name) ? 'tests/' : '');
    const file = token.replace(/^\$[{(](\w+)[)}]\//, folder).replace(/\.(?:o|obj)$/, '.c');
    return /^[\w./+-]+\.\w+$/.test(file) && suiteFileOf(posix.join(this.#folder, file)) === 'test';
  }

  isNewTest(token: string): boolean {
    return !this.#original.has(token) && this.isTest(token);
  }

  /** Without the test files that are not there. */
  withoutNew(text: string): string {
    return text.replace(TOKEN, (token) => (this.isNewTest(token) ? '' : token));
  }

  /** Those test files of a list that now are in no list. Each list is completed once. */
  missingFrom(list: string): readonly string[] {
    if (this.#completed.has(list)) return [];
    this.#completed.add(list);
    return (list.match(TOKEN) ?? []).filter((token) => !this.#now.has(token) && this.isTest(token));
  }
}

const TOKEN = /(?:\$[{(]\w+[)}]|[^\s()"';,=:#<>|&$\\])+/g;
