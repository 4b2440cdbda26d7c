import { isEnding, loopStateOf, waitingOf } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { type Terminal, wrap } from '../text/terminal.js';
import { fit } from '../../words/printable.js';
import { NOT_IN_PIPELINES } from './live-keys.js';

type Hint = readonly [key: string, does: string];

interface Possible {
  readonly mayLeave: boolean;
  readonly isLive: boolean;
}

/** The keys that make sense now, the most needed first, as many as there is room for; help always. */
export function keyLine(state: RunState, possible: Possible, terminal: Terminal): string {
  const isPipeline = state.pipeline !== undefined;
  const hints = hintsFor(state, possible).filter(([key]) => !isPipeline || !NOT_IN_PIPELINES.has(key));
  const room = terminal.columns;
  const shown: Hint[] = [];
  let columns = '? help'.length;
  for (const hint of hints) {
    columns += hint[0].length + hint[1].length + 3;
    if (columns > room) break;
    shown.push(hint);
  }
  return [...shown, ['?', 'help'] as const]
    .map(([key, does]) => `${terminal.style('bold', key)} ${terminal.style('dim', does)}`)
    .join('  ');
}

function hintsFor(state: RunState, { mayLeave, isLive }: Possible): readonly Hint[] {
  const status = loopStateOf(state);
  const waiting = waitingOf(state);
  const leave: readonly Hint[] = mayLeave ? [['q', 'leave']] : [];
  if (!isLive) return leave;
  if (isEnding(state)) return [...leave, ...sooner(state)];
  if (waiting?.for === 'approval') {
    return [['a', 'approve'], ['x', 'reject'], ['s', 'stop'], ...leave, ['t', 'steer'], ['S', 'stop now']];
  }
  if (waiting?.for === 'person' || waiting?.for === 'answer') {
    return [['a', 'answer'], ['s', 'stop'], ...leave, ['t', 'steer'], ['S', 'stop now']];
  }
  if (status === 'paused' || status === 'waiting') {
    return [
      ['p', status === 'paused' ? 'continue' : 'try now'],
      ['s', 'stop'],
      ...leave,
      ['t', 'steer'],
      ['S', 'stop now'],
    ];
  }
  return [
    ['p', state.requests.pause === undefined ? 'pause' : 'unpause'],
    ['s', state.pipeline === undefined ? 'stop after this' : 'stop after these'],
    ...leave,
    ['t', 'steer'],
    ['S', 'stop now'],
    ['k', 'skip'],
    ['r', 'reboot'],
  ];
}

/** How one that is stopping can be made to stop sooner. */
function sooner({ hook, pipeline, requests: { stop } }: RunState): readonly Hint[] {
  if (hook !== undefined) return [['S', 'end the hook']];
  return pipeline === undefined || stop?.now === true ? [] : [['S', 'stop now']];
}

const PIPELINE_HELP: readonly Hint[] = [
  ['p', 'pause after the attempts in progress; again: continue'],
  ['s', 'stop after the attempts in progress'],
  ['S', 'stop now: end every attempt and everything it started'],
];

const HELP: readonly Hint[] = [
  ['p', 'pause after this iteration; again: continue'],
  ['s', 'stop after this iteration'],
  ['S', 'stop now: end the agent and everything it started'],
  ['k', 'skip: end this iteration and start the next'],
  ['r', 'reboot: start a new session with the next iteration'],
  ['t', 'steer: add a message to the next prompt'],
  ['a', 'answer a question, or approve the next iteration, when the run asks'],
  ['x', 'reject it with a reason, when the run asks'],
];

const KEY_COLUMNS = 9;

/** What every key does, in as many lines as it needs; where there is no room for them, one each. */
export function helpLines(
  { pipeline }: RunState,
  mayLeave: boolean,
  most: number,
  terminal: Terminal,
): readonly string[] {
  const after = pipeline === undefined ? 'this iteration' : 'the attempts in progress';
  const last: readonly Hint[] = mayLeave
    ? [['q', 'leave the view; the run continues']]
    : [['Ctrl-C', `stop after ${after}; twice: stop now`]];
  const hints = [...(pipeline === undefined ? HELP : PIPELINE_HELP), ...last];
  const room = Math.max(1, terminal.columns - KEY_COLUMNS);
  const keyText = (key: string) => `  ${terminal.style('bold', key.padEnd(KEY_COLUMNS - 3))} `;
  const whole = hints.flatMap(([key, does]) =>
    wrap(does, room).map((line, index) => `${index === 0 ? keyText(key) : ' '.repeat(KEY_COLUMNS)}${line}`),
  );
  return whole.length <= most ? whole : hints.map(([key, does]) => `${keyText(key)}${fit(does, room)}`);
}
