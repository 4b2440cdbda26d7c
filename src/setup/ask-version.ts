import { runTool } from '../process/run-tool.js';
import { versionIn } from './version-number.js';

type Environment = Readonly<Record<string, string | undefined>>;

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

/** Asks a program for its version, outside the tree. Never rejects, and never waits longer than `timeoutMs`. */
export async function askVersion({ file, environment, path, timeoutMs }: VersionRequest): Promise<VersionAnswer> {
  const result = await runTool({
    command: file,
    args: ['--version'],
    cwd: '/',
    env: { ...environment, NO_COLOR: '1', PATH: path },
    timeoutMs,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
  if (result.notStarted !== undefined) return { problem: 'cannot be started' };
  if (result.timedOut) return { problem: `did not answer --version within ${timeoutMs / 1000} s`, isSlow: true };
  if (result.overflow) return { problem: 'prints endless output instead of a version' };
  if (result.exitCode !== 0) return { problem: `fails when asked for its version (${endOf(result)})` };
  const version = versionIn(result.stdout.toString('utf8')) ?? versionIn(result.stderr);
  return version === undefined ? { problem: 'prints something that is not a version' } : { version };
}

function endOf({ exitCode, signal }: { readonly exitCode?: number | undefined; readonly signal?: string | undefined }) {
  return exitCode === undefined ? (signal ?? 'killed') : `exit code ${exitCode}`;
}
