import { PassThrough, Writable } from 'node:stream';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { begin, type Draft, end, record, started } from '../../../test/support/record.js';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { VirtualScreen } from '../../../test/support/virtual-screen.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { reduce } from '../../model/reduce.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import type { LiveTerminal } from '../text/live-terminal.js';
import { LiveView } from './live-view.js';

const WAIT = { timeout: 60_000, interval: 10 };
let opened: LiveView | undefined;
afterEach(() => opened?.close());

const REFUSED: Draft = {
  type: 'command-received',
  command: { type: 'reboot' },
  by: 'the keyboard',
  refused: 'cannot reboot a run that is stopping',
};

/** A view on a terminal whose reader can be stopped. */
function viewOn({ isBroken = false, refusal }: { readonly isBroken?: boolean; readonly refusal?: string } = {}) {
  const screen = new VirtualScreen();
  let isReading = true;
  let resume = () => {};
  const output = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (isBroken) throw new Error('this terminal is broken');
        screen.write(chunk.toString());
        if (isReading) done();
        else resume = done;
      },
    }),
    { isTTY: true, columns: 80, rows: 24 },
  );
  let isRaw = false;
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(raw: boolean) {
      isRaw = raw;
      return this;
    },
  });
  const sent: LoopCommand[] = [];
  const happened: string[] = [];
  const terminal = recordingTerminal();
  let lent: ((line: string) => void) | undefined;
  const lend = (take: (line: string) => void) => {
    lent = take;
    return () => (lent = undefined);
  };
  const view = new LiveView({
    terminal: { ...terminal, lend },
    now: Date.now,
    live: { output, input } as unknown as LiveTerminal,
    send: async (command) => {
      sent.push(command);
      if (command.type === 'reboot' && refusal !== undefined) {
        if (refusal === 'before') tell(REFUSED);
        throw new Error('cannot reboot a run that is stopping');
      }
      if (command.type === 'skip') throw new Error('cannot skip: no iteration is in progress');
    },
    onInterrupt: () => happened.push('interrupt'),
    onLeave: () => happened.push('leave'),
    onBroken: (error) => happened.push(String(error)),
  });
  opened = view;
  let state = INITIAL_STATE;
  let drafts: Draft[] = [];
  const tell = (...more: readonly Draft[]) => {
    drafts = [...drafts, ...more];
    for (const event of record(drafts).slice(-more.length)) {
      state = reduce(state, event);
      view.onEvent(event, state);
    }
  };
  const shown = () => screen.text.join('\n');
  const stopReading = () => (isReading = false);
  const readOn = () => {
    isReading = true;
    resume();
  };
  return {
    view,
    screen,
    output,
    shown,
    tell,
    input,
    sent,
    happened,
    isRaw: () => isRaw,
    say: () => lent,
    stopReading,
    readOn,
  };
}

describe('the live view on a terminal', () => {
  it('takes the terminal, and gives it back as it was', async () => {
    const { view, screen, shown, tell, isRaw } = viewOn();
    view.open();
    expect(isRaw()).toBe(true);
    tell(started(), begin(1), { type: 'agent-said', text: 'Hello there.' });
    await expect.poll(shown, WAIT).toContain('Hello there.');
    tell(end(1));
    view.close();
    expect(isRaw()).toBe(false);
    expect(screen.isCursorShown).toBe(true);
    expect(screen.text.join('\n')).toMatch(/^✓ {3}1 completed +1s\n$/);
  });

  it('keys reach the run, and a refusal is said', async () => {
    const { view, shown, tell, input, sent, happened } = viewOn();
    view.open();
    tell(started(), begin(1));
    input.write('pskr');
    input.write('t');
    input.write('\u001b[200~mind\nthe \u001b]0;x\u0007gap\u001b[201~');
    input.write('\u001b[D\u007f!\r');
    input.write('\u0003q');
    await expect.poll(() => happened, WAIT).toEqual(['interrupt', 'leave']);
    const types = sent.map((command) => command.type);
    expect(types).toEqual(['pause', 'stop', 'skip', 'reboot', 'steer']);
    expect(sent.at(-1)).toMatchObject({ text: expect.stringMatching(/^mind the .*g!p$/) });
    await expect.poll(shown, WAIT).toContain('cannot skip');
  });

  it.each(['before', 'after'])('a refusal is shown once, the record of it coming %s the answer', async (refusal) => {
    const { view, shown, tell, input, sent } = viewOn({ refusal });
    view.open();
    tell(started(), begin(1));
    input.write('r');
    await expect.poll(() => sent, WAIT).toHaveLength(1);
    if (refusal === 'after') {
      await expect.poll(shown, WAIT).toContain('cannot reboot');
      tell(REFUSED);
    }
    await expect.poll(shown, WAIT).toMatch(/keyboard.*refused: cannot reboot/);
    tell({ type: 'agent-said', text: 'what comes after it' });
    await expect.poll(shown, WAIT).toContain('what comes after it');
    expect(shown().split('cannot reboot')).toHaveLength(2);
  });

  it('what others have to say goes above it', async () => {
    const { view, shown, tell, say } = viewOn();
    view.open();
    tell(started(), begin(1));
    say()?.('a warning');
    await expect.poll(shown, WAIT).toMatch(/^a warning\n\niteration 1/);
    view.close();
    expect(say()).toBeUndefined();
  });

  it('draws a burst of events at most ten times a second', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { view, screen, shown, tell } = viewOn();
    view.open();
    tell(started(), begin(1));
    for (let turn = 0; turn < 60; turn += 1) {
      tell({ type: 'agent-said', text: `word ${turn}` });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(screen.writes.length).toBeLessThanOrEqual(7);
    await vi.advanceTimersByTimeAsync(100);
    expect(shown()).toContain('word 59');
    view.close();
  });

  it('a terminal that does not read holds up nothing, and shows the newest when it reads again', async () => {
    const { view, screen, output, shown, tell, stopReading, readOn } = viewOn();
    view.open();
    tell(started(), begin(1));
    await expect.poll(shown, WAIT).toContain('iteration 1');
    stopReading();
    tell({ type: 'agent-said', text: 'the first' });
    await expect.poll(shown, WAIT).toContain('the first');
    const writes = screen.writes.length;
    const waitingBytes = output.writableLength;
    const turns = Array.from({ length: 600 }, (_, turn) => turn);
    tell(...turns.flatMap((turn): Draft[] => [end(turn), begin(turn + 1), { type: 'agent-said', text: `n ${turn}` }]));
    // Another view that is asked to draw later has drawn: this one would have, too.
    const other = viewOn();
    other.view.open();
    other.tell(started(), begin(1), { type: 'agent-said', text: 'the first' });
    await expect.poll(other.shown, WAIT).toContain('the first');
    other.tell({ type: 'agent-said', text: 'the second' });
    await expect.poll(other.shown, WAIT).toContain('the second');
    other.view.close();
    expect(screen.writes).toHaveLength(writes);
    expect(output.writableLength).toBe(waitingBytes);
    readOn();
    await expect.poll(shown, WAIT).toContain('n 599');
    expect(shown()).toContain('[100 lines not shown]');
  });

  it('one that breaks gives the terminal back and says why', async () => {
    const { view, tell, happened, isRaw } = viewOn({ isBroken: true });
    view.open();
    tell(started(), begin(1));
    await expect.poll(() => happened, WAIT).toEqual(['Error: this terminal is broken']);
    expect(isRaw()).toBe(false);
    tell(end(1));
  });
});
