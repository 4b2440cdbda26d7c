import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseClaude } from '../../src/agents/claude/parse.js';

export interface Session {
  /** `claude-code-2.1.89/NAME`. */
  readonly name: string;
  readonly lastMessage: string | undefined;
  /** By the benchmark's own tests, after the session. */
  readonly isResolved: boolean | undefined;
}

/** The rows of a file `run,label`. */
export function readLabels(path: string): ReadonlyMap<string, string> {
  const rows = readFileSync(path, 'utf8').trim().split(/\r?\n/).slice(1);
  return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(',')), row.slice(row.lastIndexOf(',') + 1)]));
}

/** A recorded session; undefined when it is not here. */
export function readSession(folder: string, name: string): Session | undefined {
  const path = join(folder, `${name}.jsonl.gz`);
  if (!existsSync(path)) return undefined;
  const [set = '', run = ''] = name.split('/');
  const label = labelsOf(join(folder, set, 'labels.csv')).get(run);
  return {
    name,
    lastMessage: lastMessageOf(gunzipSync(readFileSync(path)).toString('utf8')),
    isResolved: label === undefined ? undefined : label === 'resolved',
  };
}

const known = new Map<string, ReadonlyMap<string, string>>();

function labelsOf(path: string): ReadonlyMap<string, string> {
  const labels = known.get(path) ?? (existsSync(path) ? readLabels(path) : new Map<string, string>());
  known.set(path, labels);
  return labels;
}

/** The text of the result, else the last message of the agent itself: as in a run. */
function lastMessageOf(stream: string): string | undefined {
  const events = stream.split('\n').flatMap((line) => parseClaude(line));
  const result = events.findLast((event) => event.kind === 'result');
  if (result?.text !== undefined && result.text.trim() !== '') return result.text;
  return events.findLast((event) => event.kind === 'text')?.text;
}
