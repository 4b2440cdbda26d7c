import { spawn } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { type CliOutcome, type ProcessPlace, runParts } from './command-parts.js';

export type { CliOutcome } from './command-parts.js';

/** Commands that end by themselves. The others are servers, or are for a terminal. */
const ENDING: ReadonlySet<string> = new Set(
  [
    'run resume pipeline',
    'completion __complete help schema check doctor init',
    'list status show explain logs diff stats export replay prune restore import',
    'stop pause unpause skip reboot approve reject steer extend wait fleet submit',
  ].flatMap((words) => words.split(' ')),
);
const HELP: ReadonlySet<string> = new Set(['--help', '-h']);
/** These make a command follow a run, or start processes of its own kind. */
const LASTING: ReadonlySet<string> = new Set(['-f', '--follow', '--detach', '--all']);

const LONGEST_MS = 60_000;

/** One command: in this process where that tells the same as a process of its own, because it starts much faster. */
export function runPawl(bin: string, words: readonly string[], place: ProcessPlace): Promise<CliOutcome> {
  return mayRunInProcess(words) ? runParts(partsOf(bin), words, place) : runProcess(bin, words, place);
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
export function mayRunInProcess(words: readonly string[]): boolean {
  const [command = ''] = words;
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (own.some((word) => HELP.has(word))) return true;
  return ENDING.has(command) && !own.some((word) => LASTING.has(word));
}

/** Its parts, loaded once for all test files of this process. A copy with packages beside it finds other prices: it is loaded by itself. */
function partsOf(bin: string): string {
  const own = join(dirname(bin), 'chunks');
  const suite = inject('suiteFolder') as string | undefined;
  if (suite === undefined || existsSync(join(dirname(bin), '..', 'node_modules'))) return own;
  const shared = join(suite, `command-${process.pid}`, 'bin', 'chunks');
  if (!existsSync(shared)) {
    cpSync(own, shared, { recursive: true });
    writeFileSync(join(shared, 'package.json'), '{ "type": "module" }');
  }
  return shared;
}
