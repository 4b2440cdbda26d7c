import { CLAIM_WORDS } from '../model/claim.js';
import { formatDuration } from '../model/duration.js';
import { questionText } from '../model/questions.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import type { Observation } from '../model/observation.js';
import { outcomeOf } from '../model/outcome.js';
import { type Policy, policyLeaves } from '../model/policy.js';
import type { AgentEnding, EventOf, EventType, RunEvent, WaitingFor } from '../model/run-event.js';
import { reasonsText, type ReviewAnswer } from '../model/review.js';
import type { RunState } from '../model/run-state.js';
import { allPassed, cannotBeRun, isUncounted, type TestResults, UNCOUNTED_REMEDY } from '../model/test-results.js';
import { describe } from '../stop/judge.js';
import { hasTestGoal, earlierText } from '../stop/summary-notes.js';
import { plural, quote, usd } from '../model/figures.js';
import { WAITED_FOR } from '../stop/run-summary.js';
import { whyText } from './attempt-text.js';
import { clockText, untilText } from './clock-text.js';
import { filesText, iterationText, outcomeText, passedText, testsOutput, testsText } from './iteration-text.js';
import { restoredText } from './restored-text.js';
import { shortId } from './short-id.js';

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'heading';

/** An event in words: what it is, and what it says, which comes from outside. */
export interface EventWords {
  readonly label: string;
  readonly text?: string | undefined;
  readonly tone: Tone;
  /** The text is what a tool was given. */
  readonly isInput?: boolean | undefined;
}

/** How a terminal shows a text: indented and cut to one line, indented and whole, or whole. */
type Layout = 'line' | 'indented' | 'sentence';

export interface TerminalText {
  readonly layout: Layout;
  readonly style: 'dim' | 'red' | 'yellow' | 'cyan';
  readonly text: string;
}

/** Where an event stands: the fold before and after it. */
export interface Fold {
  readonly before: RunState;
  readonly after: RunState;
  /** Of a fleet, which has commands of its own. */
  readonly isOfFleet?: boolean | undefined;
}

interface Words<T extends EventType> {
  /** The words. By its name where there are none. */
  readonly says?: (event: EventOf<T>) => EventWords;
  /** In a terminal: these words, or what it says instead, as there is more room for them and what is known stands above. Not shown if absent. */
  readonly terminal?: Layout | ((event: EventOf<T>, fold: Fold) => readonly TerminalText[]);
  /** A live screen keeps its lines above the part that changes, unless it shows them only there, among the last things that the agent did (`passing`), in both places, or not at all. */
  readonly live?: 'passing' | 'both' | 'none';
}

const words = (label: string, text?: string, tone: Tone = 'dim'): EventWords => ({ label, text, tone });
const as = (layout: Layout, style: TerminalText['style'], text: string): TerminalText => ({ layout, style, text });

const ANSWERS: Readonly<Record<ReviewAnswer, string>> = {
  done: 'the review agrees',
  not_done: 'the review says not done',
  blocked: 'the review asks you',
  stuck: 'the review says stuck',
};

type ReviewEnd = Pick<EventOf<'review-ended'>, 'opinion' | 'problem' | 'costUsd'>;

export function reviewWords({ opinion, problem, costUsd }: ReviewEnd): EventWords {
  if (problem !== undefined) return words('no review', problem.message, 'warn');
  if (opinion === undefined) return words('no review', 'it was cut short');
  const { answer, question, reasons } = opinion;
  const cost = costUsd === undefined ? '' : ` (${usd(costUsd)})`;
  const label = `${ANSWERS[answer] ?? 'the review'}${cost}`;
  return words(label, question ?? reasonsText(reasons), answer === 'done' ? 'good' : 'warn');
}

/** How people read each event, on the page, in a terminal and on a live screen. `event-lines.ts` lays out what is more than a text. */
const EVENT_WORDS: { readonly [T in EventType]: Words<T> } = {
  'run-started': {
    says: ({ agent }) => words('started', agent.model === undefined ? agent.name : `${agent.name}, ${agent.model}`),
  },
  'baseline-observed': {
    terminal: ({ observation: { tests, unobserved = [], earlier } }, { after }) => [
      ...(tests === undefined ? [] : [baselineText(tests, after.policy), ...uncountedTexts(tests, after)]),
      ...(earlier === undefined ? [] : [as('sentence', 'yellow', earlierText(earlier))]),
      ...unobserved.map((text) => as('sentence', 'yellow', `warning: ${text}`)),
    ],
  },
  'tests-accepted': {
    says: ({ by }) => words('tests accepted', `by ${by}`),
    terminal: ({ observation: { tests } }) => [
      as('sentence', 'dim', `the changed tests are accepted${tests === undefined ? '' : `: ${testsText(tests)}`}`),
    ],
  },
  'review-started': {
    says: ({ reviewer }) => words('review', `by ${reviewer}`),
    terminal: ({ reviewer }) => [as('sentence', 'dim', `review by ${reviewer} ...`)],
  },
  'review-ended': {
    says: reviewWords,
    terminal: (event) => {
      const { label, text = '', tone } = reviewWords(event);
      return [as('sentence', tone === 'good' ? 'cyan' : 'yellow', text === '' ? label : `${label}: ${text}`)];
    },
  },
  'iteration-started': {
    says: ({ iteration, try: attempt }) =>
      words(`iteration ${iteration}${attempt > 1 ? `, try ${attempt}` : ''}`, undefined, 'heading'),
    live: 'none',
  },
  'agent-spawned': { says: ({ pid }) => words('started', `pid ${pid}`) },
  'iteration-status': {},
  'agent-said': {
    says: ({ text, omitted }) =>
      words('said', omitted === undefined ? text : `${text}\n(${plural(omitted, 'character')} left out)`, 'plain'),
    live: 'passing',
  },
  'tool-called': {
    says: ({ name, input }) => ({ ...words(name, input), isInput: true }),
    terminal: ({ name, input = '' }) => [as('line', 'dim', `→ ${name} ${toolInput(input)}`)],
    live: 'passing',
  },
  'tool-answered': {
    says: ({ failed, denied, output }) =>
      words(
        denied === true ? 'denied' : failed === true ? 'failed' : 'answer',
        output,
        failed === true ? 'warn' : 'dim',
      ),
    terminal: ({ failed, denied, output = '' }) =>
      failed === true && denied !== true ? [as('line', 'dim', `← failed: ${output}`)] : [],
    live: 'passing',
  },
  'usage-reported': {
    says: ({ spend, model }) =>
      words(
        'usage',
        joined(', ', [
          spend.costUsd === undefined ? 'cost unknown' : usd(spend.costUsd),
          spend.totalTokens === undefined ? undefined : plural(spend.totalTokens, 'token'),
          model,
        ]),
      ),
  },
  'message-recorded': {},
  'context-reported': {
    says: ({ usedTokens, windowTokens }) =>
      words('context', `${plural(usedTokens, 'token')} of ${plural(windowTokens, 'token')}`),
  },
  'session-opened': {},
  'limit-hit': {
    says: ({ kind, message }) => words(kind.replace('-', ' '), message, 'warn'),
    terminal: 'line',
  },
  'error-seen': {
    says: ({ kind, message }) => words(kind === 'other' ? 'error' : `error (${kind})`, message, 'bad'),
    terminal: 'line',
    live: 'both',
  },
  'permission-denied': {
    says: ({ tool, detail }) => ({ ...words(`denied: ${tool}`, detail, 'warn'), isInput: true }),
    terminal: ({ tool, detail }, { before }) => [
      as('line', 'yellow', `denied: ${tool}${detail === undefined ? '' : ` ${toolInput(detail)}`}`),
      ...(before.streaks.denials === 0 ? [as('line', 'dim', 'agent.allow lists what it may do without asking')] : []),
    ],
    live: 'passing',
  },
  'agent-finished': {
    says: ({ stoppedBy, summary }) =>
      stoppedBy === undefined
        ? words('finished', summary)
        : words('stopped itself', `its ${stoppedBy} are used up`, 'warn'),
    terminal: ({ stoppedBy }) =>
      stoppedBy === undefined ? [] : [as('line', 'yellow', `the agent stopped itself: its ${stoppedBy} are used up`)],
  },
  'claim-made': {
    says: ({ claim, evidence, from }) =>
      words(
        `${from === 'words' ? 'says' : 'reports'} ${claim}`,
        evidence,
        claim === 'done' ? 'good' : claim === 'blocked' ? 'warn' : undefined,
      ),
    // That more work is left is the usual, and plain words were shown as the message.
    terminal: ({ claim, evidence, from }) =>
      claim === 'continue' || from === 'words' ? [] : [as('line', 'yellow', `says ${CLAIM_WORDS[claim]}: ${evidence}`)],
  },
  'question-asked': {
    says: ({ question, text, choices }) => words(`asks you (${question})`, questionText({ text, choices }), 'warn'),
    terminal: ({ question, text, choices }, fold) => [
      as('indented', 'yellow', `asks you (${question}): ${questionText({ text, choices })}`),
      as('line', 'dim', `${commandFor('answer', fold)} TEXT answers it`),
    ],
  },
  'answer-delivered': { says: ({ question }) => words('has its answer', question) },
  'green-seen': {
    says: ({ passed, at }) => words(`green at ${clockText(at, Date.parse(at))}`, passedText(passed), 'good'),
    terminal: ({ iteration, passed, at }, { after: { runId = '' }, isOfFleet }) => {
      const way = isOfFleet === true ? '' : `, pawl restore ${shortId(runId)} ${iteration}@green`;
      return [as('line', 'dim', `green at ${clockText(at, Date.parse(at))}: ${passedText(passed)}${way}`)];
    },
  },
  'day-spend-seen': {},
  'batch-spend-seen': {},
  tick: {},
  'iteration-ended': {
    says: (event) => words(endedLabel(event), endedText(event), endedTone(event)),
    terminal: endedTexts,
  },
  'verdict-reached': {
    says: ({ verdict }) =>
      words(
        verdict.stop ? 'stops' : 'continues',
        verdict.reasons.map(({ message }) => message).join('; ') || undefined,
      ),
  },
  'hook-started': {},
  'hook-ran': {
    says: ({ hook, durationMs, failure, output }) =>
      words(
        `hook ${hook}`,
        failure?.message ?? output ?? formatDuration(durationMs),
        failure === undefined ? 'dim' : 'warn',
      ),
    terminal: ({ failure }) => (failure === undefined ? [] : [as('line', 'yellow', failure.message)]),
  },
  'notification-sent': {
    terminal: ({ channel, error }) =>
      error === undefined ? [] : [as('line', 'yellow', `notify.${channel} failed: ${error}`)],
  },
  'work-committed': {
    says: ({ commit, commits = 1, error }) =>
      error === undefined
        ? words(commits === 1 ? 'committed' : plural(commits, 'commit'), commit?.slice(0, 10))
        : words(commit === undefined ? 'not committed' : 'not pushed', error, 'warn'),
    terminal: committedTexts,
  },
  'tree-restored': {
    says: (event) => words('restored', restoredText(event)),
    terminal: (event) => [as('sentence', 'dim', restoredText(event))],
    live: 'none',
  },
  paused: {
    says: ({ reason }) => words('paused', reason, 'warn'),
    terminal: ({ reason }, fold) => {
      const why = reason === undefined ? '' : `: ${reason}`;
      return [as('sentence', 'yellow', `paused${why} (${commandFor('unpause', fold)} continues it)`)];
    },
  },
  resumed: { says: () => words('continues'), terminal: 'sentence' },
  'waiting-started': {
    says: ({ for: what, until, reason, at }) =>
      words(
        `waits for ${WAITED_FOR[what]}`,
        joined(': ', [until === undefined ? undefined : untilText(until, Date.parse(at)), reason]),
        'warn',
      ),
    terminal: (event, fold) => [as('sentence', 'yellow', waitingText(event, fold))],
  },
  'waiting-ended': {
    says: ({ reason }) => words('continues', reason),
    terminal: ({ reason }) => [as('sentence', 'dim', reason ?? 'continues')],
  },
  'reboot-started': {
    says: ({ reason }) => words('a new session', reason),
    terminal: 'sentence',
  },
  'reboot-completed': { says: () => words('the new session starts') },
  'command-received': {
    says: ({ command, by, refused }) =>
      words(
        commandText(command),
        `requested by ${by}${'text' in command ? `: ${command.text}` : ''}${refused === undefined ? '' : `; refused: ${refused}`}`,
        refused === undefined ? 'plain' : 'warn',
      ),
    terminal: ({ command, by, refused }) => {
      const outcome = refused === undefined ? '' : `, refused: ${refused}`;
      return [as('sentence', 'yellow', `${commandText(command)} requested by ${by}${outcome}`)];
    },
  },
  'limit-extended': {
    says: ({ limit, by }) => words('new limit', `${describe(limit)}, set by ${by}`, 'plain'),
    terminal: ({ limit, by }) => [as('sentence', 'dim', `new limit by ${by}: ${describe(limit)}`)],
  },
  'run-resumed': {
    says: ({ cause, changes = [] }) => {
      const why = cause === 'crash' ? 'after the runner was interrupted' : undefined;
      const changed = changes.length === 0 ? undefined : `changed in the code: ${changes.join('; ')}`;
      return words('resumed', joined('; ', [why, changed]) || undefined);
    },
    terminal: ({ cause, changes = [] }) => [
      as('sentence', 'dim', cause === 'crash' ? 'resumed after the runner was interrupted' : 'resumed'),
      ...changes.map((change) => as('line', 'yellow', `changed in the code: ${change}`)),
    ],
  },
  'item-started': {},
  'attempt-started': { says: ({ attempt }) => words(`attempt ${attempt}`, undefined, 'heading') },
  'attempt-ended': {
    says: (event) =>
      words(
        `${event.outcome} in ${formatDuration(event.durationMs)}`,
        joined('\n', [
          whyText({ reasons: event.reasons ?? [], score: event.score, message: event.message }),
          event.output,
        ]),
        event.outcome === 'approved' ? 'good' : 'warn',
      ),
  },
  'item-ended': {
    says: ({ status, attempts }) =>
      words(`${status} after ${plural(attempts, 'attempt')}`, undefined, status === 'approved' ? 'good' : 'bad'),
  },
  'item-reopened': {
    says: ({ item, isLost }) => (isLost === true ? words('output lost', item, 'bad') : words('processed again', item)),
    terminal: ({ item, isLost }) => [
      isLost === true
        ? as('sentence', 'yellow', `${item}: its approved output is missing or has changed`)
        : as('sentence', 'dim', `${item} is processed again`),
    ],
  },
  'manifest-changed': {
    says: ({ items, withdrawn }) => words('another manifest', plural(items - withdrawn.length, 'item')),
    terminal: ({ items, withdrawn }) => [
      as('sentence', 'dim', `continues with another manifest: ${plural(items - withdrawn.length, 'item')}`),
    ],
  },
  'run-ended': {
    says: (event) => {
      const { word, tone } = outcomeOf({ status: event.state, ended: event });
      return words(word, event.error ?? event.reasons[0]?.message, tone === 'good' || tone === 'bad' ? tone : 'warn');
    },
  },
};

/** Whether a live screen keeps its lines. */
export function stays({ type }: RunEvent): boolean {
  const { live } = EVENT_WORDS[type];
  return live === undefined || live === 'both';
}

/** Whether a live screen shows it among the last things that the agent did. */
export function isActivity({ type }: RunEvent): boolean {
  const { live } = EVENT_WORDS[type];
  return live === 'passing' || live === 'both';
}

/** Whatever happened can be shown; what has no words of its own by its name. */
export function eventWords(event: RunEvent): EventWords {
  const { says } = EVENT_WORDS[event.type] as Words<EventType>;
  return says?.(event) ?? words(event.type.replaceAll('-', ' '));
}

/** What a terminal shows of an event, but for what `event-lines.ts` lays out. */
export function terminalTexts(event: RunEvent, fold: Fold): readonly TerminalText[] {
  const { terminal } = EVENT_WORDS[event.type] as Words<EventType>;
  if (terminal === undefined) return [];
  if (typeof terminal === 'function') return terminal(event, fold);
  const { label, text, tone } = eventWords(event);
  const style = tone === 'bad' ? 'red' : tone === 'warn' ? 'yellow' : 'dim';
  return [as(terminal, style, text === undefined ? label : `${label}: ${text}`)];
}

function joined(separator: string, parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(separator);
}

function endedLabel(event: EventOf<'iteration-ended'>): string {
  const after = event.outcome === 'completed' ? 'in' : 'after';
  return `${outcomeText(event)} ${after} ${formatDuration(event.durationMs)}`;
}

function endedText(event: EventOf<'iteration-ended'>): string | undefined {
  const { error, observation } = event;
  const parts = [
    error,
    observation.tests === undefined ? undefined : testsText(observation.tests),
    filesText(event),
    ...(observation.unobserved ?? []),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function endedTone({ outcome }: EventOf<'iteration-ended'>): Tone {
  if (outcome === 'completed') return 'good';
  return outcome === 'failed' || outcome === 'timed-out' ? 'bad' : 'warn';
}

function endedTexts(event: EventOf<'iteration-ended'>, { before, after }: Fold): readonly TerminalText[] {
  const { outcome, error, observation, ending } = event;
  const { stragglers = 0, survivors = 0 } = ending ?? {};
  return [
    as('sentence', outcome === 'completed' ? 'cyan' : 'yellow', iterationText(event, before, after)),
    ...(error === undefined || isSaid(error, before) || error === before.commits?.problem
      ? []
      : [as('line', 'red', error)]),
    ...(ending?.spentOn === true
      ? [as('line', 'yellow', 'it kept spending after it was asked to end, and was killed')]
      : []),
    ...(stragglers === 0 ? [] : [as('line', 'dim', stragglersText(stragglers, ending?.cause))]),
    ...(survivors === 0 ? [] : [as('line', 'red', `${survivors} of its processes could not be ended`)]),
    ...unobservedTexts(observation, before),
    ...originalTexts(observation, after),
  ];
}

/** What the tests of the start say, where they were run and it is not good. */
function originalTexts({ original }: Observation, { originals }: RunState): readonly TerminalText[] {
  if (original === undefined || originals?.problem === undefined) return [];
  const what = original.unusable === undefined ? '' : 'the original tests could not be run: ';
  return [as('indented', 'yellow', `not done: ${what}${originals.problem}`)];
}

/** In full, but once: what was so before the first iteration was said there. */
export function unobservedTexts({ unobserved = [] }: Observation, { baseline }: RunState): readonly TerminalText[] {
  const fresh = unobserved.filter((text) => baseline?.unobserved?.includes(text) !== true);
  return fresh.map((text) => as('indented', 'yellow', text));
}

/** An agent that did not end by itself has left nothing behind: it was cut off in the middle. */
function stragglersText(count: number, cause: AgentEnding['cause'] | undefined): string {
  const were = count === 1 ? 'was' : 'were';
  if (cause !== 'exit' && cause !== 'lingering') return `${count} more of its processes ${were} ended`;
  return `${count === 1 ? '1 process' : `${count} processes`} that it left running ${were} ended`;
}

/** Tests that cannot be run at all will not pass, whatever the agent does. */
function baselineText(tests: TestResults, policy: Policy): TerminalText {
  const text = `before: ${testsText(tests)}${taskText(tests, policy)}`;
  if (!cannotBeRun(tests)) return as('sentence', 'dim', text);
  return as('sentence', 'yellow', [text, ...testsOutput(tests).slice(-1)].join(': '));
}

/** Said at the start, so that no night is lost by it. */
function uncountedTexts(tests: TestResults, after: RunState): readonly TerminalText[] {
  if (!hasTestGoal(after) || !isUncounted(tests) || cannotBeRun(tests) || tests.timedOut === true) return [];
  const command = quote(after.spec?.tests?.command ?? 'the tests', 60);
  return [
    as(
      'sentence',
      'yellow',
      `no test could be counted in what ${command} printed: unless that changes, the run ends as "needs you" and not as done; ${UNCOUNTED_REMEDY}`,
    ),
  ];
}

/** Where the goal depends on whether the tests pass at the start: which one it is. */
function taskText(tests: TestResults, policy: Policy): string {
  const byStart = policyLeaves(policy).some((leaf) => 'only_after_green_start' in leaf && leaf.only_after_green_start);
  if (!byStart) return '';
  return allPassed(tests)
    ? '; a task to build: done when they pass and the agent says it is done or changes nothing more'
    : '; a task to repair: done when they pass';
}

function committedTexts({ commit, commits = 1, error }: EventOf<'work-committed'>): readonly TerminalText[] {
  if (error !== undefined) {
    const what = commit === undefined ? 'not committed' : 'committed, but on no branch of the remote';
    return [as('indented', 'yellow', `${what}: ${error}`)];
  }
  const many = commits === 1 ? '' : `${plural(commits, 'commit')}, `;
  return [as('line', 'dim', `${many}committed as ${commit?.slice(0, 10) ?? ''}`)];
}

/** Words that stand a few lines above need not be repeated. */
function isSaid(message: string, { latest }: RunState): boolean {
  return latest.limitHit?.message === message || latest.errors.some((error) => error.message === message);
}

function waitingText({ for: what, until, reason, at }: EventOf<'waiting-started'>, fold: Fold): string {
  const time = until === undefined ? '' : ` ${untilText(until, Date.parse(at))}`;
  const why = reason === undefined || isSaid(reason, fold.before) ? '' : `: ${reason}`;
  return `waiting for ${WAITED_FOR[what]}${answersFor(what, fold)}${time}${why}`;
}

/** How to answer what only a person can. */
function answersFor(what: WaitingFor, fold: Fold): string {
  if (what === 'approval') return ` (${commandFor('approve', fold)}, or ${commandFor('reject', fold)} TEXT)`;
  return what === 'answer' || what === 'person' ? ` (${commandFor('answer', fold)} TEXT)` : '';
}

/** A run of a fleet has to be named: no user is in its folder. */
function commandFor(name: string, { after, isOfFleet }: Fold): string {
  return isOfFleet === true ? `pawl fleet ${name} ${shortId(after.runId ?? '')}` : `pawl ${name}`;
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
