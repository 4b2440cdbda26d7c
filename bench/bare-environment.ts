import { delimiter, join } from 'node:path';

/** Of a scratch folder, from nothing, so that no key and no setting of the user's gets in. */
export function bareEnvironment(folder: string): NodeJS.ProcessEnv {
  const home = join(folder, 'home');
  return {
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    TMPDIR: join(folder, 'tmp'),
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
    DO_NOT_TRACK: '1',
    NO_UPDATE_NOTIFIER: '1',
  };
}
