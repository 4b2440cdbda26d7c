import { checkRepository } from '../../fleet/repository-name.js';
import { ConfigError, messageOf } from '../../model/errors.js';

/** A name before the host is a login where a password, or a token in its place, is not. */
const PASSWORD_IN_URL = /^(?:https?:\/\/[^/?#]*@|[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#]*@)/i;

/** The repository as the workers reach it. Throws ConfigError. */
export function repositoryOf(repository: string | undefined): string {
  if (repository === undefined) throw refused('--repo', 'which repository? Its URL, as the workers reach it');
  if (PASSWORD_IN_URL.test(repository)) {
    const message = 'the URL carries credentials, which the database would keep: let git in where the workers are';
    throw refused('--repo', message);
  }
  try {
    checkRepository(repository);
  } catch (error) {
    throw refused('--repo', messageOf(error));
  }
  return repository;
}

/** What the work starts from. Whether it is there is seen by the worker. Throws ConfigError. */
export function branchOf(branch: string | undefined, place = '--branch'): string {
  if (branch === undefined) throw refused(place, 'which branch? The one that the work starts from');
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  if (/^[^-\s][^\s\u0000-\u001f~^:?*[\\]{0,250}$/.test(branch)) return branch;
  throw refused(place, `${JSON.stringify(branch)} cannot be the name of a branch`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}
