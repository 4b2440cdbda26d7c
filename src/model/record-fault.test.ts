import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, record, started, stateAfter } from '../../test/support/record.js';
import { RECORDS } from '../../test/support/relocated-record.js';
import { faultsText } from './record-fault.js';
import { reduce, reduceAll } from './reduce.js';
import type { RunEvent } from './run-event.js';
import { INITIAL_STATE } from './run-state.js';

const faultsAfter = (...drafts: Draft[]) =>
  (stateAfter(...drafts).faults ?? []).map(({ type, phase }) => [type, phase]);
const ended: Draft = { type: 'run-ended', state: 'stopped', reasons: [] };
const paused: Draft = { type: 'paused' };
const waits = (what: 'overload' | 'approval' | 'answer'): Draft => ({ type: 'waiting-started', for: what });

const journals = readdirSync(RECORDS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const recorded = journals.map(({ name }) => {
  const lines = readFileSync(join(RECORDS, name, 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return { name, events: lines.map((line) => JSON.parse(line) as RunEvent) };
});

describe('the phases in which an event can happen', () => {
  it.each(recorded)('are those of every event that an earlier version recorded: $name', ({ events }) => {
    expect(reduceAll(events).faults).toBeUndefined();
  });

  it.each(recorded)('are the same after a crash at any event, whose iteration is then ended: $name', ({ events }) => {
    let state = INITIAL_STATE;
    for (const event of events) {
      state = reduce(state, event);
      const crashed = { v: 1, at: event.at, activeMs: event.activeMs };
      const resumed = reduce(state, { type: 'run-resumed', cause: 'crash', seq: event.seq + 1, ...crashed });
      const { phase } = resumed;
      const after =
        phase.name === 'iterating'
          ? reduce(resumed, { ...(end(phase.iteration) as RunEvent), seq: event.seq + 2, ...crashed })
          : resumed;
      expect(after.faults).toBeUndefined();
      expect(after.phase.name).toMatch(/^(starting|resting)$/);
    }
  });

  it.each<[string, Draft[], [string, string][]]>([
    ['an iteration that starts before the run', [begin(1)], [['iteration-started', 'idle']]],
    ['a run that starts twice', [started(), started()], [['run-started', 'starting']]],
    ['an iteration that starts in another', [started(), begin(1), begin(2)], [['iteration-started', 'iterating']]],
    ['an iteration that ends twice', [started(), begin(1), end(1), end(1)], [['iteration-ended', 'resting']]],
    ['an iteration after the end', [started(), ended, begin(1)], [['iteration-started', 'ended']]],
    ['two ends', [started(), ended, ended], [['run-ended', 'ended']]],
    ['a pause in an iteration', [started(), begin(1), paused], [['paused', 'iterating']]],
    [
      'a pause that ends twice',
      [started(), paused, { type: 'resumed' }, { type: 'resumed' }],
      [['resumed', 'resting']],
    ],
    ['a question between iterations', [started(), waits('answer')], [['waiting-started', 'starting']]],
    [
      'a wait for the provider in an iteration',
      [started(), begin(1), waits('overload')],
      [['waiting-started', 'iterating']],
    ],
  ])('do not allow %s: it is reported', (_, drafts, faults) => {
    expect(faultsAfter(...drafts)).toEqual(faults);
  });

  it('allow what Pawl records while a run waits, pauses, moves or ends', () => {
    const command: Draft = { type: 'command-received', command: { type: 'pause' }, by: 'me' };
    const attempt = { item: 'x', index: 0, attempt: 1 };
    expect(faultsAfter({ ...command, refused: 'it is idle' }, started(), command)).toEqual([]);
    expect(faultsAfter(started(), begin(1), waits('answer'), command, { type: 'waiting-ended' }, end(1))).toEqual([]);
    expect(faultsAfter(started(), waits('overload'), waits('overload'), { type: 'waiting-ended' }, begin(1))).toEqual(
      [],
    );
    expect(faultsAfter(started(), paused, { type: 'run-resumed', cause: 'moved' }, waits('overload'))).toEqual([]);
    expect(
      faultsAfter(
        started({}, { kind: 'pipeline', items: 1 }),
        { type: 'attempt-started', ...attempt },
        paused,
        { type: 'attempt-ended', ...attempt, outcome: 'limited', durationMs: 1 },
        { type: 'resumed' },
        { type: 'waiting-ended' },
      ),
    ).toEqual([]);
    const limit = { type: 'max_iterations', count: 9 } as const;
    const restored: Draft = { type: 'tree-restored', tree: 'a', before: 'b' };
    expect(
      faultsAfter(started(), ended, restored, { type: 'limit-extended', limit, by: 'resume' }, { type: 'tick' }),
    ).toEqual([]);
  });

  it('what an illegal event spent still counts', () => {
    const spent: Draft = { type: 'usage-reported', scope: 'request', model: 'm', spend: { costUsd: 1 } };
    const [state, legal] = [stateAfter(started(), ended, spent), stateAfter(started(), spent)];
    expect(state.faults).toHaveLength(1);
    expect(state.spend).toEqual(legal.spend);
  });

  it('a record full of faults keeps the first ones, and the text names three', () => {
    const { faults } = reduceAll(record(Array.from({ length: 50 }, () => begin(1))));
    expect(faults).toHaveLength(10);
    expect(faultsText(faults)).toMatch(/^the record has events .*\(event 1\), .*\(event 2\), .*\(event 3\), and more$/);
    expect(faultsText(undefined)).toBeUndefined();
  });
});
