import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../model/errors.js';
import { checkFolder } from '../../../pipeline/check-folder.js';
import { MANIFEST_NAMES } from '../../../pipeline/manifest/manifest-file.js';

/** The manifest that was named, or the one that is there. Throws ConfigError. */
export function findManifest(named: string | undefined, cwd: string): string {
  if (named !== undefined) return named;
  checkFolder(cwd);
  const [found, other] = MANIFEST_NAMES.filter((name) => existsSync(join(cwd, name)));
  if (found !== undefined && other === undefined) return found;
  const message =
    found === undefined
      ? `no manifest: there is no ${MANIFEST_NAMES[0]} here`
      : `there are ${found} and ${other}; name one of them`;
  throw new ConfigError([{ path: '', message }]);
}
