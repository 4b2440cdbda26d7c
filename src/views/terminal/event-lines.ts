import { itemAt } from '../../model/item-state.js';
import type { AgentEnding, EventOf, EventType, RunEvent, WaitingFor } from '../../model/run-event.js';
import type { LoopCommand } from '../../model/loop-command.js';
import type { Observation } from '../../model/observation.js';
import type { RunState } from '../../model/run-state.js';
import { cannotBeRun, type TestResults } from '../../model/test-results.js';
import { wordOf } from '../../run/command-legality.js';
import { shortFleetId } from '../../fleet/find-fleet-run.js';
import { describe } from '../../stop/describe.js';
import { plural } from '../../stop/figures.js';
import { type Style, type Terminal, wrap } from '../cli/terminal.js';
import { clockText, untilText } from './clock-text.js';
import { hangingLines } from './hanging-lines.js';
import { attemptLine, itemLine } from './item-lines.js';
import { iterationText } from './iteration-text.js';
import { oneLine } from './one-line.js';
import { printable } from './printable.js';
import { restoredText } from './restored-text.js';
import { textWidth } from './text-width.js';
import { testsOutput, testsText } from './tests-text.js';
import { WAITED_FOR } from '../../stop/run-summary.js';

const MOST_LINES_OF_TEXT = 2;
const UNPUSHED = 'committed, but on no branch of the remote';
const INDENT = '  ';
const MOST_TELLER_COLUMNS = 24;
/** Each of them is shown indented. */
const TOLD_BY_AGENTS: ReadonlySet<EventType> = new Set([
  'agent-said',
  'tool-called',
  'tool-answered',
  'error-seen',
  'limit-hit',
  'permission-denied',
  'agent-finished',
] satisfies EventType[]);

/** Where an event stands: the fold before and after it. */
export interface Fold {
  readonly before: RunState;
  readonly after: RunState;
  /** Of a fleet, which has commands of its own. */
  readonly isOfFleet?: boolean | undefined;
}

type Render<T extends EventType> = (event: EventOf<T>, fold: Fold, terminal: Terminal) => readonly string[];

/** What is shown of each event. Those that are not named are not shown. */
const RENDERERS: { readonly [T in EventType]?: Render<T> } = {
  'baseline-observed': ({ observation: { tests, unobserved = [] } }, _, terminal) => [
    ...(tests === undefined ? [] : baselineLines(tests, terminal)),
    ...unobserved.flatMap((text) => sentence(`warning: ${text}`, terminal, 'yellow')),
  ],
  'iteration-started': ({ iteration, try: attempt, at, session }, _, terminal) => {
    const again = attempt > 1 ? `, try ${attempt}` : '';
    const continued = session === undefined ? '' : ', same session';
    const when = `${clockText(at, Date.parse(at))}${again}${continued}`;
    return ['', `${terminal.style('bold', `iteration ${iteration}`)} ${terminal.style('dim', when)}`];
  },
  'agent-said': ({ text }, _, terminal) => shortened(text, terminal).map((line) => `${INDENT}${line}`),
  'tool-called': ({ name, input = '' }, _, terminal) => line(terminal, 'dim', `→ ${name} ${toolInput(input)}`),
  'tool-answered': ({ failed, denied, output = '' }, _, terminal) =>
    failed === true && denied !== true ? line(terminal, 'dim', `← failed: ${output}`) : [],
  'error-seen': ({ kind, message }, _, terminal) =>
    line(terminal, 'red', `error${kind === 'other' ? '' : ` (${kind})`}: ${message}`),
  'limit-hit': ({ kind, message }, _, terminal) => line(terminal, 'yellow', `${kind.replace('-', ' ')}: ${message}`),
  'permission-denied': ({ tool, detail }, { before }, terminal) => [
    ...line(terminal, 'yellow', `denied: ${tool}${detail === undefined ? '' : ` ${toolInput(detail)}`}`),
    ...(before.streaks.denials === 0 ? line(terminal, 'dim', 'what it may do unasked stands under agent.allow') : []),
  ],
  'agent-finished': ({ stoppedBy }, _, terminal) =>
    stoppedBy === undefined ? [] : line(terminal, 'yellow', `the agent stopped itself: its ${stoppedBy} are used up`),
  'claim-made': ({ claim, evidence }, _, terminal) => line(terminal, 'yellow', `says it is ${claim}: ${evidence}`),
  'iteration-ended': endedLines,
  'attempt-ended': (event, { after }, terminal) =>
    event.outcome === 'approved' ? [] : [attemptLine(event, after, terminal)],
  'item-ended': (event, { after }, terminal) => [itemLine(event, after, terminal)],
  'item-reopened': ({ item, isLost }, _, terminal) =>
    isLost === true
      ? sentence(`${item}: its approved output is gone or has changed`, terminal, 'yellow')
      : sentence(`${item} is made once more`, terminal, 'dim'),
  'manifest-changed': ({ items, withdrawn }, _, terminal) =>
    sentence(`goes on with another manifest: ${plural(items - withdrawn.length, 'item')}`, terminal, 'dim'),
  'work-committed': ({ commit, commits = 1, error }, _, terminal) =>
    error === undefined
      ? line(
          terminal,
          'dim',
          `${commits === 1 ? '' : `${plural(commits, 'commit')}, `}committed as ${commit?.slice(0, 10) ?? ''}`,
        )
      : indented(terminal, 'yellow', `${commit === undefined ? 'not committed' : UNPUSHED}: ${error}`),
  'tree-restored': (event, _, terminal) => sentence(restoredText(event), terminal, 'dim'),
  'hook-ran': ({ failure }, _, terminal) => (failure === undefined ? [] : line(terminal, 'yellow', failure.message)),
  'notification-sent': ({ channel, error }, _, terminal) =>
    error === undefined ? [] : line(terminal, 'yellow', `notify.${channel} failed: ${error}`),
  'waiting-started': (event, fold, terminal) => sentence(waitingText(event, fold), terminal, 'yellow'),
  'waiting-ended': ({ reason }, _, terminal) => sentence(reason ?? 'goes on', terminal, 'dim'),
  paused: ({ reason }, fold, terminal) =>
    sentence(
      `paused${reason === undefined ? '' : `: ${reason}`} (${commandFor('unpause', fold)} goes on)`,
      terminal,
      'yellow',
    ),
  resumed: (_event, _, terminal) => sentence('goes on', terminal, 'dim'),
  'reboot-started': ({ reason }, _, terminal) => sentence(`a fresh session: ${reason}`, terminal, 'dim'),
  'command-received': ({ command, by, refused }, _, terminal) =>
    sentence(
      `${commandText(command)} requested by ${by}${refused === undefined ? '' : `, refused: ${refused}`}`,
      terminal,
      'yellow',
    ),
  'limit-extended': ({ limit, by }, _, terminal) => sentence(`new limit by ${by}: ${describe(limit)}`, terminal, 'dim'),
  'run-resumed': ({ cause, changes = [] }, _, terminal) => [
    ...sentence(cause === 'crash' ? 'resumed after the runner was interrupted' : 'resumed', terminal, 'dim'),
    ...changes.flatMap((change) => line(terminal, 'yellow', `changed in the code: ${change}`)),
  ],
};

/** The lines of one event, for a person who watches. */
export function eventLines(event: RunEvent, fold: Fold, terminal: Terminal): readonly string[] {
  return rendered(RENDERERS[event.type] as Render<EventType> | undefined, event, fold, terminal);
}

/** The same with all that the agent said, for a person who reads up. */
export function wholeEventLines(event: RunEvent, fold: Fold, terminal: Terminal): readonly string[] {
  if (event.type !== 'agent-said') return eventLines(event, fold, terminal);
  const { text } = event;
  return rendered((_event, _fold, to) => whole(text, to), event, fold, terminal);
}

function rendered(
  render: Render<EventType> | undefined,
  event: RunEvent,
  fold: Fold,
  terminal: Terminal,
): readonly string[] {
  if (render === undefined) return [];
  const teller = tellerOf(event, fold);
  if (teller === undefined) return render(event, fold, terminal);
  const label = oneLine(teller, MOST_TELLER_COLUMNS);
  const lines = render(event, fold, { ...terminal, columns: terminal.columns - textWidth(label) });
  return lines.map((each) => `${terminal.style('dim', label)}${each}`);
}

/** Of attempts side by side each line says whose it is. */
function tellerOf(event: RunEvent, { after }: Fold): string | undefined {
  if (!TOLD_BY_AGENTS.has(event.type) || !('index' in event) || event.index === undefined) return undefined;
  return itemAt(after.pipeline?.states, event.index)?.item;
}

function endedLines(event: EventOf<'iteration-ended'>, { before, after }: Fold, terminal: Terminal): readonly string[] {
  const { outcome, error, observation, ending } = event;
  const colour: Style = outcome === 'completed' ? 'cyan' : 'yellow';
  const { stragglers = 0, survivors = 0 } = ending ?? {};
  return [
    ...sentence(iterationText(event, before, after), terminal, colour),
    ...(error === undefined || isSaid(error, before) || error === before.commits?.problem
      ? []
      : line(terminal, 'red', error)),
    ...(ending?.spentOn === true ? line(terminal, 'yellow', 'it spent on when told to end, and was killed') : []),
    ...(stragglers === 0 ? [] : line(terminal, 'dim', stragglersText(stragglers, ending?.cause))),
    ...(survivors === 0 ? [] : line(terminal, 'red', `${survivors} of its processes could not be ended`)),
    ...unobservedLines(observation, before, terminal),
  ];
}

/** In full, but once: what was so before the first iteration was said there. */
export function unobservedLines(
  { unobserved = [] }: Observation,
  { baseline }: RunState,
  terminal: Terminal,
): readonly string[] {
  const fresh = unobserved.filter((text) => baseline?.unobserved?.includes(text) !== true);
  return fresh.flatMap((text) => indented(terminal, 'yellow', text));
}

/** Whoever did not end by itself has left nothing behind: it was cut off in the middle. */
function stragglersText(count: number, cause: AgentEnding['cause'] | undefined): string {
  const were = count === 1 ? 'was' : 'were';
  if (cause !== 'exit' && cause !== 'lingering') return `${count} more of its processes ${were} ended`;
  return `${count === 1 ? '1 process' : `${count} processes`} that it left running ${were} ended`;
}

/** Tests that cannot be run at all will not pass, whatever the agent does. */
function baselineLines(tests: TestResults, terminal: Terminal): readonly string[] {
  const text = `before: ${testsText(tests)}`;
  if (!cannotBeRun(tests)) return [terminal.style('dim', text)];
  return sentence([text, ...testsOutput(tests).slice(-1)].join(': '), terminal, 'yellow');
}

/** Words that stand a few lines above need not be repeated. */
function isSaid(message: string, { latest }: RunState): boolean {
  return latest.limitHit?.message === message || latest.errors.some((error) => error.message === message);
}

function waitingText({ for: what, until, reason, at }: EventOf<'waiting-started'>, fold: Fold): string {
  const { before } = fold;
  const time = until === undefined ? '' : ` ${untilText(until, Date.parse(at))}`;
  const why = reason === undefined || isSaid(reason, before) ? '' : `: ${reason}`;
  return `waiting for ${WAITED_FOR[what]}${answersFor(what, fold)}${time}${why}`;
}

/** How somebody answers what only a person can. */
function answersFor(what: WaitingFor, fold: Fold): string {
  if (what === 'approval') return ` (${commandFor('approve', fold)}, or ${commandFor('reject', fold)} TEXT)`;
  return what === 'answer' && fold.isOfFleet === true ? ` (${commandFor('steer', fold)} TEXT)` : '';
}

/** A run of a fleet has to be named: nobody is in its folder. */
function commandFor(name: string, { after, isOfFleet }: Fold): string {
  return isOfFleet === true ? `pawl fleet ${name} ${shortFleetId(after.runId ?? '')}` : `pawl ${name}`;
}

/** As it is typed. */
function commandText(command: LoopCommand): string {
  return `${wordOf(command)}${command.type === 'stop' && command.now === true ? ' now' : ''}`;
}

/** The values of a tool's input say more than its syntax. */
export function toolInput(input: string): string {
  const [, value] = /^\s*\{\s*"\w+"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(input.slice(0, 2000)) ?? [];
  return (value ?? input).replace(/\\n/g, ' ').replace(/\\(["\\])/g, '$1');
}

function line(terminal: Terminal, style: Style, text: string): readonly string[] {
  return [`${INDENT}${terminal.style(style, oneLine(text, terminal.columns - INDENT.length))}`];
}

/** All of a text, for what somebody has to do something about. */
function indented(terminal: Terminal, style: Style, text: string): readonly string[] {
  const [first = '', ...rest] = wrap(oneLine(text, 600), terminal.columns - INDENT.length * 2);
  return [`${INDENT}${first}`, ...rest.map((each) => `${INDENT}${INDENT}${each}`)].map((each) =>
    terminal.style(style, each),
  );
}

function sentence(text: string, terminal: Terminal, style: Style): readonly string[] {
  const line = oneLine(text, 600);
  const [first = '', ...rest] = line.length <= terminal.columns ? [line] : wrap(line, terminal.columns - INDENT.length);
  return [first, ...rest.map((each) => `${INDENT}${each}`)].map((each) => terminal.style(style, each));
}

/** A message of the agent's in its own lines, which are wrapped on a screen. */
function whole(text: string, { isScreen, columns }: Terminal): readonly string[] {
  const width = columns - INDENT.length;
  const lines = printable(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .filter((each) => each.trim() !== '');
  const shown = isScreen ? lines.flatMap((each) => hangingLines(each.replaceAll('\t', '    '), width)) : lines;
  return shown.map((each) => `${INDENT}${each}`);
}

/** A message of the agent's, as far as it fits into two lines. */
function shortened(text: string, terminal: Terminal): readonly string[] {
  const width = terminal.columns - INDENT.length;
  const lines = wrap(oneLine(text, width * MOST_LINES_OF_TEXT), width).filter((each) => each !== '');
  return lines.slice(0, MOST_LINES_OF_TEXT).map((each, index) => {
    const isCut = index === MOST_LINES_OF_TEXT - 1 && lines.length > MOST_LINES_OF_TEXT;
    return isCut ? oneLine(`${each} ${lines[index + 1] ?? ''}`, width) : oneLine(each, width);
  });
}
