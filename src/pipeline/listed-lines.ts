import { clip } from '../model/field-rules.js';
import type { Harness } from '../observation/harness.js';
import { runCommand } from '../observation/run-command.js';
import { LARGEST_LIST_BYTES, MOST_ITEMS, TOO_MANY_ITEMS } from './item-limits.js';
import { outerEnvironment } from './outer-environment.js';

/** What a command that lists items prints. It is ended as soon as that is too much. Throws with what is wrong with it. */
export async function listedLines(command: string, timeoutMs: number, harness: Harness): Promise<readonly string[]> {
  const lines: string[] = [];
  const enough = new AbortController();
  let tooMuch: string | undefined;
  let items = 0;
  let characters = 0;
  const onLine = (text: string, from: 'stdout' | 'stderr') => {
    if (from === 'stderr' || tooMuch !== undefined) return;
    lines.push(text);
    items += text.trim() === '' ? 0 : 1;
    characters += text.length + 1;
    if (items > MOST_ITEMS) tooMuch = TOO_MANY_ITEMS;
    else if (characters > LARGEST_LIST_BYTES) tooMuch = 'the command that lists the items prints more than 256 MB';
    if (tooMuch !== undefined) enough.abort();
  };
  const signal = AbortSignal.any([enough.signal, ...(harness.signal === undefined ? [] : [harness.signal])]);
  const environment = outerEnvironment(harness.environment);
  const outcome = await runCommand({ shell: command }, { timeoutMs, onLine }, { ...harness, environment, signal });
  if (tooMuch !== undefined) throw new Error(tooMuch);
  const { exitCode, timedOut, notStarted, output, signal: ended } = outcome;
  if (exitCode !== 0) {
    const why = timedOut ? 'did not end in time' : (notStarted ?? `exits with ${exitCode ?? ended ?? 'nothing'}`);
    const last = output.trim().split('\n').at(-1) ?? '';
    throw new Error(`the command that lists the items ${why}${last === '' ? '' : `: ${clip(last)}`}`);
  }
  // What could not be read as text was replaced by this.
  const damaged = lines.findIndex((line) => line.includes('\ufffd'));
  if (damaged >= 0) throw new Error(`what the command prints: line ${damaged + 1}: is not valid UTF-8 text`);
  return lines;
}
