import { formatDuration } from '../../model/duration.js';
import type { ItemState } from '../../model/item-state.js';
import type { EventOf } from '../../model/run-event.js';
import { plural, quote, usd } from '../../model/figures.js';
import { clockText } from '../../words/clock-text.js';
import { labelledRows } from './labelled-rows.js';
import { oneLine } from '../../words/printable.js';
import type { AttemptSpend } from '../../words/attempt-text.js';
import { ITEM_COLOURS } from './item-lines.js';
import type { TextContext } from './text-context.js';

const MOST_TEXT = 800;

/** One attempt as the record has it. */
export interface ShownAttempt {
  readonly attempt: number;
  readonly startedAt?: string | undefined;
  readonly ended?: EventOf<'attempt-ended'> | undefined;
  readonly spend?: AttemptSpend | undefined;
  /** Where what it made is kept, if it was not approved. */
  readonly output?: string | undefined;
}

export interface ShownItem {
  readonly item: string;
  readonly index: number;
  /** Undefined when it has not begun. */
  readonly state?: ItemState | undefined;
  readonly attempts: readonly ShownAttempt[];
  /** Where its output goes, relative to the working directory. */
  readonly output?: string | undefined;
}

/** Everything known of one item of a pipeline, for people. */
export function itemDetails({ item, state, attempts, output }: ShownItem, context: TextContext): readonly string[] {
  const { terminal } = context;
  const status = state?.status;
  const made = attempts.length === 0 ? 'not started' : plural(attempts.length, 'attempt');
  const title = `${oneLine(item, 60)} ${status ?? (attempts.length === 0 ? '' : 'is not final')}`.trimEnd();
  const rows = labelledRows(
    [['output', status === 'approved' && output !== undefined ? { path: output } : undefined]],
    terminal,
  );
  return [
    terminal.style(['bold', ...(status === undefined ? [] : [ITEM_COLOURS[status]])], `${title}, ${made}`),
    ...rows,
    ...attempts.flatMap((attempt) => ['', ...attemptLines(attempt, context)]),
  ];
}

function attemptLines({ attempt, startedAt, ended, spend, output }: ShownAttempt, context: TextContext) {
  const { terminal } = context;
  const outcome =
    ended === undefined ? 'has not ended' : `${ended.outcome} in ${formatDuration(Math.max(0, ended.durationMs))}`;
  return [
    terminal.style('bold', `attempt ${attempt} ${outcome}`),
    ...labelledRows(
      [
        ['started', startedAt === undefined ? undefined : clockText(startedAt, context.now())],
        ['reasons', ended?.reasons?.join(', ')],
        ['score', ended?.score === undefined ? undefined : String(ended.score)],
        ['message', ended?.message],
        ['printed', ended?.output === undefined || ended.output === '' ? undefined : quote(ended.output, MOST_TEXT)],
        ['spent', spentText(spend)],
        ['output', output === undefined ? undefined : { path: output }],
      ],
      terminal,
    ),
  ];
}

function spentText(spend: AttemptSpend | undefined): string | undefined {
  if (spend === undefined) return undefined;
  const { told, isEstimated, isPartial } = spend;
  const { costUsd, totalTokens } = told;
  const least = isPartial ? '≥ ' : '';
  const cost = costUsd === undefined ? 'cost unknown' : `${least}${usd(costUsd)}`;
  const tokens = totalTokens === undefined ? 'tokens unknown' : `${least}${plural(totalTokens, 'token')}`;
  return `${cost}, ${tokens}${isEstimated ? ' (partly estimated)' : ''}`;
}
