import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { messageOf } from '../model/errors.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { drainPipes, signalGroup } from './reap.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The end of its standard error is kept. */
const STDERR_LIMIT_BYTES = 256 * 1024;

export interface ToolRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Environment;
  /** Goes to its standard input, which is then closed. */
  readonly input?: Uint8Array | string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Time to clean up, such as to remove locks, before it is killed. */
  readonly graceMs?: number | undefined;
  /** A tool that prints more is killed. */
  readonly outputLimitBytes: number;
}

export interface ToolResult {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** It printed more than the limit; `stdout` holds what came before. */
  readonly overflow: boolean;
  /** Why it could not be started. */
  readonly notStarted?: string | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

type Cause = 'timedOut' | 'aborted' | 'overflow';

/**
 * Runs a short-lived tool, such as git. It has a process group of its own, so that Ctrl-C in the terminal does not reach
 * it. The whole group is killed when it ends, is aborted or takes too long. Never rejects.
 */
export async function runTool(request: ToolRequest): Promise<ToolResult> {
  if (request.signal?.aborted === true) return { ...NOTHING, aborted: true };
  const file = findProgram(request.command, request.cwd, request.env['PATH']);
  if (file === undefined) return { ...NOTHING, notStarted: `${request.command} is not a program that can be run` };
  try {
    const { args, cwd, env } = request;
    const child = spawn(file, [...args], { cwd, env: { ...env }, detached: true, stdio: 'pipe' });
    return child.pid === undefined ? await failedToStart(child) : await finish(child, child.pid, request);
  } catch (error) {
    return { ...NOTHING, notStarted: messageOf(error) };
  }
}

const NOTHING: ToolResult = {
  timedOut: false,
  aborted: false,
  overflow: false,
  stdout: Buffer.alloc(0),
  stderr: '',
};

/** Node emits the reason later. */
async function failedToStart(child: ChildProcess): Promise<ToolResult> {
  const [error] = (await once(child, 'error')) as unknown[];
  return { ...NOTHING, notStarted: messageOf(error) };
}

async function finish(child: ChildProcess, pid: number, request: ToolRequest): Promise<ToolResult> {
  let cause: Cause | undefined;
  let grace: NodeJS.Timeout | undefined;
  const { graceMs = 0 } = request;
  const kill = (why: Cause) => {
    cause ??= why;
    signalGroup(pid, graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    if (graceMs > 0) grace ??= setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
  };
  const abort = () => kill('aborted');
  const timer = setTimeout(() => kill('timedOut'), request.timeoutMs);
  request.signal?.addEventListener('abort', abort, { once: true });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  // A signal that cannot be sent emits an error; the exit shows whether it died.
  child.on('error', () => undefined);
  const output = readOutput(child, request.outputLimitBytes, () => kill('overflow'));
  writeInput(child, request.input);

  const [exitCode, signal] = await exited;
  clearTimeout(timer);
  clearTimeout(grace);
  request.signal?.removeEventListener('abort', abort);
  // Processes that it left in its group would hold the pipes.
  signalGroup(pid, 'SIGKILL');
  await drainPipes(child);
  child.stdin?.destroy();
  return {
    exitCode: exitCode ?? undefined,
    signal: signal ?? undefined,
    timedOut: cause === 'timedOut',
    aborted: cause === 'aborted',
    overflow: cause === 'overflow',
    ...output(),
  };
}

function readOutput(child: ChildProcess, limitBytes: number, overflow: () => void) {
  const out: Buffer[] = [];
  let outBytes = 0;
  let errors = Buffer.alloc(0);
  child.stdout?.on('data', (chunk: Buffer) => {
    const room = limitBytes - outBytes;
    if (room > 0) out.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    outBytes += chunk.length;
    if (outBytes > limitBytes) overflow();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = Buffer.concat([errors, chunk]).subarray(-STDERR_LIMIT_BYTES);
  });
  // A pipe that breaks ends like one that is closed.
  for (const stream of [child.stdout, child.stderr]) stream?.on('error', () => undefined);
  return () => ({ stdout: Buffer.concat(out), stderr: errors.toString('utf8') });
}

/** A tool that does not read its input, or ends before it has, shows that by its exit code. */
function writeInput(child: ChildProcess, input: Uint8Array | string | undefined): void {
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input ?? '');
}

/** The file that a command names, found as a shell would find it. Undefined if there is none that can be run. */
export function findProgram(command: string, cwd: string, path: string | undefined): string | undefined {
  if (isAbsolute(command) || command.includes('/')) {
    const file = resolve(cwd, command);
    return canRun(file, cwd) ? file : undefined;
  }
  for (const folder of (path ?? '').split(delimiter)) {
    const file = resolve(cwd, folder, command);
    if (canRun(file, cwd)) return file;
  }
  return undefined;
}

/** Why a file cannot be run, and what to do. */
export function whyNotRunnable(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'it is not there';
    if (!stat.isFile()) return 'it is not a file';
  } catch (error) {
    return systemErrorWords(messageOf(error));
  }
  if (!isExecutable(path)) return `make it executable (chmod +x ${file})`;
  const interpreter = interpreterOf(path);
  return interpreter === undefined ? 'it could not be run just now' : `its interpreter ${interpreter} is not there`;
}

/** A script without its interpreter fails only when it is started, and then the fault seems to be in the script. */
function canRun(file: string, cwd: string): boolean {
  if (!isExecutable(file)) return false;
  const interpreter = interpreterOf(file);
  return interpreter === undefined || isExecutable(resolve(cwd, interpreter));
}

function interpreterOf(file: string): string | undefined {
  return /^#![ \t]*([^ \t\r\n]+)/.exec(beginningOf(file))?.[1];
}

/** Empty when it cannot be read: it may still be possible to run it. */
function beginningOf(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(256);
    const length = readSync(descriptor, bytes);
    closeSync(descriptor);
    return bytes.toString('latin1', 0, length);
  } catch {
    return '';
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
