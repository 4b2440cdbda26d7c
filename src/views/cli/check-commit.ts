import type { LoadedConfig } from '../../config/load-config.js';
import { ConfigError } from '../../model/errors.js';
import { whyNoCommit } from '../../workspace/read-repository.js';
import type { Environment } from '../../journal/second-home.js';

/** Throws ConfigError when the work is to be committed and cannot be: after the first iteration it would be too late. */
export async function checkCommit(
  { spec, origins }: Pick<LoadedConfig, 'spec' | 'origins'>,
  environment: Environment,
): Promise<void> {
  // With this variable the repository is elsewhere: the run checks it before its first iteration.
  if (spec.commit === 'never' || (environment['GIT_DIR'] ?? '') !== '') return;
  const why = await whyNoCommit({ folder: spec.workingDir, environment });
  if (why === undefined) return;
  const place = origins['commit']?.place;
  const message = `${spec.commit} cannot be done: ${why}; write \`commit: never\`, or run in a repository`;
  throw new ConfigError([{ path: 'commit', message, ...(place === undefined ? {} : { place }) }]);
}
