import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  record,
  started,
  stateAfter,
  tests,
} from '../../../test/support/record.js';
import { recordedRun } from '../../../test/support/recorded-run.js';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { resolveConfig } from '../../config/resolve-config.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { parseCondition } from '../../model/parse-condition.js';
import { reduce } from '../../model/reduce.js';
import type { RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';
import { lineWidth } from '../../words/printable.js';
import { finishedLines } from '../text/finished-lines.js';
import { liveFrame, type LiveInput } from './live-frame.js';
import { foldLive, type LiveRecord, NOTHING_SEEN } from '../text/live-record.js';

function foldAll(events: readonly RunEvent[], from: LiveRecord = NOTHING_SEEN): LiveRecord {
  return events.reduce((seen, event) => foldLive(seen, event, reduce(seen.state, event)), from);
}

function frameOf(seen: LiveRecord, more: Partial<LiveInput> = {}) {
  const input = {
    record: seen,
    mode: { kind: 'watching' },
    nowMs: Date.parse(seen.state.at ?? '') + 4000,
    size: { columns: 79, rows: 23 },
    isLive: true,
    hasKeys: true,
    mayLeave: false,
    ...more,
  } as const;
  return liveFrame(input, recordingTerminal(79));
}

const textOf = (seen: LiveRecord, more: Partial<LiveInput> = {}) => frameOf(seen, more).lines.join('\n');
const seenAfter = (...drafts: readonly Draft[]) => foldAll(record(drafts));
const LIMITS = ['max_iterations: 20', 'max_cost: 10', 'max_duration: 4h'].map((text) => {
  const [type = '', value = ''] = text.split(': ');
  return parseCondition({ [type]: /^\d+$/.test(value) ? Number(value) : value });
});

describe('the live view', () => {
  it('V1: shows the same whether it was there from the beginning or is opened at any event', () => {
    const events = recordedRun();
    let watched = NOTHING_SEEN;
    for (const [index, event] of events.entries()) {
      watched = foldLive(watched, event, reduce(watched.state, event));
      const opened = foldAll(events.slice(0, index + 1));
      expect(frameOf(opened)).toEqual(frameOf(watched));
    }
  });

  it('a view that was killed and reads on from the record it had shows the same', () => {
    const events = recordedRun();
    const half = foldAll(events.slice(0, 20));
    expect(frameOf(foldAll(events.slice(20), half))).toEqual(frameOf(foldAll(events)));
  });

  it('fits into every terminal, however small', () => {
    const events = recordedRun();
    const seen = foldAll(events.slice(0, 30));
    for (const rows of [1, 2, 3, 5, 8, 12, 23, 49]) {
      for (const columns of [10, 20, 39, 40, 59, 79, 119, 199]) {
        for (const kind of ['watching', 'help'] as const) {
          const { lines } = frameOf(seen, { size: { columns, rows }, mode: { kind } });
          expect(lines.length).toBeLessThanOrEqual(rows);
          // Below forty columns the screen cuts what is left over.
          if (columns >= 39)
            expect(Math.max(...lines.map(lineWidth)), `${columns}x${rows}`).toBeLessThanOrEqual(columns);
        }
      }
    }
    expect(frameOf(seen, { size: { columns: 79, rows: 1 } }).lines[0]).toMatch(/^iteration 4 of 8/);
  });

  it('keeps a blank line between the iterations above and its first line, also while something is said', () => {
    const { spec } = resolveConfig({ tests: 'x', stop: { limits: LIMITS } });
    const said = Array.from({ length: 9 }, (_, index): Draft => ({ type: 'agent-said', text: `line ${index}` }));
    const drafts = [
      started(spec.policy, { spec }),
      baseline({ tests: tests(1, 1) }),
      ...iteration(1, { tests: tests(1, 1) }),
    ];
    const seen = seenAfter(...drafts, begin(2), ...said);
    for (const columns of [79, 119])
      for (const notice of [undefined, 'pausing after this iteration']) {
        const [first, second] = frameOf(seen, { notice, size: { columns, rows: 16 } }).lines;
        expect(first).toBe('');
        expect(second).toContain('(in ');
      }
  });

  it('says what the agent does, how far it is and what it took, each with its unit', () => {
    const seen = foldAll(recordedRun().filter(({ seq }) => seq <= 36));
    const text = textOf(seen);
    expect(text).toMatch(/^\niteration 5 of 8, \d+m? ?\d*s? +\d+m \d+s .*\$0\.\d+ {2}[\d,]+ tokens$/m);
    expect(text).toContain('→ Write src/roman.js');
    expect(text).toContain('4 passed, 4 failed (-2 since last time)');
    expect(text).toContain('1 file changed in iteration 4');
  });

  it('shows the words of this iteration, not those of the one before', () => {
    const said = (text: string): Draft => ({ type: 'agent-said', text });
    const seen = seenAfter(started(), begin(1), said('Old words.'), end(1), begin(2), said('New words.'));
    expect(textOf(seen)).toContain('New words.');
    expect(textOf(seen)).not.toContain('Old words.');
  });

  it('has a bar for each goal and limit, with when it is reached at this pace', () => {
    const drafts = [
      started({ success: [parseCondition('all_tests_pass')], limits: LIMITS }),
      baseline({ tests: tests(2, 6) }),
      ...iteration(1, { tests: tests(3, 5) }),
      ...iteration(2, { tests: tests(4, 4) }),
    ];
    const verdict = evaluateRun(stateAfter(...drafts));
    const seen = seenAfter(...drafts, { type: 'verdict-reached', iteration: 2, verdict }, begin(3));
    const text = textOf(seen);
    expect(text).toMatch(/goal +█+░+ {2}4 of 8 tests fail/);
    expect(text).toMatch(/limit +░+ {2}\$0\.20 of \$10\.00, .*iteration 100, \d\d:\d\d/);
    expect(text).toMatch(/limit +█░+ {2}2 of 20 iterations, .*\d\d:\d\d/);
    expect(text).toMatch(/limit +░+ {2}\d+s of 4h active/);
  });

  it('more bars than there is room for: those that are nearest, and how many more', () => {
    const far = Array.from({ length: 12 }, (_, index) => parseCondition({ max_tokens: 1_000_000 + index }));
    const seen = seenAfter(
      started({ limits: [...far, parseCondition({ max_iterations: 3 })] }),
      ...iteration(1),
      begin(2),
    );
    const text = textOf(seen, { size: { columns: 79, rows: 12 } });
    expect(text).toContain('1 of 3 iterations');
    expect(text).toMatch(/\+\d+ more/);
  });

  it('a limit that is not reached has no full bar', () => {
    const seen = seenAfter(started({ limits: [parseCondition({ max_cost: 0.1001 })] }), ...iteration(1), begin(2));
    expect(textOf(seen)).toMatch(/█░ {2}\$0\.10 of/);
  });

  it('says for what it waits, until when, and what to press', () => {
    const until = new Date(Date.parse(seenAfter(started()).state.at ?? '') + 7_200_000).toISOString();
    const waiting = seenAfter(started(), { type: 'waiting-started', for: 'usage-limit', until });
    expect(textOf(waiting)).toMatch(/usage limit.* \d\d:\d\d \(in 1h 59m\)/);
    expect(textOf(waiting)).toContain('p try now');
    const asking = seenAfter(started(), { type: 'waiting-started', for: 'approval' });
    expect(textOf(asking)).toContain('iteration 1 waits for your approval');
    expect(textOf(asking)).toContain('a approve  x reject');
    const paused = seenAfter(started(), { type: 'paused' });
    expect(textOf(paused)).toMatch(/^paused/m);
    expect(textOf(paused)).toContain('p continue');
  });

  it('says what is asked and has not happened yet', () => {
    const asked = (command: LoopCommand) =>
      textOf(seenAfter(started(), begin(1), { type: 'command-received', command, by: 'me' }));
    expect(asked({ type: 'stop' })).toContain('stops after this iteration');
    expect(asked({ type: 'stop', now: true })).toContain('stops now');
    expect(asked({ type: 'pause' })).toMatch(/pauses after.*by me; p /);
    expect(asked({ type: 'reboot' })).toContain('new session');
    expect(asked({ type: 'steer', text: 'hello' })).toMatch(/1 note.*next prompt/);
  });

  it('a clock that is behind the record shows no negative time', () => {
    const seen = seenAfter(started(), begin(1));
    expect(textOf(seen, { nowMs: Date.parse('2020-01-01T00:00:00Z') })).toMatch(/iteration 1, 0s/);
  });

  it('time goes on while an agent works, and not in a pause', () => {
    const working = seenAfter(started(), begin(1));
    const nowMs = Date.parse(working.state.at ?? '') + 60_000;
    expect(textOf(working, { nowMs })).toContain('1m 1s in all');
    const paused = seenAfter(started(), begin(1), end(1), { type: 'paused' });
    expect(textOf(paused, { nowMs: nowMs + 60_000 })).toContain('3s in all');
  });

  it('somebody types: the line, and the cursor behind it in columns', () => {
    const mode = { kind: 'typing', what: 'steer', line: { before: '日本', behind: 'x' } } as const;
    const { lines, cursor } = frameOf(seenAfter(started(), begin(1)), { mode });
    expect(lines.at(-1)).toBe('to the agent: 日本x');
    expect(cursor).toEqual({ row: lines.length - 1, column: 18 });
  });

  it('a long line that is typed has all columns behind its label', () => {
    const line = { before: 'x'.repeat(62), behind: '' };
    const { lines, cursor } = frameOf(seenAfter(started(), begin(1)), {
      mode: { kind: 'typing', what: 'steer', line },
    });
    expect(lines.at(-1)).toBe(`to the agent: ${'x'.repeat(62)}`);
    expect(cursor?.column).toBe(76);
  });

  it('p is not offered as a pause where it takes one back', () => {
    const seen = seenAfter(started(), begin(1), { type: 'command-received', command: { type: 'pause' }, by: 'me' });
    expect(textOf(seen)).toContain('p unpause  s ');
  });

  it('help is not cut in a narrow terminal that is high enough, and has a line per key in a low one', () => {
    const help = (rows: number) =>
      textOf(seenAfter(started(), begin(1)), { mode: { kind: 'help' }, size: { columns: 39, rows } });
    expect(help(23)).toMatch(/^ {2}t {6}steer: .*[^.]$\n^ {9}.*prompt$/m);
    expect(help(23)).not.toContain('…');
    expect(help(12).match(/^ {2}\S/gm)).toHaveLength(9);
  });

  it('why a key is refused is told to the end', () => {
    const notice = 'cannot skip a run that is running: the agent has finished, and its work is being checked';
    const text = textOf(seenAfter(started(), begin(1)), { notice, size: { columns: 39, rows: 23 } });
    expect(text.replace(/\s+/g, ' ')).toContain(notice);
  });

  it('says so when nobody runs it', () => {
    const text = textOf(seenAfter(started(), begin(1)), { isLive: false, mayLeave: true });
    expect(text).toContain('interrupted');
    expect(text).toMatch(/^q leave {2}\? help$/m);
    expect(text).toContain('1s in all');
  });

  it('what an agent says gets through as text only', () => {
    const hostile = '\u001b[2J\u001b]52;c;aGk=\u0007\u001b[10A日本\u202Eevil\u0007 '.repeat(50);
    const seen = seenAfter(started(), begin(1), { type: 'agent-said', text: hostile });
    const { lines } = frameOf(seen);
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(79);
  });
});

describe('lines that stay', () => {
  const linesOf = (events: readonly RunEvent[], columns = 79) => {
    const terminal = recordingTerminal(columns);
    let before = INITIAL_STATE;
    return events.flatMap((event) => {
      const after = reduce(before, event);
      const lines = finishedLines(event, { before, after }, terminal);
      before = after;
      return lines;
    });
  };

  it('say all of what cannot be observed before the first iteration, and not again after each', () => {
    const why = `changed files: /a/folder has more than 1,000,000 files${', and what follows from it'.repeat(8)}`;
    const events = record([
      started(),
      baseline({ unobserved: [why] }),
      ...iteration(1, { unobserved: [why] }),
      ...iteration(2, { unobserved: [why, 'the tests were not run'] }),
    ]);
    const lines = linesOf(events);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ').split(why)).toHaveLength(2);
    expect(lines.join('\n')).toContain('the tests were not run');
    expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(79);
  });

  it('are one per iteration', () => {
    const lines = linesOf(recordedRun());
    expect(lines.filter((line) => /^[✓✗]/.test(line))).toHaveLength(6);
    expect(lines[1]).toMatch(/^✓ {3}1 completed +1m 2s +4 of 8 tests pass \(\+1\) +1 file +\$0\.08\b/);
    expect(lines[3]).toMatch(/^✗ {3}3 timed out +5m/);
  });

  it('fit into a narrow terminal', () => {
    const lines = linesOf(recordedRun(), 60);
    expect(lines[1]).toBe('✓ 1 completed, 1m 2s, 4 of 8 pass (+1), $0.08');
  });
});
