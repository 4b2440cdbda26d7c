import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSnapshot, readSnapshot } from '../../../src/journal/snapshot.js';
import { RecordScanner, sealLine } from '../../../src/journal/record-scanner.js';
import { JournalDamaged } from '../../../src/model/errors.js';
import { reduce } from '../../../src/model/reduce.js';
import type { RunEvent } from '../../../src/model/run-event.js';
import { INITIAL_STATE } from '../../../src/model/run-state.js';
import { evaluatePolicy, evaluateRun } from '../../../src/stop/evaluate-policy.js';
import { factsOf } from '../../../src/stop/facts.js';
import { totalSpend } from '../../../src/model/spend-account.js';
import type { FuzzTarget } from '../fuzz-target.js';
import { recordingsIn } from './recordings.js';

const journalsIn = (root: string) =>
  recordingsIn(join(root, 'test', 'corpus', 'runs'), '.jsonl')
    .filter((_, index) => index % 5 === 0)
    .map((text) => text.split('\n').slice(0, 25).join('\n'));

/** The checksum is no secret: whoever plants a journal writes the right one. */
const unsealed = (line: string) => line.replace(/,"sum":"[0-9a-f]{8}"\}$/, '}');

export const JOURNAL_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  journal: { corpus: journalsIn, check: (input) => scanFault(input) },
  'journal that is sealed anew': {
    corpus: (root) => journalsIn(root).map((text) => text.split('\n').map(unsealed).join('\n')),
    check: (input) => {
      const lines = input.toString('utf8').split('\n');
      return scanFault(
        Buffer.concat(lines.map((line) => (line.endsWith('}') ? sealLine(line) : Buffer.from(`${line}\n`)))),
      );
    },
  },
  'state.json': {
    corpus: snapshotsIn,
    check: snapshotFault,
  },
  'state.json that is sealed anew': {
    corpus: (root) => snapshotsIn(root).map(unsealed),
    check: (input) => snapshotFault(input.at(-1) === 0x7d ? sealLine(input.toString('utf8')) : input),
  },
};

/** Read in two pieces, as it comes from a disk. */
function scanFault(bytes: Buffer): string | undefined {
  const scanner = new RecordScanner({ path: 'journal.jsonl' });
  const events: RunEvent[] = [];
  const middle = bytes.length >> 1;
  try {
    for (const part of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
      for (const event of scanner.feed(Buffer.from(part))) events.push(event);
    }
  } catch (error) {
    if (!(error instanceof JournalDamaged)) throw error;
    return undefined;
  }
  const torn = scanner.end();
  if (torn !== undefined && torn.bytes > bytes.length) return `${torn.bytes} bytes are torn off ${bytes.length}`;
  if (events.some(({ seq }, index) => seq !== index + 1)) return 'a record is missing or stands twice';
  const state = events.reduce(reduce, INITIAL_STATE);
  evaluatePolicy(state.policy, factsOf(state));
  return undefined;
}

function snapshotsIn(root: string): readonly string[] {
  return journalsIn(root)
    .slice(0, 6)
    .map((text) => {
      const events = new RecordScanner({ path: '' }).feed(Buffer.from(`${text}\n`, 'latin1'));
      const position = { seq: events.length, offset: 1000, lineBytes: 100, lineSum: '00000000' };
      const source = { runId: 'loop_01KZZZZZZZZZZZZZZZZZZZZZZZ', workingDir: '/project' };
      return encodeSnapshot(source, events.reduce(reduce, INITIAL_STATE), position)?.toString('latin1').trimEnd() ?? '';
    });
}

function snapshotFault(bytes: Buffer): string | undefined {
  const path = join(process.env['PAWL_FUZZ_FOLDER'] ?? '.', 'state.json');
  writeFileSync(path, bytes);
  const snapshot = readSnapshot(path);
  if (snapshot === undefined) return undefined;
  if (snapshot.state !== undefined) {
    evaluateRun(snapshot.state);
    totalSpend(snapshot.state.spend);
  }
  return typeof snapshot.runId === 'string' && Number.isSafeInteger(snapshot.seq) ? undefined : 'it is none';
}
