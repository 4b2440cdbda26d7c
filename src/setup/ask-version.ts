import { runTool } from '../process/run-tool.js';
import { versionIn } from './version-number.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What keeps the agents from the network when they are asked for their version. */
const QUIET: Environment = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  GEMINI_CLI_NO_RELAUNCH: 'true',
  PI_OFFLINE: '1',
  PI_TELEMETRY: '0',
  COPILOT_AUTO_UPDATE: 'false',
  NO_COLOR: '1',
};

const OUTPUT_LIMIT_BYTES = 64 * 1024;

export interface VersionRequest {
  /** An absolute path. */
  readonly file: string;
  readonly environment: Environment;
  /** Without folders of the tree: a script names its interpreter by it. */
  readonly path: string;
  readonly timeoutMs: number;
}

export type VersionAnswer =
  | { readonly version: string }
  /** `isSlow`: it did not answer in time, which on a busy machine says nothing about it. */
  | { readonly problem: string; readonly isSlow?: true };

/** Asks a program for its version, away from the tree. Never rejects, and never waits longer than it is told. */
export async function askVersion({ file, environment, path, timeoutMs }: VersionRequest): Promise<VersionAnswer> {
  const result = await runTool({
    command: file,
    args: ['--version'],
    cwd: '/',
    env: { ...environment, ...QUIET, PATH: path },
    timeoutMs,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
  if (result.notStarted !== undefined) return { problem: 'cannot be started' };
  if (result.timedOut) return { problem: `did not answer --version within ${timeoutMs / 1000} s`, isSlow: true };
  if (result.overflow) return { problem: 'prints no version but something endless' };
  if (result.exitCode !== 0) return { problem: `fails when asked for its version (${endOf(result)})` };
  const version = versionIn(result.stdout.toString('utf8')) ?? versionIn(result.stderr);
  return version === undefined ? { problem: 'prints something that is no version' } : { version };
}

function endOf({ exitCode, signal }: { readonly exitCode?: number | undefined; readonly signal?: string | undefined }) {
  return exitCode === undefined ? (signal ?? 'killed') : `exit code ${exitCode}`;
}
