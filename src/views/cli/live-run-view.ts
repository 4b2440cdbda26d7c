import { messageOf } from '../../model/errors.js';
import type { LoopCommand } from '../../model/loop-command.js';
import type { EventType, RunEvent } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import type { LiveRecord } from '../live/live-record.js';
import type { LiveTerminal } from '../live/live-terminal.js';
import type { LiveView } from '../live/live-view.js';
import { printable } from '../terminal/printable.js';
import type { FragileView, LinesView } from './lines-view.js';
import type { CommandContext } from './command-context.js';

/** Where nothing happens before, such as in a long baseline. */
const LATEST_OPENING_MS = 1000;

/** Opened when an agent works, or somebody has to do something. */
const OPENS_AT: ReadonlySet<EventType> = new Set([
  'agent-spawned',
  'attempt-started',
  'waiting-started',
  'paused',
] satisfies EventType[]);

/** Where a run can be shown live, and how its keys reach it. */
export interface LiveDoor extends LiveTerminal {
  readonly send: (command: LoopCommand) => Promise<unknown>;
  /** What was recorded before this process went on with it. */
  readonly seen?: LiveRecord | undefined;
}

interface Told {
  readonly event: RunEvent;
  readonly after: RunState;
  readonly isShown: boolean;
}

/** Begins as plain lines, becomes the live view, and ends as plain lines; also when the live view breaks. */
export function liveRunView(lines: LinesView, live: LiveDoor, { now, terminal }: CommandContext): FragileView {
  let stage: 'before' | 'loading' | 'live' | 'over' = 'before';
  let view: LiveView | undefined;
  /** What the live view has yet to be told. */
  let told: Told[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** From the first event on: an agent that tells much at once leaves no time to load anything. */
  let loading: Promise<{ readonly LiveView: typeof LiveView }> | undefined;
  const load = () => (loading ??= import('../live/live-view.js'));
  const giveUp = (error: unknown) => {
    stage = 'over';
    terminal.note(`pawl: the live view ends, the run continues: ${printable(messageOf(error))}`);
    showUntold();
  };
  const showUntold = () => {
    for (const { event, after, isShown } of told) if (!isShown) lines.onEvent(event, after);
    told = [];
  };
  const open = async () => {
    if (stage !== 'before') return;
    stage = 'loading';
    const { LiveView } = await load();
    if (!isLoading()) return;
    stage = 'live';
    const onInterrupt = () => process.kill(process.pid, 'SIGINT');
    const { send, seen } = live;
    view = new LiveView({ terminal, now, live, send, seen, onInterrupt, onBroken: giveUp });
    for (const { event, after, isShown } of told) view.onEvent(event, after, isShown);
    told = [];
    view.open();
  };
  const isLoading = () => stage === 'loading';
  const begin = () => void open().catch(giveUp);
  return {
    onEvent(event, after) {
      timer ??= setTimeout(begin, LATEST_OPENING_MS);
      load().catch(() => undefined);
      if (stage === 'over') return lines.onEvent(event, after);
      // The heads of iterations have no place above a view that shows the iteration.
      const isShown = stage === 'before' && event.type !== 'iteration-started';
      if (isShown) lines.onEvent(event, after);
      else lines.passOver(event, after);
      if (stage === 'live') view?.onEvent(event, after);
      else told.push({ event, after, isShown });
      if (OPENS_AT.has(event.type)) begin();
      return undefined;
    },
    end(result) {
      this.close?.();
      lines.end(result);
    },
    close() {
      clearTimeout(timer);
      stage = 'over';
      view?.close();
      showUntold();
    },
  };
}
