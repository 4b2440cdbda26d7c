import { ConfigError } from '../../../model/errors.js';
import { limitFlags } from '../control/extensions.js';

/** Flags that mean something only with `--all`, or only without it, are not passed over in silence. */
export function checkResumeFlags(run: string | undefined, options: Readonly<Record<string, unknown>>): void {
  const isAll = options['all'] === true;
  const misplaced = isAll
    ? [
        run,
        options['cwd'],
        limitFlags(options) || undefined,
        options['detach'],
        options['quiet'],
        options['trust'],
        options['steer'],
        options['newestRules'],
        options['acceptTests'],
      ]
    : [options['within'], options['dryRun']];
  if (misplaced.every((value) => value === undefined)) return;
  const message = isAll
    ? '--all resumes every run as it is, in its own folder: it takes no run, no --cwd, no --steer and no limits'
    : '--within and --dry-run belong to --all';
  throw new ConfigError([{ path: '', message }]);
}
