import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { CloneFailed } from './clone-failed.js';

const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i;
const WITH_HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/.|[^/:\s]+:(?!:).)/i;

/** How a repository may be shown and kept: without the credentials that its URL may carry. */
export function withoutCredentials(repository: string): string {
  const bare = repository.replace(CREDENTIALS, '$1');
  return /^https?:/i.test(bare) ? bare.replace(/[?#].*$/s, '') : bare;
}

/** Takes out of a text what is in the URL before the host, however it was written down. */
export function credentialScrubber(repository: string): (text: string) => string {
  const given = CREDENTIALS.exec(repository)?.[2];
  const secrets = given === undefined ? [] : [`${given}@`, ...given.split(':').slice(1).flatMap(bothForms)];
  const query = /^https?:[^?#]*([?#].+)$/is.exec(repository)?.[1];
  const all = [...secrets, ...(query === undefined ? [] : [query])].filter((secret) => secret.length > 3);
  return (text) =>
    all
      .reduce((rest, secret) => rest.replaceAll(secret, secret.endsWith('@') ? '' : '***'), text)
      .replaceAll(/(\w:\/\/)[^/\s@']+@/g, '$1');
}

function bothForms(secret: string): readonly string[] {
  try {
    return [secret, decodeURIComponent(secret)];
  } catch {
    return [secret];
  }
}

/** Throws CloneFailed for what git would take for something else, such as a path below the folder it runs in. */
export function checkRepository(repository: string): void {
  const shown = JSON.stringify(withoutCredentials(repository));
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  if (repository === '' || /[\u0000-\u001f]/.test(repository)) {
    throw new CloneFailed('invalid', `${shown} is not the address of a git repository`);
  }
  if (repository.startsWith('-') || !(isAbsolute(repository) || WITH_HOST.test(repository))) {
    throw new CloneFailed('invalid', `${shown} is not the address of a git repository: a URL or an absolute path is`);
  }
}

/** A name for a folder: one for each repository, whoever logs in to it. */
export function repositoryFolder(repository: string): string {
  const bare = withoutCredentials(repository);
  const last = /([^/:\\]*?)(?:\.git)?\/*$/.exec(bare)?.[1] ?? '';
  const readable = last.replaceAll(/[^\w.-]/g, '_').slice(0, 40);
  return `${readable}-${createHash('sha256').update(bare).digest('hex').slice(0, 12)}`;
}
