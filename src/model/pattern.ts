import { headOf } from './figures.js';
import { RE2JS } from 're2js';
import { messageOf } from './errors.js';

/** What an `output_pattern` looks for. */
export interface Pattern {
  readonly pattern: string;
  readonly is_regex?: boolean | undefined;
}

/** Finds a pattern in text; returns what was found, shortened, or undefined. */
export type Matcher = (text: string) => string | undefined;

const EXCERPT_CHARACTERS = 200;
/** Each costs time for every character of the text: `(a{1,50}){1,20}` has 2,000. */
const MOST_STEPS = 400;

/** Says why a regular expression cannot be used, or undefined when it can. */
export function regexProblem(pattern: string): string | undefined {
  try {
    const regex = RE2JS.compile(pattern, RE2JS.MULTILINE);
    const steps = regex.programSize();
    if (steps > MOST_STEPS) return `is too large: it has ${steps} steps, and at most ${MOST_STEPS} are searched`;
    const matchesNothing = regex.matcher('').find();
    return matchesNothing ? 'matches an empty text, so anything the agent says would do' : undefined;
  } catch (error) {
    const why = messageOf(error).replace('(?m)', '');
    return `is not a regular expression that runs in linear time (no look-around, no back-references): ${why}`;
  }
}

/** Linear in the text whatever the pattern says: `(a+)+$` cannot hang a run. */
export function compilePattern({ pattern, is_regex }: Pattern): Matcher {
  if (is_regex !== true) {
    return (text) => (text.includes(pattern) ? excerpt(pattern) : undefined);
  }
  const regex = RE2JS.compile(pattern, RE2JS.MULTILINE);
  return (text) => {
    const matcher = regex.matcher(text);
    const found = matcher.find() ? matcher.group() : null;
    return found === null ? undefined : excerpt(found);
  };
}

function excerpt(found: string): string {
  return found.length > EXCERPT_CHARACTERS ? `${headOf(found, EXCERPT_CHARACTERS)}…` : found;
}
