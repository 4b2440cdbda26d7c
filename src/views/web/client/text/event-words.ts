import type { EventOf, EventType, RunEvent } from '../../../../model/run-event.js';
import { outcomeOf } from '../../../../model/outcome.js';
import { describe } from '../../../../stop/describe.js';
import { plural, usd } from '../../../../stop/figures.js';
import { formatDuration } from '../../../../model/duration.js';
import { whyText } from '../../../terminal/attempt-text.js';
import { untilText } from '../../../terminal/clock-text.js';
import { filesText, outcomeText } from '../../../terminal/iteration-text.js';
import { restoredText } from '../../../terminal/restored-text.js';
import { testsText } from '../../../terminal/tests-text.js';
import { WAITED_FOR } from '../../../../stop/run-summary.js';
import { toolInput } from './tool-input.js';

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'heading';

/** An event in words: what it is, and what it says, which comes from outside. */
export interface EventWords {
  readonly label: string;
  readonly text?: string | undefined;
  readonly tone: Tone;
}

type Say<T extends EventType> = (event: EventOf<T>) => EventWords;

const words = (label: string, text?: string, tone: Tone = 'dim'): EventWords => ({ label, text, tone });

const SAYINGS: { readonly [T in EventType]?: Say<T> } = {
  'iteration-started': ({ iteration, try: attempt }) =>
    words(`iteration ${iteration}${attempt > 1 ? `, try ${attempt}` : ''}`, undefined, 'heading'),
  'agent-said': ({ text, omitted }) =>
    words('said', omitted === undefined ? text : `${text}\n(${plural(omitted, 'character')} left out)`, 'plain'),
  'tool-called': ({ name, input }) => words(name, input),
  'tool-answered': ({ failed, denied, output }) =>
    words(denied === true ? 'denied' : failed === true ? 'failed' : 'answer', output, failed === true ? 'warn' : 'dim'),
  'error-seen': ({ kind, message }) => words(kind === 'other' ? 'error' : `error (${kind})`, message, 'bad'),
  'limit-hit': ({ kind, message }) => words(kind.replace('-', ' '), message, 'warn'),
  'permission-denied': ({ tool, detail }) =>
    words(`denied: ${tool}`, detail === undefined ? undefined : toolInput(detail), 'warn'),
  'claim-made': ({ claim, evidence }) => words(`reports ${claim}`, evidence, claim === 'done' ? 'good' : 'warn'),
  'agent-finished': ({ stoppedBy, summary }) =>
    stoppedBy === undefined
      ? words('finished', summary)
      : words('stopped itself', `its ${stoppedBy} are used up`, 'warn'),
  'iteration-ended': (event) => words(endedLabel(event), endedText(event), endedTone(event)),
  'verdict-reached': ({ verdict }) =>
    words(verdict.stop ? 'stops' : 'goes on', verdict.reasons.map(({ message }) => message).join('; ') || undefined),
  'usage-reported': ({ spend, model }) =>
    words(
      'usage',
      [
        spend.costUsd === undefined ? 'cost unknown' : usd(spend.costUsd),
        spend.totalTokens === undefined ? undefined : plural(spend.totalTokens, 'token'),
        model,
      ]
        .filter((part) => part !== undefined)
        .join(', '),
    ),
  'context-reported': ({ usedTokens, windowTokens }) =>
    words('context', `${plural(usedTokens, 'token')} of ${plural(windowTokens, 'token')}`),
  'agent-spawned': ({ pid }) => words('started', `pid ${pid}`),
  'run-started': ({ agent }) =>
    words('started', agent.model === undefined ? agent.name : `${agent.name}, ${agent.model}`),
  paused: ({ reason }) => words('paused', reason, 'warn'),
  resumed: () => words('goes on'),
  'waiting-started': ({ for: what, until, reason, at }) =>
    words(
      `waits for ${WAITED_FOR[what]}`,
      [until === undefined ? undefined : untilText(until, Date.parse(at)), reason].filter(Boolean).join(': '),
      'warn',
    ),
  'waiting-ended': ({ reason }) => words('goes on', reason),
  'reboot-started': ({ reason }) => words('a fresh session', reason),
  'reboot-completed': () => words('the fresh session begins'),
  'command-received': ({ command, by, refused }) =>
    words(
      `${command.type === 'resume' ? 'unpause' : command.type}${command.type === 'stop' && command.now === true ? ' now' : ''}`,
      `requested by ${by}${'text' in command ? `: ${command.text}` : ''}${refused === undefined ? '' : `; refused: ${refused}`}`,
      refused === undefined ? 'plain' : 'warn',
    ),
  'limit-extended': ({ limit, by }) => words('new limit', `${describe(limit)}, set by ${by}`, 'plain'),
  'tree-restored': (event) => words('restored', restoredText(event)),
  'hook-ran': ({ hook, durationMs, failure, output }) =>
    words(
      `hook ${hook}`,
      failure?.message ?? output ?? formatDuration(durationMs),
      failure === undefined ? 'dim' : 'warn',
    ),
  'work-committed': ({ commit, commits = 1, error }) =>
    error === undefined
      ? words(commits === 1 ? 'committed' : plural(commits, 'commit'), commit?.slice(0, 10))
      : words(commit === undefined ? 'not committed' : 'not pushed', error, 'warn'),
  'run-resumed': ({ cause, changes = [] }) => {
    const why = cause === 'crash' ? ['after the runner was interrupted'] : [];
    const text = [...why, ...(changes.length === 0 ? [] : [`changed in the code: ${changes.join('; ')}`])].join('; ');
    return words('resumed', text === '' ? undefined : text);
  },
  'manifest-changed': ({ items, withdrawn }) => words('another manifest', plural(items - withdrawn.length, 'item')),
  'item-reopened': ({ item, isLost }) =>
    isLost === true ? words('output lost', item, 'bad') : words('made once more', item),
  'attempt-started': ({ attempt }) => words(`attempt ${attempt}`, undefined, 'heading'),
  'attempt-ended': (event) =>
    words(
      `${event.outcome} in ${formatDuration(event.durationMs)}`,
      [whyText({ reasons: event.reasons ?? [], score: event.score, message: event.message }), event.output]
        .filter((part) => part !== undefined && part !== '')
        .join('\n'),
      event.outcome === 'approved' ? 'good' : 'warn',
    ),
  'item-ended': ({ status, attempts }) =>
    words(`${status} after ${plural(attempts, 'attempt')}`, undefined, status === 'approved' ? 'good' : 'bad'),
  'run-ended': (event) => {
    const { word, tone } = outcomeOf({ status: event.state, ended: event });
    return words(word, event.error ?? event.reasons[0]?.message, tone === 'good' || tone === 'bad' ? tone : 'warn');
  },
};

/** Whatever happened can be told; what has no words of its own by its name. */
export function eventWords(event: RunEvent): EventWords {
  const say = SAYINGS[event.type] as Say<EventType> | undefined;
  return say?.(event) ?? words(event.type.replaceAll('-', ' '));
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
