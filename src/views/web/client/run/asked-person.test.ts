import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { type Draft, iteration, record, started, stateAfter, trees } from '../../../../../test/support/record.js';
import { resolveConfig } from '../../../../config/resolve-config.js';
import { needsPerson } from '../../../../model/conditions/needs-person.js';
import { evaluateRun } from '../../../../stop/evaluate-policy.js';
import { createContext } from '../../../cli/command-context.js';
import { shownRun } from '../../server/run-row.js';
import { ViewFold } from '../../wire/run-view.js';
import { RunWhy } from '../list/run-why.js';
import { RunHeading } from './run-heading.js';

const QUESTION = 'Should I use Postgres or SQLite? I need your decision before I go on.';
const SENTENCE = `Needs you after 2 iterations: &quot;${QUESTION}&quot;`;

const runId = 'loop_01K9ZZZZZZ0000000000000000';
const request = { kind: 'request', sentence: QUESTION } as const;
const asked = [1, 2].flatMap((number) => iteration(number, { ...trees('a', 'a'), request }));
const worked = [started({ failure: [needsPerson()] }, { spec: resolveConfig({}).spec }), ...asked];
const { class: stopClass, reasons } = evaluateRun(stateAfter(...worked));
const ended: Draft = { type: 'run-ended', state: 'stopped', class: stopClass, reasons };

it('the page of a run that needs a person shows the question, and the command that answers it', () => {
  const fold = new ViewFold();
  for (const event of record([...worked, ended])) fold.add(event);
  const viewed = { runId, view: fold.view, isLive: false, status: 'stopped', project: '~/p', workingDir: '/p' };
  const page = renderToStaticMarkup(
    createElement(RunHeading, { viewed: { ...viewed, folder: '', policyText: '' }, nowMs: 0, isGone: false }),
  );
  expect(page).toContain('needs you');
  expect(page).toContain(SENTENCE);
  expect(page).toContain('<code>pawl resume 01K9ZZZZZZ --steer ');
});

it('the list of runs shows the question', () => {
  const source = { runId, workingDir: '/p', isLive: false, isDamaged: false, state: stateAfter(...worked, ended) };
  const { row } = shownRun(source, createContext(process));
  expect(row.outcome.word).toBe('needs you');
  const list = renderToStaticMarkup(createElement(RunWhy, { run: row }));
  expect(list.replace(/<[^>]*>/g, '')).toContain(QUESTION);
});

it('the page of a run that waits for an answer has a form with the choices, also after the run has ended', () => {
  const question: Draft = {
    type: 'question-asked',
    question: 'q1',
    text: 'Which <b>one</b>?',
    choices: ['left', 'right'],
    by: 'a',
  };
  const [begin, used, end] = iteration(1);
  const waiting = [started({}, { spec: resolveConfig({}).spec }), begin, question, used, end].filter(
    (draft) => draft !== undefined,
  );
  const page = (drafts: readonly Draft[], isLive: boolean) => {
    const fold = new ViewFold();
    for (const event of record(drafts)) fold.add(event);
    const viewed = { runId, view: fold.view, isLive, status: 'waiting', project: '~/p', workingDir: '/p' };
    const props = { viewed: { ...viewed, folder: '', policyText: '' }, nowMs: 0, isGone: false };
    return renderToStaticMarkup(createElement(RunHeading, props));
  };
  const start: Draft = { type: 'waiting-started', for: 'person', until: '2026-03-01T12:00:00.000Z' };
  const shown = page([...waiting, start], true);
  expect(shown).toContain('The agent asks you (q1): Which &lt;b&gt;one&lt;/b&gt;?');
  expect(shown).toMatch(/<button type="button">left<\/button><button type="button">right<\/button>/);
  expect(shown).not.toContain('Unpause');
  expect(page([...waiting, start, { type: 'waiting-ended', reason: 'no answer' }, ended], false)).toContain('>Answer<');
  const answer: Draft = {
    type: 'command-received',
    command: { type: 'answer', question: 'q1', text: 'left' },
    by: 'a',
  };
  expect(page([...waiting, start, answer], true)).not.toContain('The agent asks you');
});
