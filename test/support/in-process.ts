import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type * as Context from '../../src/views/cli/command-context.js';
import type * as Program from '../../src/views/cli/program.js';

export interface CliOutcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Commands that end by themselves. The others are servers, or are for a terminal. */
const ENDING: ReadonlySet<string> = new Set(
  [
    'run resume pipeline',
    'completion __complete help schema check doctor init',
    'list status show explain logs diff stats export replay prune restore',
    'stop pause unpause skip reboot approve reject steer extend wait fleet submit',
  ].flatMap((words) => words.split(' ')),
);
const HELP: ReadonlySet<string> = new Set(['--help', '-h']);
/** These make a command follow a run, or start processes of its own kind. */
const LASTING: ReadonlySet<string> = new Set(['-f', '--follow', '--detach', '--all']);

const LONGEST_MS = 60_000;

/** One command: in this process where that tells the same as a process of its own, because it starts much faster. */
export function runPawl(bin: string, words: readonly string[], place: ProcessPlace): Promise<CliOutcome> {
  return mayRunInProcess(words) ? runInProcess(bin, words, place) : runProcess(bin, words, place);
}

/** One command in a process of its own, for tests of what only a process has. */
export async function runProcess(bin: string, words: readonly string[], place: ProcessPlace): Promise<CliOutcome> {
  const { cwd, environment: env } = place;
  const child = spawn(process.execPath, [bin, ...words], { cwd, env: { ...env }, timeout: LONGEST_MS });
  child.stdin.end();
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  return { status, stdout, stderr };
}

/** Whether a command does the same in the process of the test. */
function mayRunInProcess(words: readonly string[]): boolean {
  const [command = ''] = words;
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (own.some((word) => HELP.has(word))) return true;
  return ENDING.has(command) && !own.some((word) => LASTING.has(word));
}

/** Runs a command as a process would that has no terminal and nothing on its standard input. */
async function runInProcess(bin: string, words: readonly string[], place: ProcessPlace): Promise<CliOutcome> {
  const [{ runProgram }, { createContext }] = await Promise.all([
    load<typeof Program>(bin, 'program'),
    load<typeof Context>(bin, 'command-context'),
  ]);
  const [out, err] = [capture(), capture()];
  const stdin = Object.assign(Readable.from([]), { isTTY: false }) as unknown as NodeJS.ReadStream;
  const parts = { env: place.environment, cwd: () => place.cwd, stdin, stdout: out.stream, stderr: err.stream };
  const status = await runProgram(words, createContext(parts));
  return { status, stdout: out.text(), stderr: err.text() };
}

/** A part of the built command. It loads faster than hundreds of source files. */
async function load<T>(bin: string, name: string): Promise<T> {
  const chunks = join(dirname(bin), 'chunks');
  const [file] = readdirSync(chunks).filter((one) => new RegExp(`^${name}-[A-Z0-9]+\\.js$`).test(one));
  if (file === undefined) throw new Error(`the built command has no part ${name}`);
  return (await import(pathToFileURL(join(chunks, file)).href)) as T;
}

function capture() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream,
    text: () => Buffer.concat(chunks).toString(),
  };
}
