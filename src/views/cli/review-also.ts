import type { LoadedConfig } from '../../config/load-config.js';
import { type Warning, withPlace } from '../../config/review-policy.js';
import type { Environment } from '../../journal/second-home.js';
import { messageOf } from '../../model/errors.js';
import { count } from '../../model/figures.js';
import { alsoFiles } from '../../observation/also-files.js';
import type { GuardedFiles } from '../../observation/guarded-files.js';

/** All of them are compared after each iteration. */
const MOST_FILES = 10_000;

/** Patterns of `progress.also` that are probably not meant: they match nothing, or very much. */
export async function reviewAlso(
  { spec, origins }: Pick<LoadedConfig, 'spec' | 'origins'>,
  environment: Environment,
  most = MOST_FILES,
): Promise<readonly Warning[]> {
  const patterns = spec.progressAlso ?? [];
  const problems = spec.trackFileChanges
    ? await Promise.all(
        patterns.map((pattern) => problemOf(alsoFiles(spec.workingDir, [pattern], environment['HOME']), pattern, most)),
      )
    : [patterns.length === 0 ? undefined : 'it counts nothing, because track_file_changes is false'];
  const messages = problems.filter((message) => message !== undefined);
  return messages.map((message) => withPlace({ path: 'progress.also', message }, origins));
}

async function problemOf(files: GuardedFiles, pattern: string, most: number): Promise<string | undefined> {
  try {
    const found = await files.count(most);
    if (found === 0) return `${pattern} matches no file yet`;
    if (found <= most) return undefined;
    return `${pattern} matches more than ${count(most)} files, which are all compared after each iteration; name fewer`;
  } catch (error) {
    return `whether ${pattern} changes cannot be observed: ${messageOf(error)}`;
  }
}
