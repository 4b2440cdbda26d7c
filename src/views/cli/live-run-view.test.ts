import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, record, started, tests } from '../../../test/support/record.js';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import { reduce } from '../../model/reduce.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import type { LiveDoor } from './live-run-view.js';
import { createRunView } from './run-view.js';

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
