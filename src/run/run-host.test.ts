import { expect, it } from 'vitest';
import type { NewEvent } from '../model/run-event.js';
import { reduce } from '../model/reduce.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { type BatchSeen, BatchWatch } from './run-host.js';

function watch(others: () => Promise<BatchSeen>) {
  const recorded: NewEvent[] = [];
  let state: RunState = INITIAL_STATE;
  const steps: string[] = [];
  const account = {
    batch: 'night',
    others: () => {
      steps.push('looked');
      return others();
    },
  };
  const record = (event: NewEvent) => {
    recorded.push(event);
    state = reduce(state, { v: 1, seq: recorded.length, at: '2026-11-16T00:00:00.000Z', activeMs: 0, ...event });
  };
  const settled = async () => void steps.push('settled');
  return { watch: new BatchWatch({ account, state: () => state, record, settled }), recorded, steps };
}

it('looks only when its own spend can be seen, and records only what is new', async () => {
  let usd = 1;
  const { watch: batch, recorded, steps } = watch(async () => ({ usd, dearestUsd: 0.5 }));
  await batch.look();
  await batch.look();
  usd = 2;
  await batch.look();
  expect(recorded.map((event) => 'othersUsd' in event && event.othersUsd)).toEqual([1, 2]);
  expect(steps).toEqual(['settled', 'looked', 'settled', 'looked', 'settled', 'looked']);
});

it('many who ask at once share one look, and whoever asks while one is under way gets another', async () => {
  const answers: ((seen: BatchSeen) => void)[] = [];
  const { watch: batch, steps } = watch(() => new Promise((resolve) => answers.push(resolve)));
  const first = Promise.all([batch.look(), batch.look(), batch.look()]);
  while (answers.length < 1) await Promise.resolve();
  const second = Promise.all([batch.look(), batch.look()]);
  answers[0]?.({ usd: 1 });
  await first;
  while (answers.length < 2) await Promise.resolve();
  answers[1]?.({ usd: 2 });
  await second;
  expect(steps.filter((step) => step === 'looked')).toHaveLength(2);
});

it('after its end nothing is recorded, and a look that fails does not keep the next from looking', async () => {
  let fails = true;
  const { watch: batch, recorded } = watch(async () => {
    if (fails) throw new Error('gone');
    return { usd: 1 };
  });
  batch.lookSoon();
  await expect(batch.look()).rejects.toThrow('gone');
  fails = false;
  await batch.look();
  expect(recorded).toHaveLength(1);
  batch.end();
  await batch.look();
  expect(recorded).toHaveLength(1);
});
