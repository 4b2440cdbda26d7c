import { dirname } from 'node:path';
import { loadConfig } from '../../config/load-config.js';
import { stateHome } from '../../journal/second-home.js';
import { trustConfig } from '../../setup/trust.js';

/** Whoever has a config written has confirmed what it executes. Where that cannot be kept, the first run asks. */
export function trustWritten(configPath: string, environment: NodeJS.ProcessEnv): void {
  try {
    trustConfig(loadConfig({ cwd: dirname(configPath), configPath, env: environment }), stateHome(environment));
  } catch {
    // A broken config of the user's own is told by `pawl check` and by the run.
  }
}
