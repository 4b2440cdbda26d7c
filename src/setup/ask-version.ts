import { runTool } from '../process/run-tool.js';

type Environment = Readonly<Record<string, string | undefined>>;

const OUTPUT_LIMIT_BYTES = 64 * 1024;

interface VersionRequest {
  /** An absolute path. */
  readonly file: string;
  readonly environment: Environment;
  /** Without folders of the tree: a script names its interpreter by it. */
  readonly path: string;
  readonly timeoutMs: number;
}

type VersionAnswer =
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

/** The first number such as `2.1.325` in a text; what else a program prints next to it is not inspected. */
export function versionIn(text: string): string | undefined {
  return /(?<![\w.])v?(\d{1,6}(?:\.\d{1,12}){1,3})(?![\w])/.exec(text.slice(0, 4000))?.[1];
}

/** Below 0 when `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
