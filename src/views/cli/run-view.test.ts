import { describe, expect, it } from 'vitest';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import type { RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import { createRunView } from './run-view.js';

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
