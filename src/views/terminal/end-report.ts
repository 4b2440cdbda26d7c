import { leavesOf } from '../../model/condition.js';
import { formatDuration } from '../../model/duration.js';
import type { RunState } from '../../model/run-state.js';
import { count, plural } from '../../stop/figures.js';
import { type Style, type Terminal, wrap } from '../cli/terminal.js';
import { labelledRows } from './labelled-rows.js';
import { nextSteps } from './next-steps.js';
import { printable } from './printable.js';
import { spendText } from './spend-text.js';
import { testsThenAndNow } from './tests-text.js';

export interface EndedRun {
  readonly runId: string;
  readonly state: RunState;
  /** Why the run itself broke, when not even that could be recorded. */
  readonly error?: string | undefined;
  /** Where its files are, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find it from here. */
  readonly place?: string | undefined;
}

/** How a run ended: the outcome and why, what it took, where it is recorded, what to do next. */
export function endReport(run: EndedRun, terminal: Terminal): readonly string[] {
  const { state } = run;
  const broken = run.error ?? state.ended?.error;
  const [primary, ...others] = state.ended?.reasons ?? [];
  const outcome = broken === undefined ? state.status : 'error';
  const why = broken ?? primary?.message ?? '';
  const already = outcome === 'completed' && state.iterations === 0 ? ' (already met, nothing was run)' : '';
  const headline = `${outcome}${why === '' ? '' : `: ${why}`}${already}`;
  const style: Style = ['bold', outcome === 'completed' ? 'green' : outcome === 'error' ? 'red' : 'yellow'];
  return [
    ...wrap(printable(headline), terminal.columns).map((line) => terminal.style(style, line)),
    ...labelledRows(
      [
        ['also', ...others.map(({ message, class: stopClass }) => `${message} (${stopClass})`)],
        ['believed', believed(state)],
        ['iterations', iterationsText(state)],
        ['active time', formatDuration(state.activeMs)],
        ['spent', spendText(state)],
        ['tests', testsThenAndNow(state)],
        ['files', filesText(state)],
        ['record', run.folder],
        ['next', ...nextSteps(run.runId, state, run.place).map((command) => ({ command }))],
      ],
      terminal,
    ),
  ];
}

/** A goal that nobody but the agent vouches for is named as such. */
function believed({ ended, latest }: RunState): string | undefined {
  const testsBelieved = latest.observation.tests?.source === 'agent';
  const goals = (ended?.reasons ?? []).filter((reason) => reason.class === 'goal' && reason.condition !== undefined);
  const isBelieved = ({ condition }: (typeof goals)[number]) =>
    condition !== undefined &&
    leavesOf(condition).every(
      ({ type }) =>
        type === 'output_pattern' || (testsBelieved && (type === 'all_tests_pass' || type === 'specific_tests_pass')),
    );
  if (goals.length === 0 || !goals.every(isBelieved)) return undefined;
  return 'this rests only on what the agent said; Pawl checked nothing';
}

function iterationsText({ iterations, history }: RunState): string {
  const parts = [
    history.failedIterations > 0 ? `${count(history.failedIterations)} failed` : undefined,
    history.timedOutIterations > 0 ? `${count(history.timedOutIterations)} timed out` : undefined,
  ].filter((part) => part !== undefined);
  return `${count(iterations)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

function filesText({ history, spec, iterations }: RunState): string | undefined {
  if (iterations === 0 || spec?.trackFileChanges === false) return undefined;
  const { totalFilesCreated: created, totalFilesModified: modified } = history;
  const over = iterations === 1 ? '' : ` (summed over ${plural(iterations, 'iteration')})`;
  const parts = [
    created > 0 ? `${count(created)} created` : undefined,
    modified > 0 ? `${count(modified)} modified` : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'none created or modified' : `${parts.join(', ')}${over}`;
}
