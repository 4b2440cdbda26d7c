import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './given-overrides.js';

/** `$XDG_CONFIG_HOME/pawl/config.yaml`; a relative XDG path is no path, says its specification. */
export function userFilePath(env: Environment): string | undefined {
  const xdg = env['XDG_CONFIG_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'pawl', 'config.yaml');
  const home = env['HOME'] ?? homeDirectory();
  return home === undefined || !isAbsolute(home) ? undefined : join(home, '.config', 'pawl', 'config.yaml');
}

function homeDirectory(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}
