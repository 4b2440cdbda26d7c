import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandContext } from '../../src/views/cli/command-context.js';

export interface CliOutcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Commands that read records and files, or send a message to a run. The others change the process that they run in. */
const INSPECTING: ReadonlySet<string> = new Set(
  [
    'completion __complete help schema check doctor init',
    'list status show explain logs diff stats export replay prune restore',
    'stop pause unpause skip reboot approve reject steer extend wait fleet submit',
  ].flatMap((words) => words.split(' ')),
);
const HELP: ReadonlySet<string> = new Set(['--help', '-h']);
const FOLLOWING: ReadonlySet<string> = new Set(['-f', '--follow']);

const LONGEST_MS = 60_000;

/** One command: in this process where that tells the same as a process of its own, because it starts much faster. */
export function runPawl(bin: string, words: readonly string[], place: ProcessPlace): Promise<CliOutcome> {
  return mayRunInProcess(words) ? runInProcess(words, place) : runProcess(bin, words, place);
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
  const [command = '', second = ''] = words;
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (own.some((word) => HELP.has(word))) return true;
  if (command === 'pipeline') return second === 'validate' || second === 'schema';
  return INSPECTING.has(command) && !own.some((word) => FOLLOWING.has(word));
}

/** Runs a command as a process would that has no terminal and nothing on its standard input. */
async function runInProcess(words: readonly string[], { cwd, environment }: ProcessPlace): Promise<CliOutcome> {
  const [{ runProgram }, { createTerminal }] = await Promise.all([
    import('../../src/views/cli/program.js'),
    import('../../src/views/cli/terminal.js'),
  ]);
  const [out, err] = [capture(), capture()];
  const { stream: stdout } = out;
  const { stream: stderr } = err;
  const stdin = Object.assign(Readable.from([]), { isTTY: false }) as unknown as NodeJS.ReadStream;
  const context: CommandContext = {
    environment,
    cwd,
    now: Date.now,
    stdin,
    stdout,
    stderr,
    terminal: createTerminal(stdout, stderr, environment),
  };
  const status = await runProgram(words, context);
  return { status, stdout: out.text(), stderr: err.text() };
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
