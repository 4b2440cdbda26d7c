import { constants } from 'node:fs';
import { cp, statfs } from 'node:fs/promises';
import { findProgram, runTool, type ToolResult } from '../process/run-tool.js';

export interface CopyOptions {
  readonly toolPath: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a copy leaves of a disk for others, such as the journal. */
const LEFT_FREE_BYTES = 256 * 1024 * 1024;
const OUTPUT_LIMIT_BYTES = 1024 * 1024;

/** Copies what is in a folder into another, which is empty. Throws an error that says why it cannot. */
export async function copyTree(from: string, to: string, options: CopyOptions): Promise<void> {
  await checkRoom(from, to, options);
  if (findProgram('cp', '/', options.toolPath) === undefined) return copyHere(from, to);
  // The files of a copy share their blocks with the tree where the disk can do that.
  const result = await run('cp', ['-a', '--reflink=auto', '--', `${from}/.`, to], options);
  const hasOption = !/illegal option|unrecognized option/.test(result.stderr);
  const problem = problemOf(hasOption ? result : await run('cp', ['-a', `${from}/.`, to], options));
  if (problem !== undefined) throw new Error(`the work tree cannot be copied: ${problem}`);
}

async function copyHere(from: string, to: string): Promise<void> {
  const mode = constants.COPYFILE_FICLONE;
  await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, mode });
}

/** A disk that the copy fills up would end the run. */
async function checkRoom(from: string, to: string, options: CopyOptions): Promise<void> {
  const { stdout } = await run('du', ['-sk', from], options);
  const neededBytes = Number.parseInt(stdout.toString('latin1'), 10) * 1024;
  const { bavail, bsize } = await statfs(to);
  const freeBytes = bavail * bsize - LEFT_FREE_BYTES;
  if (neededBytes <= freeBytes || Number.isNaN(neededBytes)) return;
  const megabytes = (bytes: number) => `${Math.ceil(Math.max(0, bytes) / 1e6)} MB`;
  throw new Error(`a copy of the work tree takes ${megabytes(neededBytes)}, and ${megabytes(freeBytes)} can be used`);
}

/** What the user cannot read, the tests cannot read in the work tree either. */
function problemOf({ exitCode, stderr, timedOut, aborted, notStarted }: ToolResult): string | undefined {
  if (exitCode === 0) return undefined;
  if (timedOut) return 'it took too long';
  if (aborted) return 'it was interrupted';
  const lines = stderr.trim().split('\n');
  if (exitCode === 1 && lines.every((line) => line.endsWith('Permission denied'))) return undefined;
  return notStarted ?? lines.find((line) => !line.endsWith('Permission denied'));
}

function run(command: string, args: readonly string[], { toolPath, timeoutMs, signal }: CopyOptions) {
  const env = { PATH: toolPath };
  return runTool({ command, args, cwd: '/', env, timeoutMs, signal, outputLimitBytes: OUTPUT_LIMIT_BYTES });
}
