import { describe, expect, it } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import type { RunEvent } from '../../../model/run-event.js';
import { INITIAL_STATE } from '../../../model/run-state.js';
import { createRunView, type LiveDoor } from './run-view.js';
import { Writable } from 'node:stream';
import { begin, type Draft, end, record, started, tests } from '../../../../test/support/record.js';
import { reduce } from '../../../model/reduce.js';

/** A view whose reader is as far behind as `backlog.bytes` says. */
function viewFor(json: boolean) {
  const backlog = { bytes: 0, isClosed: false };
  const terminal = recordingTerminal();
  const outlet = {
    backlogBytes: () => backlog.bytes,
    isClosed: () => backlog.isClosed,
    drained: () => Promise.resolve(),
  };
  const options = { json, quiet: false, folder: 'runs/x', place: '' };
  const view = createRunView(options, contextOf({ ...terminal, outlet }));
  let seq = 0;
  const tell = (event: Partial<RunEvent>) => {
    seq += 1;
    const recorded = { v: 1, seq, at: '2026-02-14T23:14:07.000Z', activeMs: 0, ...event } as RunEvent;
    view.onEvent(recorded, { ...INITIAL_STATE, phase: { name: 'resting' }, seq });
  };
  return { view, tell, backlog, terminal };
}

const SAID = { type: 'agent-said', text: 'hello' } as const;
const BEGUN = { type: 'run-resumed', cause: 'operator' } as const;

describe('the view of a run', () => {
  it('leaves lines out for a reader who is far behind, and says how many', () => {
    const { tell, backlog, terminal } = viewFor(false);
    tell(BEGUN);
    backlog.bytes = 2_000_000;
    for (let count = 0; count < 3; count += 1) tell(SAID);
    backlog.bytes = 0;
    tell({ ...SAID, text: 'there you are' });
    expect(terminal.out()).toBe('resumed\n[3 lines not shown]\n  there you are\n');
  });

  it('does not say twice that Ctrl-C asks for a stop, but says who else does', () => {
    const { tell, terminal } = viewFor(false);
    tell(BEGUN);
    const asked = { type: 'command-received', command: { type: 'stop' } } as const;
    tell({ ...asked, by: 'Ctrl-C' });
    tell({ ...asked, by: 'SIGTERM' });
    tell({ ...asked, by: 'pawl stop (pid 7)' });
    tell({ ...asked, by: 'Ctrl-C', refused: 'too late' });
    expect(terminal.out()).toMatch(/^resumed\n.*pawl stop \(pid 7\).*\n.*Ctrl-C.*too late.*\n$/);
  });

  it('leaves out no event, but ends for a reader who takes none, and says where they are', () => {
    const { tell, backlog, terminal } = viewFor(true);
    backlog.bytes = 2_000_000;
    tell(SAID);
    backlog.bytes = 65 * 1024 * 1024;
    tell(SAID);
    backlog.bytes = 0;
    tell(SAID);
    expect(terminal.out().trim().split('\n')).toHaveLength(1);
    expect(terminal.err()).toContain('the view ends');
    expect(terminal.err()).toContain('runs/x/journal.jsonl');
  });

  it('shows nothing more once it is closed or nobody reads', () => {
    const { view, tell, backlog, terminal } = viewFor(false);
    tell(BEGUN);
    backlog.isClosed = true;
    tell(SAID);
    backlog.isClosed = false;
    view.close();
    tell(SAID);
    expect(terminal.out()).toBe('resumed\n');
  });
});

const WAIT = { timeout: 60_000, interval: 10 };

function viewOn(write: (text: string) => void) {
  const terminal = recordingTerminal();
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk.toString());
      done();
    },
  });
  const output = Object.assign(stream, { isTTY: true, columns: 80, rows: 24 });
  const live = { output, send: async () => undefined } as unknown as LiveDoor;
  const view = createRunView({ json: false, quiet: false, folder: 'x', place: '', live }, contextOf(terminal));
  let state = INITIAL_STATE;
  let drafts: Draft[] = [];
  const tell = (...more: readonly Draft[]) => {
    drafts = [...drafts, ...more];
    for (const event of record(drafts).slice(-more.length)) {
      state = reduce(state, event);
      view.onEvent(event, state);
    }
  };
  const finish = () => view.end({ runId: 'loop_01TEST', state, reasons: [], status: 'stopped', exitCode: 3 });
  return { view, terminal, tell, finish };
}

const SPAWNED: Draft = { type: 'agent-spawned', pid: 1, startTime: '1' };

describe('the live view of a run', () => {
  it('is not there before an agent works', async () => {
    let text = '';
    const { view, tell, terminal } = viewOn((part) => (text += part));
    tell(started(), begin(1));
    expect(text).toBe('');
    expect(terminal.out()).not.toContain('iteration 1');
    tell(SPAWNED);
    await expect.poll(() => text, WAIT).toContain('iteration 1');
    view.close();
  });

  it('one that breaks leaves plain lines, and the run goes on', async () => {
    let text = '';
    let isOnFire = false;
    const { tell, finish, terminal } = viewOn((part) => {
      if (isOnFire) throw new Error('the terminal has caught fire');
      text += part;
    });
    tell(started(), begin(1), SPAWNED);
    await expect.poll(() => text, WAIT).toContain('iteration 1');
    tell(end(1, { observation: { tests: tests(3, 5) } }));
    isOnFire = true;
    tell(begin(2));
    await expect.poll(() => terminal.err(), WAIT).toContain('the terminal has caught fire');
    tell(end(2, { observation: { tests: tests(5, 3) } }), begin(3), { type: 'agent-said', text: 'Still here.' });
    finish();
    expect(terminal.out()).toContain('Still here.');
    expect(terminal.out()).toMatch(/iteration 2 .*1s.*5 of 8 tests pass \(\+2\)/);
  });

  it('what happened while it was being loaded is not lost when the run ends at once', () => {
    const { tell, finish, terminal } = viewOn(() => undefined);
    tell(started(), begin(1), SPAWNED, end(1));
    finish();
    expect(terminal.out()).toContain('iteration 1 completed');
  });
});
