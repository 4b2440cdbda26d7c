import { count } from '../../../../model/figures.js';
import { lowestLimit } from '../../../../model/policy.js';
import { totalSpend } from '../../../../model/spend-account.js';
import type { RunState } from '../../../../model/run-state.js';
import { itemsOf } from '../../../../words/item-figures.js';
import { costText, hasReports, spendDoubts, reportedCost } from '../../../../words/spend-text.js';
import { activeMsAt } from '../../../../words/state-at.js';
import { elapsedText } from '../../../../words/where-text.js';
import type { RunView } from '../../wire/run-view.js';
import { changeText, groupedMoney } from '../text/figures.js';

interface RunFiguresProps {
  readonly view: RunView;
  /** Undefined when time does not continue. */
  readonly nowMs: number | undefined;
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly aside?: string | undefined;
}

/** The figures that people look for first. What is not known is not there. */
export function RunFigures({ view, nowMs }: RunFiguresProps) {
  const { state } = view;
  const figures = [
    doneFigure(state),
    { name: 'active time', value: elapsedText(nowMs === undefined ? state.activeMs : activeMsAt(state, nowMs)) },
    costFigure(state),
    tokensFigure(state),
    testsFigure(view),
    contextFigure(state),
  ].filter((figure) => figure !== undefined);
  return (
    <dl className="figures">
      {figures.map(({ name, value, aside }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {aside === undefined || aside === '' ? null : <small> {aside}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function doneFigure({ pipeline, iterations, policy }: RunState): Figure {
  if (pipeline !== undefined) {
    const { done, items } = itemsOf(pipeline);
    return { name: 'items', value: count(done), aside: `of ${count(items)}` };
  }
  const most = lowestLimit(policy.limits, 'iterations');
  const aside = most === undefined ? undefined : `of ${count(most)}`;
  return { name: 'iterations', value: count(iterations), aside };
}

function costFigure(state: RunState): Figure | undefined {
  const { spend } = state;
  if (!hasReports(spend))
    return state.iterations === 0 ? undefined : { name: 'cost', value: groupedMoney(costText(state)) };
  return { name: 'cost', value: groupedMoney(reportedCost(spend)), aside: spendDoubts(state).trim() };
}

function tokensFigure({ spend }: RunState): Figure | undefined {
  const { totalTokens } = totalSpend(spend);
  return totalTokens === undefined || !hasReports(spend) ? undefined : { name: 'tokens', value: count(totalTokens) };
}

function testsFigure({ rows, state }: RunView): Figure | undefined {
  const counted = rows.filter(({ testsPassed }) => testsPassed !== undefined);
  const last = counted.at(-1);
  const base = state.baseline?.tests;
  const passed = last?.testsPassed ?? base?.passed;
  const failed = last === undefined ? base?.failed : last.testsFailed;
  if (passed === undefined) return undefined;
  const change = last === undefined ? '' : changeText(passed, counted.at(-2)?.testsPassed ?? base?.passed);
  const of = failed === undefined ? '' : `of ${count(passed + failed)} pass`;
  return { name: 'tests', value: count(passed), aside: [of, change === '' ? '' : `(${change})`].join(' ').trim() };
}

function contextFigure({ context, spec }: RunState): Figure | undefined {
  if (context === undefined || context.windowTokens <= 0) return undefined;
  const redline = spec?.contextRedlinePercent ?? 100;
  const value = `${Math.round((context.usedTokens / context.windowTokens) * 100)}%`;
  return { name: 'context', value, aside: redline < 100 ? `fresh above ${redline}%` : undefined };
}
