import { textPlaces } from '../../../config/config-file.js';
import { findKeys, type FoundKey } from '../../../journal/known-keys.js';
import type { Secret } from '../../../journal/redact.js';
import type { Issue } from '../../../model/errors.js';

/** A text that the database would keep, and where somebody has written it. */
export interface SubmittedText {
  /** A flag, a variable, a file, or a line of one. */
  readonly place: string;
  /** The key there. */
  readonly path?: string | undefined;
  readonly text: string;
  /** The place is a file: line and column are told with it. */
  readonly isFile?: true | undefined;
}

export const SECRET_ADVICE = 'the database would keep it; leave it out, and set it where the workers are';

/** A password for what only the same machine can reach lets nobody in from elsewhere. */
const LOCAL_HOST = /^@(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?![\w.-])/i;

/** What Postgres cannot keep in a text. */
export function unkeepableIssues(submitted: SubmittedText): readonly Issue[] {
  const { text } = submitted;
  const at = text.search(/[\0\p{Cs}]/u);
  if (at < 0) return [];
  const what = text[at] === '\0' ? 'a NUL character' : 'half of a character (a lone surrogate)';
  return [issueIn(submitted, at, `holds ${what}, which the database cannot keep`)];
}

/** The secrets in a text, each once, by the name of their variable or of their kind and never by their value. */
export function secretIssues(submitted: SubmittedText, secrets: readonly Secret[]): readonly Issue[] {
  const { text } = submitted;
  const values = secrets.filter(({ value }) => text.includes(value));
  const byVariable = new Map(values.map(({ name, value }) => [name, text.indexOf(value)]));
  const keys = keysToRefuse(text).filter(({ key }) => !values.some(({ value }) => value.includes(key)));
  return [
    ...Array.from(byVariable, ([name, at]) => issueIn(submitted, at, `holds the value of $${name}: ${SECRET_ADVICE}`)),
    ...keys.map(({ name, at }) => issueIn(submitted, at, `contains what looks like a key (${name}): ${SECRET_ADVICE}`)),
  ];
}

/** The keys in a text that are keys by their format, each once. */
export function keysToRefuse(text: string): readonly FoundKey[] {
  const found = findKeys(text).filter(
    ({ name, key, at }) =>
      name !== 'url_password' || !LOCAL_HOST.test(text.slice(at + key.length, at + key.length + 20)),
  );
  return found.filter(({ key }, index) => found.findIndex((one) => one.key === key) === index);
}

function issueIn({ place, path = '', text, isFile }: SubmittedText, at: number, message: string): Issue {
  return { path, place: isFile === true ? `${place}:${textPlaces(text)(at)}` : place, message };
}
