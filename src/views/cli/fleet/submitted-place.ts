import { checkRepository } from '../../../workspace/repository-name.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { clip } from '../../../model/show-value.js';

/** A name before the host is a login where a password, or a token in its place, is not. */
const PASSWORD_IN_URL = /^(?:https?:\/\/[^/?#]*@|(?:[a-z][a-z0-9+.-]*:)?\/{0,2}[^/?#@:]*:[^/?#@]*@)/i;
/** Where some hosts of repositories take a token. */
const QUERY_IN_URL = /^https?:[^?#]*[?#]/i;
const URL_OF_GIT = /^[a-z][a-z0-9+.-]*:\/\/|^(?:https?|ssh|file):\//i;

/** The repository as the workers reach it. Throws ConfigError. */
export function repositoryOf(repository: string | undefined): string {
  if (repository === undefined)
    throw refused('--repo', 'missing: give the URL of the repository, as the workers reach it');
  const secret = secretInUrl(repository);
  if (secret !== undefined) throw refused('--repo', secret);
  if (URL_OF_GIT.test(repository) && !isWholeUrl(repository)) {
    throw refused('--repo', `${JSON.stringify(repository)} is not a whole URL, such as https://host/team/app.git`);
  }
  try {
    checkRepository(repository);
  } catch (error) {
    throw refused('--repo', messageOf(error));
  }
  return repository;
}

/** Why the database may not keep it; undefined when it may. */
export function secretInUrl(repository: string): string | undefined {
  if (PASSWORD_IN_URL.test(repository)) {
    return 'the URL carries credentials, which the database would keep: set up the credentials of git on the workers instead';
  }
  if (!QUERY_IN_URL.test(repository)) return undefined;
  return 'the part after ? or # may be a secret, which the database would keep: leave it out';
}

function isWholeUrl(repository: string): boolean {
  if (!URL.canParse(repository) || !/^[^:]*:\/\//.test(repository)) return false;
  const { protocol, host, pathname } = new URL(repository);
  return protocol === 'file:' ? pathname.length > 1 : host !== '';
}

// oxlint-disable-next-line no-control-regex -- these are what must not be there
const NO_BRANCH = /[\s\u0000-\u001f\u007f~^:?*[\\]|^[-/]|^@$|\/$|\.$|\.\.|\/\/|@\{|(?:^|\/)\.|\.lock(?:\/|$)/;

/** What the work starts from. Whether it is there is seen by the worker. Throws ConfigError. */
export function branchOf(branch: string | undefined, place = '--branch'): string {
  if (branch === undefined) throw refused(place, 'missing: give the branch that the work starts from');
  if (branch.length > 0 && branch.length <= 250 && !NO_BRANCH.test(branch)) return branch;
  throw refused(place, `${clip(JSON.stringify(branch))} cannot be the name of a branch`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}
