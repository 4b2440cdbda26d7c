import { describe, expect, it } from 'vitest';
import { type Draft, record, started, used } from '../../../test/support/record.js';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { parseCondition } from '../../model/parse-condition.js';
import { reduce, reduceAll } from '../../model/reduce.js';
import type { EventBodies, RunEvent } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { lineWidth } from '../../words/printable.js';
import { finishedLines } from '../text/finished-lines.js';
import { liveFrame, type LiveInput } from './live-frame.js';
import { press, WATCHING } from './live-keys.js';
import { foldLive, type LiveRecord, NOTHING_SEEN } from '../text/live-record.js';

const POLICY = {
  failure: [{ retry_rate: 0.5 }, { reject_rate: 0.3 }, { consecutive_fails: 3 }, { circuit_breaker: 50 }].map(
    (condition) => parseCondition(condition),
  ),
  limits: [{ max_cost: 10 }, { max_duration: '4h' }, { max_iterations: 40 }].map((limit) => parseCondition(limit)),
};

const begun = (items = 30, backoffMs = 0): Draft =>
  started(POLICY, {
    runId: 'pipe_01M7FWJHRV2F6TETSMSBPX0NYW',
    kind: 'pipeline',
    items,
    pipeline: {
      manifest: 'pipeline.yaml',
      itemsHash: '',
      generate: { command: 'make', output: 'out/{{item.id}}', timeoutMs: 1000 },
      concurrency: 3,
      retry: { maxAttempts: 5, backoffMs },
    },
  });

const id = (index: number) => `frame-${String(index).padStart(3, '0')}`;

function attempt(index: number, number: number, end: Partial<EventBodies['attempt-ended']> = {}): Draft[] {
  const whose = { item: id(index), index, attempt: number };
  return [
    { type: 'attempt-started', ...whose },
    used({ inputTokens: 100, outputTokens: 10, costUsd: 0.01 }, { id: `${index}.${number}`, index }),
    { type: 'attempt-ended', ...whose, outcome: 'approved', durationMs: 1000, ...end },
  ];
}

function item(index: number, status: EventBodies['item-ended']['status'], attempts: readonly Draft[][]): Draft[] {
  const ended: Draft = { type: 'item-ended', item: id(index), index, status, attempts: attempts.length };
  return [{ type: 'item-started', item: id(index), index }, ...attempts.flat(), ended];
}

const BLURRY = { outcome: 'rejected', reasons: ['BLURRY'], score: 0.3, message: 'out of focus' } as const;
const DARK = { outcome: 'retry', reasons: ['DARK'], message: 'more light' } as const;

/** Four items are final, two are in progress. */
const MIDDLE: readonly Draft[] = [
  begun(),
  ...item(0, 'approved', [attempt(0, 1)]),
  ...item(1, 'approved', [attempt(1, 1, DARK), attempt(1, 2)]),
  ...item(2, 'rejected', [attempt(2, 1, BLURRY)]),
  ...item(3, 'approved', [attempt(3, 1)]),
  ...attempt(4, 1, DARK),
  { type: 'attempt-started', item: id(4), index: 4, attempt: 2 },
  { type: 'attempt-started', item: id(5), index: 5, attempt: 1 },
];

function foldAll(events: readonly RunEvent[], from: LiveRecord = NOTHING_SEEN): LiveRecord {
  return events.reduce((seen, event) => foldLive(seen, event, reduce(seen.state, event)), from);
}

/** The last event, with the state before and after it. */
function lastOf(drafts: readonly Draft[]): [RunEvent, RunState, RunState] {
  const events = record(drafts);
  const before = reduceAll(events.slice(0, -1));
  const last = events.at(-1) as RunEvent;
  return [last, before, reduce(before, last)];
}

const seenAfter = (...drafts: readonly Draft[]) => foldAll(record(drafts));

function frameOf(seen: LiveRecord, more: Partial<LiveInput> = {}) {
  const input: LiveInput = {
    record: seen,
    mode: WATCHING,
    nowMs: Date.parse(seen.state.at ?? '') + 12_000,
    size: { columns: 79, rows: 23 },
    isLive: true,
    hasKeys: true,
    mayLeave: false,
    ...more,
  };
  return liveFrame(input, recordingTerminal(79)).lines;
}

const textOf = (seen: LiveRecord, more: Partial<LiveInput> = {}) => frameOf(seen, more).join('\n');

describe('the live view of a pipeline', () => {
  it('V1: shows the same whether it was there from the beginning or is opened at any event', () => {
    const events = record(MIDDLE);
    let watched = NOTHING_SEEN;
    for (const [index, event] of events.entries()) {
      watched = foldLive(watched, event, reduce(watched.state, event));
      expect(frameOf(foldAll(events.slice(0, index + 1)))).toEqual(frameOf(watched));
    }
  });

  it('fits into every terminal, however small, however long the names and the messages are', () => {
    const long = 'a very long name of an item, 文字 and all, '.repeat(8);
    const seen = seenAfter(
      ...MIDDLE,
      { type: 'attempt-started', item: long, index: 6, attempt: 1 },
      { type: 'attempt-ended', item: long, index: 6, attempt: 1, ...BLURRY, message: long, durationMs: 1 },
      { type: 'item-ended', item: long, index: 6, status: 'rejected', attempts: 1 },
      ...Array.from({ length: 20 }, (_, index): Draft => {
        return { type: 'attempt-started', item: `${long}${index}`, index: index + 7, attempt: 1 };
      }),
    );
    for (const rows of [1, 2, 3, 5, 8, 11, 23, 49]) {
      for (const columns of [10, 20, 39, 40, 59, 79, 119, 199]) {
        for (const kind of ['watching', 'help'] as const) {
          const lines = frameOf(seen, { size: { columns, rows }, mode: { kind } });
          expect(lines.length).toBeLessThanOrEqual(rows);
          if (columns < 39) continue;
          expect(Math.max(...lines.map(lineWidth)), `${columns}x${rows}`).toBeLessThanOrEqual(columns);
        }
      }
    }
    expect(frameOf(seen, { size: { columns: 79, rows: 1 } })[0]).toMatch(/^run 01M7FWJHRV, 22 in progress/);
  });

  it('says how far the items are, what is in progress and since when, and what failed and why', () => {
    const text = textOf(seenAfter(...MIDDLE), { size: { columns: 119, rows: 39 } });
    expect(text).toMatch(/^run 01M7FWJHRV, 2 .* \d+s .*\$0\.06 {2}660 tokens$/m);
    expect(text).toMatch(/items +█+░+ {2}4 of 30: 3 approved, 1 rejected, .*\dm.* [\d.]+ items\/min$/m);
    expect(text).toMatch(/^ {2}frame-004 {2}attempt 2 {2}13s$/m);
    expect(text).toMatch(/^ {2}frame-005 {2}attempt 1 {2}12s$/m);
    expect(text).toMatch(/✗ frame-002 rejected.* 1 attempt: BLURRY.* 0\.3: out of focus$/m);
  });

  it('has a bar for each threshold, also before it has begun to count, and for each limit in attempts', () => {
    const text = textOf(seenAfter(...MIDDLE));
    expect(text).toMatch(/failure +█+░+ {2}retry rate 25% of 4 items, 50% allowed/);
    expect(text).toMatch(/failure +█+░+ {2}reject rate 25% of 4 items, 30% allowed/);
    expect(text).toMatch(/failure +░+ {2}0 of 3 items in a row rejected or failed/);
    expect(text).toMatch(/failure +█+░+ {2}6 of 50 attempts/);
    expect(text).toMatch(/limit +█+░+ {2}6 of 40 attempts, .*\d\d:\d\d/);
    expect(text).not.toContain('iteration');
  });

  it('a limit that is only reached after the last item is not forecast', () => {
    const seen = seenAfter(...MIDDLE);
    expect(textOf(seen)).toMatch(/\$0\.06 of \$10\.00$/m);
  });

  it('no pace, and no time of a limit, is told before there are three items to tell it from', () => {
    const seen = seenAfter(begun(), ...item(0, 'approved', [attempt(0, 1)]), ...item(1, 'approved', [attempt(1, 1)]));
    expect(textOf(seen)).toMatch(/\$0\.02 of \$10\.00$/m);
    expect(textOf(seen)).not.toContain('reached');
    expect(textOf(seen)).not.toMatch(/left|items\/min/);
  });

  it('counts that do not fit are summed up and not left out', () => {
    const text = textOf(seenAfter(...MIDDLE), { size: { columns: 39, rows: 11 } });
    expect(text).toContain('4 of 30: 3 approved, 1 not');
  });

  it('more in progress than fits: the oldest, and how many more', () => {
    const many = Array.from({ length: 25 }, (_, index): Draft => {
      return { type: 'attempt-started', item: id(index), index, attempt: 1 };
    });
    const text = textOf(seenAfter(begun(), ...many));
    expect(text).toContain('frame-000');
    expect(text).toMatch(/\+\d+ more in progress/);
  });

  it('a wait between two attempts does not look as if the run hung', () => {
    const drafts = [begun(30, 20_000), ...attempt(0, 1, DARK), ...attempt(1, 1), ...attempt(2, 1, DARK)];
    const seen = seenAfter(...drafts);
    const text = textOf(seen, { nowMs: Date.parse(seen.state.at ?? '') + 2400 });
    expect(text).toMatch(/^run 01M7FWJHRV, nothing in progress, 2 wait /m);
    expect(text).toMatch(/^ {2}frame-000 {2}wait.* attempt 2 in 12s\n {2}frame-002 {2}wait.* attempt 2 in 18s$/m);
    expect(textOf(seen, { nowMs: Date.parse(seen.state.at ?? '') + 20_000 })).not.toContain('wait');
    expect(textOf(seen, { isLive: false })).not.toContain('waits');
    const begunAgain: Draft = { type: 'attempt-started', item: id(0), index: 0, attempt: 2 };
    expect(textOf(seenAfter(...drafts, begunAgain), { nowMs: Date.parse(seen.state.at ?? '') + 2400 })).toMatch(
      /^run 01M7FWJHRV, 1 in progress, 1 waits /m,
    );
    const final: Draft = { type: 'item-ended', item: id(0), index: 0, status: 'failed', attempts: 1 };
    expect(textOf(seenAfter(...drafts, final))).not.toMatch(/frame-000 +waits/);
  });

  it('a run that is paused or stopping does not promise another attempt, and after a pause the wait begins anew', () => {
    const drafts = [begun(30, 20_000), ...attempt(0, 1, DARK)];
    const paused: readonly Draft[] = [...drafts, { type: 'paused' }];
    expect(textOf(seenAfter(...paused))).not.toContain('waits');
    const asked: Draft = { type: 'command-received', command: { type: 'stop' }, by: 'me' };
    expect(textOf(seenAfter(...drafts, asked))).not.toContain('waits');
    const resumed = seenAfter(...paused, { type: 'resumed', at: '2026-03-01T01:00:00.000Z' });
    expect(textOf(resumed)).toContain('frame-000  waits, attempt 2 in 8s');
  });

  it('an attempt that tells no reason shows the last line that was printed for people', () => {
    const end = {
      outcome: 'retry',
      reasons: [],
      output: 'looked\nits left ear is missing\n{"verdict":"retry"}\n',
    } as const;
    const [event, before, after] = lastOf([begun(), ...attempt(0, 1, end)]);
    expect(finishedLines(event, { before, after }, recordingTerminal(79)).join()).toMatch(
      /retry +frame-000 {2}attempt 1: its left ear is missing$/,
    );
    const told = lastOf([begun(), ...attempt(0, 1, { ...end, reasons: ['NO_EAR'] })]);
    expect(finishedLines(told[0], { before: told[1], after: told[2] }, recordingTerminal(79)).join()).toMatch(
      /attempt 1: NO_EAR$/,
    );
  });

  it('an item that is wanted once more is no failure any more', () => {
    const seen = seenAfter(...MIDDLE, { type: 'item-reopened', item: id(2), index: 2 });
    expect(textOf(seen)).not.toContain('BLURRY');
  });

  it('an attempt that was cut short does not take the place of why the one before was not approved', () => {
    const cut: Draft = {
      type: 'attempt-ended',
      item: id(4),
      index: 4,
      attempt: 2,
      outcome: 'interrupted',
      durationMs: 0,
    };
    const ended: Draft = { type: 'item-ended', item: id(4), index: 4, status: 'failed', attempts: 1 };
    expect(textOf(seenAfter(...MIDDLE, cut, ended))).toMatch(/frame-004 failed.* 1 attempt: DARK: more light/);
  });

  it('offers no key that a pipeline refuses, and does nothing when one is pressed', () => {
    const seen = seenAfter(...MIDDLE);
    expect(frameOf(seen).at(-1)).toMatch(/^p pause {2}s stop .* {2}S stop now {2}\? help$/);
    expect(textOf(seen, { mode: { kind: 'help' } })).not.toMatch(/skip|reboot|steer|iteration/);
    for (const text of ['k', 'r', 't', 'a', 'x'])
      expect(press(WATCHING, { text }, seen.state, false)).toEqual({ mode: WATCHING });
    expect(press(WATCHING, { text: 's' }, seen.state, false).command).toEqual({ type: 'stop' });
  });

  it('one that was halted and finishes what is in progress says so, and can still be stopped now', () => {
    const reasons = [{ path: 'stop.failure[1]', class: 'failure', message: 'reject rate 40%' }] as const;
    const verdict = { stop: true, class: 'failure', reasons, judgements: [], holds: {} } as const;
    const seen = seenAfter(...MIDDLE, { type: 'verdict-reached', iteration: 6, verdict });
    expect(textOf(seen)).toMatch(/^run 01M7FWJHRV, stopping/m);
    expect(textOf(seen)).toMatch(/stops after.*: reject rate 40%/);
    expect(frameOf(seen).at(-1)).toBe('S stop now  ? help');
  });

  it('of one that nobody runs it says how to go on', () => {
    expect(textOf(seenAfter(...MIDDLE), { isLive: false })).toContain('pawl pipeline run --resume');
  });
});

describe('what scrolls up', () => {
  it('is a line for each item, and one for each attempt that was not approved', () => {
    let state = NOTHING_SEEN.state;
    const lines = record(MIDDLE).flatMap((event) => {
      const before = state;
      state = reduce(state, event);
      return finishedLines(event, { before, after: state }, { ...recordingTerminal(60), isScreen: true });
    });
    expect(lines).toEqual([
      ' 1/30  approved  frame-000',
      '       retry     frame-001  attempt 1: DARK: more light',
      ' 2/30  approved  frame-001  (2 attempts)',
      '       rejected  frame-002  attempt 1: BLURRY, score 0.3: o…',
      ' 3/30  rejected  frame-002',
      ' 4/30  approved  frame-003',
      '       retry     frame-004  attempt 1: DARK: more light',
    ]);
  });

  it('says whose error it is, of attempts side by side', () => {
    const events = record([...MIDDLE, { type: 'error-seen', kind: 'rate', message: 'slow down', index: 5 } as Draft]);
    const { state } = foldAll(events);
    const [line] = finishedLines(events.at(-1) as RunEvent, { before: state, after: state }, recordingTerminal());
    expect(line).toBe('frame-005  error (rate): slow down');
  });
});
