import { extname } from 'node:path';
import type { Issue } from '../../model/errors.js';

const LIST_KEY = /^(?:success|failure|limits|conditions)\s*:/m;
const OTHER = /^(?:stop\s*:|---|\.\.\.|%|\{|\[)/m;

/** A YAML file with the lists of `stop` at its top, put under `stop`; undefined when it is anything else. */
export function asStopPart(text: string, path: string): string | undefined {
  if (extname(path).toLowerCase() === '.json' || !LIST_KEY.test(text) || OTHER.test(text)) return undefined;
  return `stop:\n${text.replace(/^(?=.)/gm, '  ')}`;
}

/** What is wrong stands one line above and two columns before the place in the text that was made. */
export function placedInStopPart(issue: Issue): Issue {
  const place = issue.place?.replace(
    /:(\d+):(\d+)$/,
    (_, line: string, column: string) => `:${Math.max(1, Number(line) - 1)}:${Math.max(1, Number(column) - 2)}`,
  );
  return place === undefined ? issue : { ...issue, place };
}
