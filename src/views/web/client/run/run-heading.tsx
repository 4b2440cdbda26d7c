import { outcomeAs } from '../../../../model/outcome.js';
import { shownQuestions } from '../../../../model/questions.js';
import { runName } from '../../../../model/run-name.js';
import { summariseRun } from '../../../../stop/run-summary.js';
import { agoText, clockText } from '../../../../words/clock-text.js';
import type { ViewedRun } from '../../wire/api.js';
import { StatusBadge } from '../parts/status-badge.js';
import { shownText } from '../text/shown-text.js';
import { ActionBar } from './action-bar.js';
import { CommandList } from './command-list.js';
import { askedOf, runHeadline } from './run-headline.js';
import { QuestionForm } from './question-form.js';
import { RunFigures } from './run-figures.js';

interface RunHeadingProps {
  readonly viewed: ViewedRun;
  readonly nowMs: number;
  /** Nothing can be asked of it any more. */
  readonly isGone: boolean;
}

/** What a run is at, what it has taken, and what can be done about it. */
export function RunHeading({ viewed, nowMs, isGone }: RunHeadingProps) {
  const { view, status, project, runId, problem, isLive } = viewed;
  const { state } = view;
  const { agent, startedAt, spec } = state;
  const headline = runHeadline(viewed, nowMs);
  // What is done is not resumed, and what a program asked ends with it.
  const canAnswer = !isGone && status !== 'completed' && state.pipeline === undefined;
  const questions = canAnswer ? shownQuestions(state).filter(({ id }) => isLive || id !== undefined) : [];
  const asked = askedOf(viewed).filter((text) => text !== headline);
  const { notes } = summariseRun(state, { isLive, clock: (at) => clockText(at, nowMs) });
  const facts = [
    project,
    spec?.worktree === undefined ? undefined : `branch ${spec.worktree.branch}`,
    agent === undefined ? undefined : [agent.name, agent.model].filter(Boolean).join(', '),
    startedAt === undefined ? undefined : `started ${agoText(startedAt, nowMs)}`,
  ].filter((fact) => fact !== undefined);
  return (
    <section className="heading" aria-label="The run">
      <p className="run-name">{shownText(runName(state))}</p>
      <div className="heading-line">
        <StatusBadge outcome={outcomeAs(status, state)} />
        <h1 className="headline">{shownText(headline)}</h1>
      </div>
      {notes.map((note) => (
        <p key={note} className="note">
          {shownText(note)}
        </p>
      ))}
      {asked.map((text) => (
        <p key={text} className="asked">
          {shownText(text)}
        </p>
      ))}
      {questions.map((question) => (
        <QuestionForm key={question.id ?? question.text} runId={runId} question={question} />
      ))}
      {problem === undefined ? null : <p className="problem-line">{shownText(problem)}</p>}
      <p className="facts dim">
        {facts.map((fact) => (
          <span key={fact}>{shownText(fact)}</span>
        ))}
        <span className="mono">{runId}</span>
      </p>
      <RunFigures view={view} nowMs={isLive ? nowMs : undefined} />
      <ActionBar viewed={viewed} />
      {isLive || isGone ? null : <CommandList viewed={viewed} />}
    </section>
  );
}
