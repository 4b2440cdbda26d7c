import { count, list, plural } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import type { TestResults } from '../test-results.js';

export const specificTestsPass = defineCondition({
  type: 'specific_tests_pass',
  about: 'each of the named tests passed',
  fields: { tests: field.texts },
  make: (tests: readonly string[]) => ({ tests }),
  short: 'tests',
  class: 'goal',
  goalOnly: true,
  priority: 60,
  where: 'loop',
  needsDirectory: true,
  needs: ({ tests }) => ({ tests }),
  evidence: 'tests',
  judge: ({ tests: named }, { tests }) => {
    if (tests === undefined) return unknown('the tests were not run');
    const missing = named.filter((name) => !passed(tests, name));
    if (missing.length === 0) return met(`${plural(named.length, 'named test')} passed`);
    const unseen = missing.filter((name) => !tests.details.some((detail) => detail.name === name));
    const complete = (tests.omittedDetails ?? 0) === 0 && tests.details.length > 0;
    if (unseen.length === missing.length && !complete) return unknown(`no result of ${list(unseen)}`);
    const done = named.length - missing.length;
    const sentence = `${count(done)} of ${plural(named.length, 'named test')} passed, waiting for ${list(missing)}`;
    return notMet(sentence, done / named.length);
  },
  describe: ({ tests }) => `when these tests pass: ${list(tests, 10)}`,
  takes: ({ tests }) => `these tests to pass: ${list(tests)}`,
});

/** A name that represents several tests has passed when all of them have. */
function passed(tests: TestResults, name: string): boolean {
  const named = tests.details.filter((detail) => detail.name === name);
  return named.length > 0 && named.every((detail) => detail.status === 'passed');
}
