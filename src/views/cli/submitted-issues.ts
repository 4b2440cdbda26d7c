import { createRedactor } from '../../journal/redact.js';
import { ConfigError, formatIssue, type Issue } from '../../model/errors.js';
import { plural } from '../../model/figures.js';

const MOST_ISSUES = 20;

/** What `look` gives; what it throws is put with the issues, so that all that is wrong is told at once. */
export function collecting<T>(issues: Issue[], look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    issues.push(...error.issues);
    return undefined;
  }
}

/** Throws ConfigError: the first ones by their lines, how many more there are, and never a secret. */
export function refuseAll(issues: readonly Issue[], environment: NodeJS.ProcessEnv): never {
  const redactor = createRedactor(environment);
  const each = [...new Map(issues.map((issue) => [formatIssue(issue), issue])).values()];
  const first = each.toSorted((one, other) => lineOf(one) - lineOf(other)).slice(0, MOST_ISSUES);
  const told = first.map((issue) => ({ ...issue, message: redactor.text(issue.message) }));
  const more = each.length - told.length;
  throw new ConfigError(more === 0 ? told : [...told, { path: '', message: `and ${plural(more, 'more mistake')}` }]);
}

function lineOf({ place = '' }: Issue): number {
  return Number(/:(\d+)(?::\d+)?(?: |$)/.exec(place)?.[1] ?? 0);
}
