import { ConfigError } from '../../../model/errors.js';

export interface LabelOptions {
  readonly label?: readonly string[];
  readonly labels?: readonly string[];
}

/** Those of both flags. Throws ConfigError. */
export function givenLabels({ label = [], labels = [] }: LabelOptions): readonly string[] {
  return [...new Set([...labelsOf(label), ...labelsOf(labels, '--labels')])];
}

/** The labels that were given, each once: one that looks like another is that one. Throws ConfigError. */
export function labelsOf(given: readonly string[] = [], place = '--label'): readonly string[] {
  const wrong = given.find((label) => !/^[^\s,\p{Cc}]{1,100}$/u.test(label));
  if (wrong === undefined) return [...new Set(given.map((label) => label.normalize('NFC')))];
  if (wrong.includes(',')) {
    const several = place === '--label' ? '--labels takes several, with commas between them' : 'give each by itself';
    throw new ConfigError([{ path: '', place, message: `${JSON.stringify(wrong)} has a comma: ${several}` }]);
  }
  const message = `must be one word of at most 100 characters, not ${JSON.stringify(wrong)}`;
  throw new ConfigError([{ path: '', place, message }]);
}
