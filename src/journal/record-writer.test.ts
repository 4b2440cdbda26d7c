import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_POLICY } from '../model/policy.js';
import type { NewEvent, RunEvent } from '../model/run-event.js';
import { readJournal } from './read-journal.js';
import { RecordWriter } from './record-writer.js';
import { readSnapshot } from './snapshot.js';

const RUN = 'imported_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const STARTED: NewEvent = {
  type: 'run-started',
  runId: RUN,
  kind: 'imported',
  policy: EMPTY_POLICY,
  agent: { name: 'a', usage: 'live' },
  versions: {},
};
const said = (text: string): NewEvent => ({ type: 'agent-said', text });

let runs: string;
let writer: RecordWriter;
beforeEach(() => {
  runs = mkdtempSync(join(tmpdir(), 'pawl-writer-'));
  writer = new RecordWriter({
    runs,
    runId: RUN,
    workingDir: '/work',
    redact: (json) => json.replaceAll('hunter2', '[KEY]'),
  });
});
afterEach(() => rmSync(runs, { recursive: true }));

const append = (event: NewEvent, ms = 0) =>
  writer.append(event, { at: new Date(1_000 + ms).toISOString(), activeMs: ms });

async function written(): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of readJournal(join(runs, RUN, 'journal.jsonl'))) events.push(event);
  return events;
}

describe('a record that is written as a whole', () => {
  it('is read as it was written, without secrets, and its snapshot is at its end', async () => {
    append(STARTED);
    append(said('the key is hunter2'), 5);
    writer.finish({ 'import.json': '{"a":1}\n' });
    const events = await written();
    expect(events.map(({ seq, type, activeMs }) => [seq, type, activeMs])).toEqual([
      [1, 'run-started', 0],
      [2, 'agent-said', 5],
    ]);
    expect(events[1]).toMatchObject({ text: 'the key is [KEY]', at: '1970-01-01T00:00:01.005Z' });
    const journal = readFileSync(join(runs, RUN, 'journal.jsonl'), 'utf8');
    const last = journal.trimEnd().split('\n').at(-1) ?? '';
    expect(readSnapshot(join(runs, RUN, 'state.json'))).toMatchObject({
      runId: RUN,
      workingDir: '/work',
      seq: 2,
      offset: journal.length,
      lineBytes: last.length + 1,
      lineSum: /"sum":"(\w{8})"\}$/.exec(last)?.[1],
      state: { kind: 'imported' },
    });
    expect(readFileSync(join(runs, RUN, 'import.json'), 'utf8')).toBe('{"a":1}\n');
    expect(statSync(join(runs, RUN)).mode & 0o777).toBe(0o700);
    expect(statSync(join(runs, RUN, 'journal.jsonl')).mode & 0o777).toBe(0o600);
    expect([writer.runId, writer.state.seq]).toEqual([RUN, 2]);
  });

  it('has no name until it is finished, and nothing is left of one that is given up', () => {
    append(STARTED);
    expect(existsSync(join(runs, RUN))).toBe(false);
    writer.discard();
    expect(readdirSync(runs)).toEqual([]);
  });

  it('that cannot be finished can be given up, and says why', () => {
    append(STARTED);
    expect(() => writer.finish({ 'no/such/folder': '' })).toThrow(/ENOENT|no such/i);
    writer.discard();
    expect(readdirSync(runs)).toEqual([]);
  });

  it('takes the place of an earlier one, and of what an attempt has left', async () => {
    writer.discard();
    mkdirSync(join(runs, RUN));
    writeFileSync(join(runs, RUN, 'old'), '');
    const draft = join(runs, `.unfinished-${RUN}-${process.pid}`);
    mkdirSync(draft);
    writeFileSync(join(draft, 'journal.jsonl'), 'torn');
    writer = new RecordWriter({ runs, runId: RUN, workingDir: '/work', redact: (json) => json });
    append(STARTED);
    writer.finish({});
    expect(readdirSync(join(runs, RUN)).sort()).toEqual(['journal.jsonl', 'state.json']);
    expect(await written()).toHaveLength(1);
    expect(readdirSync(runs)).toEqual([RUN]);
  });

  it('that is larger than the buffer is written in pieces, in order', async () => {
    const draft = join(runs, `.unfinished-${RUN}-${process.pid}`, 'journal.jsonl');
    append(STARTED);
    // A session has many thousand of them: each by itself would be slow.
    expect(statSync(draft).size).toBe(0);
    for (let number = 0; number < 5; number += 1) append(said(`${number}${'x'.repeat(400_000)}`));
    expect(statSync(draft).size).toBeGreaterThan(1_000_000);
    writer.finish({});
    const texts = (await written()).flatMap((event) => (event.type === 'agent-said' ? [event.text[0]] : []));
    expect(texts).toEqual(['0', '1', '2', '3', '4']);
  });
});
