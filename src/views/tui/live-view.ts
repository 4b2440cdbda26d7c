import { messageOf } from '../../model/errors.js';
import { plural } from '../../model/figures.js';
import type { LoopCommand } from '../../model/loop-command.js';
import type { RunEvent } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import type { Terminal } from '../text/terminal.js';
import { printable } from '../../words/printable.js';
import { giveBackBeforeDeath } from './give-back-terminal.js';
import { finishedLines } from '../text/finished-lines.js';
import { type Key, Keyboard } from './keyboard.js';
import { liveFrame } from './live-frame.js';
import { type Mode, press, WATCHING } from './live-keys.js';
import { foldLive, type LiveRecord, NOTHING_SEEN } from '../text/live-record.js';
import { isInForeground, type LiveTerminal } from '../text/live-terminal.js';
import { Screen } from './screen.js';

const BETWEEN_DRAWINGS_MS = 110;
const CLOCK_MS = 1000;
const NOTICE_MS = 6000;
/**
 * Each drawing in the middle of a change of size could leave a part of itself behind, where no one can erase it. And tmux
 * reports the second change in a row a quarter of a second late.
 */
const SETTLED_MS = 300;
const NOT_STOPPED_MS = 20;
const MOST_COLUMNS = 120;
/** Finished lines that wait for a terminal which does not read. */
const MOST_WAITING_LINES = 500;

interface LiveViewOptions {
  readonly terminal: Terminal;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  readonly live: LiveTerminal;
  /** What was recorded before the first event that it is told of. */
  readonly seen?: LiveRecord | undefined;
  /** Rejects when the run does not take the command. */
  readonly send: (command: LoopCommand) => Promise<unknown>;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  /** What q does; without it the view stays as long as the run. */
  readonly onLeave?: (() => void) | undefined;
  /** Only looks: an agent does not get the keys of its own run. */
  readonly isReadOnly?: boolean | undefined;
  /** Its record is a copy: only the fleet continues it. */
  readonly isOfFleet?: boolean | undefined;
  /** The view is broken and has given the terminal back. */
  readonly onBroken: (error: unknown) => void;
}

interface Notice {
  readonly text: string;
  readonly untilMs: number;
}

/** Shows a run on the last lines of a terminal and takes its keys. Its only input are events, the clock, and the keys. */
export class LiveView {
  readonly #options: LiveViewOptions;
  readonly #screen: Screen;
  readonly #keyboard: Keyboard | undefined;
  readonly #pace = new Pace(() => this.#guarded(() => this.#draw()) ?? 'done', BETWEEN_DRAWINGS_MS);
  readonly #cleanups: (() => void)[] = [];
  #record: LiveRecord;
  #mode: Mode = WATCHING;
  #isLive = true;
  #notice: Notice | undefined;
  /** What the last refusal in the record says. */
  #refusal: Notice | undefined;
  #above: string[] = [];
  #missed = 0;
  #resizedMs = Number.NEGATIVE_INFINITY;
  /** In the background, or given back for a while. */
  #isAway = false;
  #isClosed = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
    const { output, input } = options.live;
    this.#record = options.seen ?? NOTHING_SEEN;
    this.#screen = new Screen(
      (text) => void output.write(text),
      () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    );
    if (input !== undefined) this.#keyboard = new Keyboard(input, (key) => this.#guarded(() => this.#onKey(key)));
  }

  /** Takes the last lines of the terminal, and the keys. */
  open(): void {
    const { terminal, live } = this.#options;
    const draw = () => this.#pace.ask();
    const comeBack = () => this.#guarded(() => this.#comeBack());
    const close = () => this.close();
    const clock = setInterval(draw, CLOCK_MS);
    const resize = () => {
      this.#resizedMs = performance.now();
      draw();
    };
    live.output.on('resize', resize);
    process.on('SIGCONT', comeBack).on('SIGTSTP', this.#stop).on('exit', close);
    const ignoreSignals = giveBackBeforeDeath(close);
    const takeBack = terminal.lend?.((line) => this.note(line));
    this.#cleanups.push(
      () => clearInterval(clock),
      () => live.output.off('resize', resize),
      () => process.off('SIGCONT', comeBack).off('SIGTSTP', this.#stop).off('exit', close),
      ignoreSignals,
      () => takeBack?.(),
    );
    this.#guarded(() => this.#keyboard?.start());
    draw();
  }

  /** `isShown`: what stays of the event is on the screen already. */
  onEvent(event: RunEvent, after: RunState, isShown = false): void {
    const before = this.#record.state;
    this.#record = foldLive(this.#record, event, after);
    if (event.type === 'command-received' && event.refused !== undefined) this.#onRefusal(event.refused);
    if (this.#isClosed || isShown) return;
    const columns = Math.min(this.#screen.width, MOST_COLUMNS);
    const { terminal, isOfFleet } = this.#options;
    for (const line of finishedLines(event, { before, after, isOfFleet }, { ...terminal, columns })) this.note(line);
    this.#pace.ask();
  }

  /** A line that scrolls up. */
  note(line: string): void {
    if (this.#above.length < MOST_WAITING_LINES) this.#above.push(line);
    else this.#missed += 1;
    this.#pace.ask();
  }

  /** Whether someone runs it. */
  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    this.#pace.ask();
  }

  /** Gives the terminal back as it was. The lines that have not been shown yet are. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pace.stop();
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
    if (!this.#isAway) this.#giveBack(this.#takeLines());
    else for (const line of this.#takeLines()) this.#options.live.output.write(`${line}\n`);
  }

  #draw(): 'done' | 'again' {
    const { terminal, live } = this.#options;
    if (this.#isClosed) return 'done';
    if (terminal.outlet?.isClosed() === true) {
      this.close();
      return 'done';
    }
    if (this.#isAway) {
      if (isInForeground()) this.#comeBack();
      return 'done';
    }
    // A terminal that does not read gets the newest picture when it does.
    if (live.output.writableLength > 0) return 'again';
    refreshSize(live.output);
    if (performance.now() - this.#resizedMs < SETTLED_MS) return 'again';
    this.#screen.draw(this.#frame(), this.#takeLines());
    return 'done';
  }

  #frame() {
    const { terminal, now, onLeave, isReadOnly, isOfFleet } = this.#options;
    const nowMs = now();
    if (this.#notice !== undefined && this.#notice.untilMs < nowMs) this.#notice = undefined;
    const input = {
      record: this.#record,
      mode: this.#mode,
      nowMs,
      size: { columns: this.#screen.width, rows: this.#screen.height },
      isLive: this.#isLive,
      isOfFleet,
      hasKeys: this.#keyboard !== undefined && isReadOnly !== true,
      mayLeave: onLeave !== undefined,
      notice: this.#notice?.text,
    };
    return liveFrame(input, terminal);
  }

  #takeLines(): readonly string[] {
    const missed = this.#missed === 0 ? [] : [`[${plural(this.#missed, 'line')} not shown]`];
    this.#missed = 0;
    return [...this.#above.splice(0), ...missed];
  }

  #onKey(key: Key): void {
    const { onInterrupt, onLeave, isReadOnly, send } = this.#options;
    if (this.#isClosed || this.#isAway) return;
    if (key.name === 'interrupt') return onInterrupt();
    if (key.name === 'suspend') return this.#suspend();
    if (key.name === 'quit') return this.#quit();
    const { mode, command, leaves } = press(this.#mode, key, this.#record.state, onLeave !== undefined);
    if (leaves === true) return onLeave?.();
    if (isReadOnly === true) return undefined;
    this.#mode = mode;
    if (command !== undefined) send(command).catch((error: unknown) => this.#say(messageOf(error)));
    return this.#pace.ask();
  }

  /** Something that is only true for a moment, unless a line that stays says it already. */
  #say(message: string): void {
    const text = printable(message);
    const nowMs = this.#options.now();
    if (this.#refusal?.text === text && this.#refusal.untilMs > nowMs) return;
    this.#notice = noticeOf(text, nowMs);
    this.#pace.ask();
  }

  /** Through a socket the answer may come before the record. */
  #onRefusal(message: string): void {
    this.#refusal = noticeOf(printable(message), this.#options.now());
    if (this.#notice?.text === this.#refusal.text) this.#notice = undefined;
  }

  /** Someone stops this process only. */
  readonly #stop = (): void => this.#guarded(() => this.#suspend(process.pid));

  /** Ctrl-Z: the shell gets its terminal back as it was. By default it stops all that the shell started in this line. */
  #suspend(pid = 0): void {
    this.#giveBack(this.#takeLines());
    this.#isAway = true;
    process.off('SIGTSTP', this.#stop);
    process.kill(pid, 'SIGTSTP');
    // From here on when someone continues it, unless SIGCONT was first; at once where the system does not stop it.
    setTimeout(() => this.#guarded(() => (this.#isAway ? this.#comeBack() : undefined)), NOT_STOPPED_MS);
  }

  #comeBack(): void {
    if (this.#isClosed || !isInForeground()) return;
    // Anyone who had the terminal may have changed its mode.
    if (!this.#isAway) this.#keyboard?.stop();
    else process.on('SIGTSTP', this.#stop);
    this.#isAway = false;
    this.#screen.forget();
    this.#keyboard?.start();
    this.#pace.ask();
  }

  #quit(): void {
    this.close();
    process.kill(process.pid, 'SIGQUIT');
  }

  #giveBack(lines: readonly string[]): void {
    try {
      this.#screen.end(lines);
    } finally {
      this.#keyboard?.stop();
    }
  }

  /** A view that breaks gives the terminal back and says so. */
  #guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      try {
        this.close();
      } catch {
        // It is broken already.
      }
      this.#options.onBroken(error);
      return undefined;
    }
  }
}

function noticeOf(text: string, nowMs: number): Notice {
  return { text, untilMs: nowMs + NOTICE_MS };
}

/** The signal that tells of another size may come after the next drawing, which would then be made for the old one. */
function refreshSize(output: NodeJS.WriteStream): void {
  (output as { readonly _refreshSize?: (() => void) | undefined })._refreshSize?.();
}

/** Does something when it is asked to, at most once in a while; what is asked for in between is done once. */
export class Pace {
  readonly #act: () => 'done' | 'again';
  readonly #betweenMs: number;
  #timer: NodeJS.Timeout | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isOver = false;

  /** `again`: it could not be done and is to be tried after a while. */
  constructor(act: () => 'done' | 'again', betweenMs: number) {
    this.#act = act;
    this.#betweenMs = betweenMs;
  }

  ask(): void {
    if (this.#timer !== undefined || this.#isOver) return;
    const dueMs = this.#lastMs + this.#betweenMs - performance.now();
    this.#timer = setTimeout(() => this.#run(), Math.max(0, dueMs));
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#timer = undefined;
    this.#lastMs = performance.now();
    if (this.#act() === 'again') this.ask();
  }
}
