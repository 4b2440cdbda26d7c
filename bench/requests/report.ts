import type { SeenRequest } from '../../src/model/observation.js';
import type { Session } from './sessions.js';

export interface Read extends Session {
  readonly found: SeenRequest | undefined;
}

export interface Reader {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const isLabelled = ({ labels }: Reader, { name }: Session) => (labels.get(name) ?? 'none') !== 'none';

interface Counts {
  readonly hits: number;
  readonly misses: number;
  readonly falseAlarms: number;
  readonly sameKind: number;
}

export function countsOf(reads: readonly Read[], reader: Reader): Counts {
  const asking = reads.filter((read) => isLabelled(reader, read));
  const hits = asking.filter(({ found }) => found !== undefined);
  return {
    hits: hits.length,
    misses: asking.length - hits.length,
    falseAlarms: reads.filter((read) => read.found !== undefined && !isLabelled(reader, read)).length,
    sameKind: hits.filter(({ name, found }) => reader.labels.get(name) === found?.kind).length,
  };
}

/** The page of one run: the counts, every hit by name, every miss. */
export function report(reads: readonly Read[], readers: readonly Reader[], missing: readonly string[]): string {
  const found = reads.filter((read) => read.found !== undefined);
  const missed = reads.filter((read) => read.found === undefined && readers.some((reader) => isLabelled(reader, read)));
  const solved = found.filter(({ isResolved }) => isResolved === true);
  const labels = ({ name }: Session) => readers.map((reader) => reader.labels.get(name) ?? '');
  return [
    '# What the detector finds',
    '',
    'Written by `npm run bench -- requests`. The README says how the labels were made.',
    '',
    `${reads.length} sessions were read${missing.length === 0 ? '' : `, ${missing.length} were not here`}. The detector finds a request`,
    `in ${found.length} of them. ${solved.length} of these ${found.length} had solved their task.`,
    '',
    row(['', 'hits', 'misses', 'false alarms', 'hits of the same kind']),
    '|---|---:|---:|---:|---:|',
    ...readers.map((reader) => {
      const { hits, misses, falseAlarms, sameKind } = countsOf(reads, reader);
      return row([`reader ${reader.name}`, hits, misses, falseAlarms, sameKind]);
    }),
    '',
    '## Found',
    '',
    row(['session', 'found', ...readers.map(({ name }) => `reader ${name}`), 'task', 'sentence']),
    `|${'---|'.repeat(readers.length + 4)}`,
    ...found.map((read) =>
      row([read.name, read.found?.kind ?? '', ...labels(read), taskOf(read), cell(read.found?.sentence ?? '')]),
    ),
    '',
    '## Missed',
    '',
    row(['session', ...readers.map(({ name }) => `reader ${name}`), 'task']),
    `|${'---|'.repeat(readers.length + 2)}`,
    ...missed.map((read) => row([read.name, ...labels(read), taskOf(read)])),
    '',
  ].join('\n');
}

function taskOf({ isResolved }: Session): string {
  return isResolved === undefined ? 'unknown' : isResolved ? 'solved' : 'not solved';
}

function cell(text: string): string {
  const line = text.replace(/\s+/g, ' ').replace(/\|/g, '\\|');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
