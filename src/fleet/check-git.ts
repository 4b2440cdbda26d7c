import { findProgram } from '../process/find-program.js';
import { ConfigError } from '../model/errors.js';

/** Throws ConfigError where there is no git: a worker without it would hold every run up for a minute and do none. */
export function checkGit(environment: Readonly<Record<string, string | undefined>>): void {
  if (findProgram('git', '/', environment['PATH']) !== undefined) return;
  throw new ConfigError([{ path: '', message: 'a worker needs git, and there is none in the folders of PATH' }]);
}
