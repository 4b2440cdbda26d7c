import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { begin, end, record, started, used } from '../../test/support/record.js';
import { JournalDamaged } from '../model/errors.js';
import { reduceAll } from '../model/reduce.js';
import { sealLine, RecordScanner } from './record-scanner.js';
import { encodeSnapshot, readSnapshot } from './snapshot.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-shape-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Fields = Record<string, unknown>;

/** A record of a few events, of which somebody has changed one and sealed it anew. */
function forged(index: number, change: (event: Fields) => void): Buffer {
  const hook = { type: 'hook-ran', hook: 'on_stop', durationMs: 1 } as const;
  const events = record([started(), begin(1), used({ inputTokens: 5 }), end(1), hook]) as unknown as Fields[];
  const [event] = events.slice(index);
  if (event !== undefined) change(event);
  return Buffer.concat(events.map((one) => sealLine(JSON.stringify(one))));
}

function scan(bytes: Buffer) {
  return new RecordScanner({ path: 'journal.jsonl' }).feed(bytes);
}

describe('a record that is sealed and cannot be read', () => {
  it.each<[string, number, (event: Fields) => void]>([
    ['spend', 2, (event) => delete event['spend']],
    ['spend', 2, (event) => (event['spend'] = null)],
    ['scope', 2, (event) => (event['scope'] = 'everything')],
    ['observation', 3, (event) => delete event['observation']],
    ['observation', 3, (event) => (event['observation'] = { tests: { source: 'harness', details: {} } })],
    ['observation', 3, (event) => (event['observation'] = { files: { created: 5 } })],
    ['policy', 0, (event) => (event['policy'] = { success: [], failure: [] })],
    ['policy', 0, (event) => (event['policy'] = { success: [], failure: [{ type: '__proto__' }], limits: [] })],
    [
      'policy',
      0,
      (event) => (event['policy'] = { success: [], failure: [], limits: [{ type: 'max_cost', usd: '5' }] }),
    ],
    [
      'policy',
      0,
      (event) => (event['policy'] = { success: [{ type: 'all', conditions: {} }], failure: [], limits: [] }),
    ],
    [
      'policy',
      0,
      (event) => (event['policy'] = { success: [{ type: 'all', conditions: [1] }], failure: [], limits: [] }),
    ],
    [
      'policy',
      0,
      (event) =>
        (event['policy'] = { success: [], failure: [{ type: 'specific_tests_pass', tests: [1] }], limits: [] }),
    ],
    [
      'policy',
      0,
      (event) =>
        (event['policy'] = { success: [], failure: [{ type: 'specific_tests_pass', tests: 'a' }], limits: [] }),
    ],
    ['agent', 0, (event) => (event['agent'] = 'claude')],
    ['spec', 0, (event) => (event['spec'] = {})],
    ['failure', 4, (event) => (event['failure'] = { message: 'no', leadsTo: 'fire' })],
    ['spend', 2, (event) => (event['spend'] = { inputTokens: '5' })],
  ])('for its %s is damage that names the line, and no crash of who reads it', (field, index, change) => {
    const read = () => scan(forged(index, change));
    expect(read).toThrow(JournalDamaged);
    expect(read).toThrow(`journal.jsonl:${index + 1}: `);
    expect(read).toThrow(`whose ${field} is not valid`);
  });

  it('is told from one that is whole, and from a condition nested without end', () => {
    expect(scan(forged(0, () => undefined))).toHaveLength(5);
    const nested = Array.from({ length: 500 }).reduce<unknown>((inner) => ({ type: 'not', condition: inner }), {});
    const read = () => scan(forged(0, (event) => (event['policy'] = { success: [nested], failure: [], limits: [] })));
    expect(read).toThrow('whose policy is not valid');
  });
});

describe('a record', () => {
  const policy = {
    success: [{ type: 'all', conditions: [{ type: 'specific_tests_pass', tests: ['a'] }] }],
    failure: [{ type: 'custom_script', script: 'check.sh' }],
    limits: [],
  };
  const commanded = (command: unknown) => {
    const envelope = { v: 1, seq: 1, at: '2026-01-01T00:00:00.000Z', activeMs: 1 };
    return () => scan(sealLine(JSON.stringify({ ...envelope, type: 'command-received', command, by: 'operator' })));
  };

  it('is read with conditions inside others, and with numbers that JSON cannot write', () => {
    expect(scan(forged(0, (event) => (event['policy'] = policy)))).toHaveLength(5);
    expect(scan(forged(2, (event) => (event['spend'] = { inputTokens: null })))).toHaveLength(5);
  });

  it.each([
    { type: 'pause' },
    { type: 'steer', text: 'go on' },
    { type: 'extend', limit: { type: 'max_iterations', count: 5 } },
  ])('is read with the command %j', (command) => {
    expect(commanded(command)()).toHaveLength(1);
  });

  it.each([
    undefined,
    'stop',
    { type: 'explode' },
    { type: ['pause'] },
    { type: 'steer', text: 5 },
    { type: 'extend' },
    { type: 'extend', limit: { type: 'max_iterations', count: '5' } },
  ])('is damage with the command %j', (command) => {
    expect(commanded(command)).toThrow('whose command is not valid');
  });
});

describe('a state.json that is sealed and cannot be shown', () => {
  const state = reduceAll(record([started(), begin(1), used({ inputTokens: 5 }), end(1)]));
  const position = { seq: 4, offset: 400, lineBytes: 100, lineSum: '00000000' };
  const path = join(folder, 'state.json');
  const readForged = (change: (state: Fields) => void) => {
    const sealed = encodeSnapshot({ runId: 'loop_01TEST', workingDir: '/project' }, state, position)?.toString() ?? '';
    const snapshot = JSON.parse(sealed) as Fields & { state: Fields };
    delete snapshot['sum'];
    change(snapshot.state);
    writeFileSync(path, sealLine(JSON.stringify(snapshot)));
    return readSnapshot(path);
  };

  it.each<[string, (state: Fields) => void]>([
    [
      'the reasons of its end',
      (forgedState) => (forgedState['phase'] = { name: 'ended', state: 'stopped', end: { reasons: [null], at: '' } }),
    ],
    ['its spend', (forgedState) => (forgedState['spend'] = {})],
    ['its spec', (forgedState) => (forgedState['spec'] = {})],
    ['its iterations', (forgedState) => (forgedState['recent'] = [1])],
    ['its streaks', (forgedState) => (forgedState['streaks'] = { ...state.streaks, lastError: { kind: 5 } })],
    ['a count among its streaks', (forgedState) => (forgedState['streaks'] = { ...state.streaks, testFailures: '5' })],
    [
      'an answer that is none',
      (forgedState) => (forgedState['requests'] = { stop: { by: 'operator', now: 'yes' }, steers: [] }),
    ],
    ['a phase that is not one', (forgedState) => (forgedState['phase'] = { name: 'toString' })],
    [
      'its wait',
      (forgedState) => (forgedState['phase'] = { name: 'resting', refused: { since: '', tries: 1, wait: 'x' } }),
    ],
    ['its policy', (forgedState) => (forgedState['policy'] = { success: [{}], failure: [], limits: [] })],
  ])('for %s is none: the journal is read', (_, change) => {
    expect(readForged(change)).toBeUndefined();
  });

  it('is told from one that is whole', () => {
    expect(readForged(() => undefined)?.state).toEqual(JSON.parse(JSON.stringify(state)));
  });
});
