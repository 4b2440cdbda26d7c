import { memo } from 'react';
import { count, plural } from '../../../../model/figures.js';
import { agoText } from '../../../../words/clock-text.js';
import { elapsedText } from '../../../../words/where-text.js';
import type { RunRow as Run } from '../../wire/api.js';
import { runPath } from '../live/route.js';
import { PageLink } from '../parts/page-link.js';
import { StatusBadge } from '../parts/status-badge.js';
import { shownText } from '../text/shown-text.js';
import { RunCost } from './run-cost.js';
import { RunWhy } from './run-why.js';

/** Longer figures have no room for what they count. */
const MOST_WITH_NOUN = 9999;

interface RunRowProps {
  readonly run: Run;
  readonly index: number;
  readonly start: number;
  readonly size: number;
  readonly nowMs: number;
}

/** One run of the list; all of it is the link. */
export const RunRow = memo(function RunRow({ run, index, start, size, nowMs }: RunRowProps) {
  const { runId, outcome, name, project, agent, model, branch, startedAt } = run;
  const where = shownText(branch === undefined ? project : `${project} (${branch})`);
  const who = shownText([agent, model].filter(Boolean).join(', '));
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-run={runId}
      className="run-row run-columns"
      style={{ transform: `translateY(${start}px)`, height: size }}
    >
      <div role="cell" className="cell-status">
        <PageLink
          href={runPath(runId)}
          aria-label={`${outcome.word}: ${name === undefined ? 'run' : shownText(name)} in ${where}`}
        >
          <StatusBadge outcome={outcome} />
        </PageLink>
      </div>
      <div role="cell" className="cell-task" title={name === undefined ? where : `${shownText(name)} (${where})`}>
        {name === undefined ? null : <span className="run-name">{shownText(name)}</span>}
        <span className="run-place">
          <bdi>{where}</bdi>
        </span>
      </div>
      <div role="cell" className="cell-agent dim" title={who}>
        {who}
      </div>
      <div role="cell" className="cell-done number">
        {doneText(run)}
      </div>
      <div role="cell" className="cell-cost number">
        <RunCost run={run} />
      </div>
      <div role="cell" className="cell-active number">
        {elapsedText(activeNow(run, nowMs))}
      </div>
      <div role="cell" className="cell-started number dim" title={startedAt}>
        {agoText(startedAt, nowMs)}
      </div>
      <div role="cell" className="cell-why">
        <RunWhy run={run} />
      </div>
    </div>
  );
});

function doneText({ items, iterations, kind }: Run): string {
  if (items !== undefined) {
    const { done, total } = items;
    return `${count(done)} of ${total > MOST_WITH_NOUN ? count(total) : plural(total, 'item')}`;
  }
  return plural(iterations, kind === 'pipeline' ? 'attempt' : 'iteration');
}

/** The record knows the time of its last event; a run that works has continued since. */
function activeNow({ activeMs, at, isLive, status }: Run, nowMs: number): number {
  const sinceMs = isLive && status === 'running' ? nowMs - Date.parse(at ?? '') : 0;
  return activeMs + Math.max(0, sinceMs || 0);
}
