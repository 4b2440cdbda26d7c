/**
 * Questions of the agent to a person: what is open, what was answered and by whom, how long an answer is waited for, and
 * what the next prompt carries. Nothing else decides any of this.
 */
import { formatDuration } from './duration.js';
import { plural, quote } from './figures.js';
import type { LoopCommand } from './loop-command.js';
import { openIteration, waitingOf } from './phase.js';
import type { Question, Questions } from './question.js';
import type { EventOf } from './run-event.js';
import type { RunState } from './run-state.js';
import { untilAt } from './wait-policy.js';

/** As long as the agent's tool call waits where the config says nothing. Clients give up a call after 60 s. */
export const DEFAULT_CALL_WAIT = '50s';
export const DEFAULT_CALL_WAIT_MS = 50_000;
/** As long as the run waits: a night, and the morning after it. */
export const DEFAULT_ANSWER_WAIT = '12h';
const DEFAULT_ANSWER_WAIT_MS = 43_200_000;

/** So many questions can be open at once. */
export const MOST_OPEN_QUESTIONS = 5;
const KEPT_QUESTIONS = 20;
const QUOTED_CHARACTERS = 300;
const CHOICE_CHARACTERS = 60;

/** The path of the reason that ends a run whose question is not answered. */
export const QUESTION_PATH = 'questions';

type HasQuestions = Pick<RunState, 'questions'>;

function listOf({ questions }: HasQuestions): readonly Question[] {
  return questions?.list ?? [];
}

function isOpen({ answer, isGivenUp }: Question): boolean {
  return answer === undefined && isGivenUp !== true;
}

/** Those without an answer. */
export function openQuestions(state: HasQuestions): readonly Question[] {
  return listOf(state).filter(isOpen);
}

/** What a person is asked now, by whatever way the agent asks. */
export function shownQuestions(
  state: RunState,
): readonly (Pick<Question, 'text' | 'choices'> & { readonly id?: string })[] {
  const open = openQuestions(state);
  if (open.length > 0 || waitingOf(state)?.for !== 'answer' || state.question === undefined) return open;
  return [{ text: state.question, choices: state.questionChoices }];
}

/** For machines; undefined when nothing is asked. */
export function questionsJson(state: RunState): readonly Pick<Question, 'id' | 'text' | 'choices'>[] | undefined {
  const open = openQuestions(state).map(({ id, text, choices }) => ({ id, text, choices }));
  return open.length === 0 ? undefined : open;
}

/** Everything that a person is asked now, in one line, with the choices; undefined when nothing is asked. */
export function openQuestionText(state: RunState): string | undefined {
  const [first, ...others] = shownQuestions(state);
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : `, and ${plural(others.length, 'more question')}`;
  return `${questionText(first)}${more}`;
}

/** `"Which one?" (1 "the first", 2 "the second")` */
export function questionText({ text, choices = [] }: Pick<Question, 'text' | 'choices'>): string {
  const listed = choices.map((choice, index) => `${index + 1} ${quote(choice, CHOICE_CHARACTERS)}`).join(', ');
  return `${quote(text, QUOTED_CHARACTERS)}${listed === '' ? '' : ` (${listed})`}`;
}

/** What the next prompt carries. */
export function answersToSend(state: HasQuestions): readonly Question[] {
  return listOf(state).filter((question) => !isOpen(question) && question.isSent !== true);
}

/** An answer is still to come, or still to be given to the agent: that it needs a person is taken care of. */
export function isAnswerExpected(state: RunState): boolean {
  return (openQuestions(state).length > 0 && !isUnanswered(state)) || answersToSend(state).length > 0;
}

export function questionAsked(state: RunState, event: EventOf<'question-asked'>): RunState {
  const { question: id, text, choices, at: askedAt } = event;
  const { asked = 0, list = [] } = state.questions ?? {};
  if (list.some((known) => known.id === id)) return state;
  const iteration = openIteration(state)?.iteration ?? state.iterations;
  const question = { id, text, ...(choices === undefined ? {} : { choices }), iteration, askedAt };
  return { ...state, questions: { asked: asked + 1, list: [...list, question].slice(-KEPT_QUESTIONS) } };
}

/** The first answer counts. */
export function questionAnswered(state: RunState, id: string, answer: NonNullable<Question['answer']>): RunState {
  if (!openQuestions(state).some((question) => question.id === id)) return state;
  const { streaks } = state;
  return {
    ...withQuestion(state, id, { answer }),
    // A person has taken care of what the agent asked for.
    streaks: streaks.requests === undefined ? streaks : { ...streaks, requests: 0, lastRequest: undefined },
  };
}

/** The call that asked was given the answer. */
export function answerDelivered(state: RunState, { question: id }: EventOf<'answer-delivered'>): RunState {
  const isAnswered = answersToSend(state).some((question) => question.id === id);
  return isAnswered && openIteration(state) !== undefined ? withQuestion(state, id, { isSent: true }) : state;
}

function withQuestion(state: RunState, id: string, change: Partial<Question>): RunState {
  const { questions } = state;
  if (questions === undefined) return state;
  const list = questions.list.map((question) => (question.id === id ? { ...question, ...change } : question));
  // The wait is over when nothing is open any more; what is asked later is waited for by itself.
  const { wait, ...rest } = questions;
  return { ...state, questions: list.some(isOpen) && wait !== undefined ? { ...rest, list, wait } : { ...rest, list } };
}

/** The prompt of an iteration carries every answer that was there when it started. */
export function sentWithPrompt({ questions }: HasQuestions): HasQuestions {
  if (questions === undefined) return {};
  const list = questions.list.map((question) => (isOpen(question) ? question : { ...question, isSent: true as const }));
  return { questions: { ...questions, list } };
}

/** After an iteration that nothing came of, the next one is given the answers again. */
export function afterIteration({ questions }: HasQuestions, hasAgentWorked: boolean): HasQuestions {
  if (questions === undefined) return {};
  const list = hasAgentWorked
    ? questions.list.filter(({ isSent }) => isSent !== true)
    : questions.list.map(({ isSent: _sent, ...question }) => question);
  return { questions: { ...questions, list } };
}

export function personWaitStarted(
  { questions }: HasQuestions,
  { at, until }: EventOf<'waiting-started'>,
): HasQuestions {
  if (questions === undefined || questions.wait === 'over') return { questions };
  return { questions: { ...questions, wait: { since: waitOf(questions)?.since ?? at, until } } };
}

/** With an open question it ended without an answer. */
export function personWaitEnded({ questions }: HasQuestions): HasQuestions {
  if (questions === undefined) return {};
  const { wait: _wait, ...rest } = questions;
  return { questions: questions.list.some(isOpen) ? { ...rest, wait: 'over' } : rest };
}

/** A person who resumes a run without an answer decides that the agent continues without it; one that is still waited for is waited for again. */
export function questionsAfterResume(state: RunState): HasQuestions {
  if (state.questions === undefined) return {};
  const { wait: _wait, ...rest } = state.questions;
  if (!isUnanswered(state)) return { questions: rest };
  const list = rest.list.map((question) => (isOpen(question) ? { ...question, isGivenUp: true as const } : question));
  return { questions: { ...rest, list } };
}

function waitOf({ wait }: Questions): Exclude<Questions['wait'], string> {
  return wait === 'over' ? undefined : wait;
}

/** No person is waited for any longer. */
function isUnanswered(state: RunState): boolean {
  return state.questions?.wait === 'over' || answerWaitMs(state) === 0;
}

function answerWaitMs({ spec }: Pick<RunState, 'spec'>): number {
  return spec?.questions?.maxWaitMs ?? DEFAULT_ANSWER_WAIT_MS;
}

/** What the run waits for before its next iteration: an answer, until then. A wait that a restart interrupted continues. */
export function nextPersonWait(
  state: RunState,
  nowMs: number,
): { readonly until: string; readonly reason: string } | undefined {
  const [first, ...others] = openQuestions(state);
  if (first === undefined || state.questions === undefined || isUnanswered(state)) return undefined;
  const begun = waitOf(state.questions);
  const until = begun && untilAt(begun, nowMs);
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more question')})`;
  return {
    until: until ?? new Date(nowMs + answerWaitMs(state)).toISOString(),
    reason: `${questionText(first)}${more}`,
  };
}

/** Why the run ends: there is no answer. Absent while an iteration is under way. */
export function unansweredText(state: RunState): string | undefined {
  const [first, ...others] = openQuestions(state);
  if (first === undefined || openIteration(state) !== undefined || !isUnanswered(state)) return undefined;
  const waitMs = answerWaitMs(state);
  const why = waitMs === 0 ? '' : ` (no answer within ${formatDuration(waitMs)})`;
  const more = others.length === 0 ? '' : `, and ${plural(others.length, 'more question')}`;
  return `the agent asks you: ${questionText(first)}${more}${why}`;
}

/** What an answer means, or why it is not taken. */
export type Answered = { readonly question: string; readonly text: string } | { readonly refused: string };

/** The question that is meant and the answer in full: a choice can be given by its number or its name. */
export function answerTo(
  state: RunState,
  given: { readonly question?: string | undefined; readonly text: string },
): Answered {
  const open = openQuestions(state);
  const named = given.question === undefined ? undefined : idOf(given.question);
  const [only, ...others] = named === undefined ? open : open.filter(({ id }) => id === named);
  if (only === undefined) return { refused: whyNoQuestion(state, named) };
  if (others.length > 0) return { refused: `${plural(open.length, 'question')} are open; say which: ${namesOf(open)}` };
  const text = choiceIn(only.choices ?? [], given.text);
  if (text !== undefined) return { question: only.id, text };
  return { refused: `${only.id} has no choice ${quote(given.text.trim(), 20)}: ${questionText(only)}` };
}

/** The command as it is recorded: the answer to an agent in code is a message to it. */
export function meantBy(command: LoopCommand, state: RunState): LoopCommand {
  if (command.type !== 'answer') return command;
  if (waitingOf(state)?.for === 'answer') {
    return { type: 'steer', text: choiceIn(state.questionChoices ?? [], command.text) ?? command.text };
  }
  const answered = answerTo(state, command);
  return 'refused' in answered ? command : { type: 'answer', ...answered };
}

/** `q2`, or only its number. */
function idOf(name: string): string {
  return /^\d+$/.test(name) ? `q${name}` : name;
}

function namesOf(open: readonly Question[]): string {
  return open.map(({ id, text }) => `--question ${id} (${quote(text, 80)})`).join(' or ');
}

function whyNoQuestion(state: RunState, id: string | undefined): string {
  const { questions } = state;
  const open = openQuestions(state);
  const others = open.length === 0 ? '' : `; open: ${namesOf(open)}`;
  const known =
    questions?.list.find((question) => question.id === id) ?? (id === undefined ? lastOf(state) : undefined);
  const { answer } = known ?? {};
  if (known !== undefined && answer !== undefined)
    return `${known.id} is answered already, by ${answer.by}: ${quote(answer.text, 80)}${others}`;
  if (id === undefined) return 'no question is open';
  const isPast = /^q[1-9]\d*$/.test(id) && Number(id.slice(1)) <= (questions?.asked ?? 0);
  return isPast ? `${id} is closed already${others}` : `there is no question ${quote(id, 20)}${others}`;
}

function lastOf(state: HasQuestions): Question | undefined {
  return listOf(state).at(-1);
}

/** Undefined for a number that no choice has. */
export function choiceIn(choices: readonly string[], text: string): string | undefined {
  const said = text.trim();
  const named = choices.find((choice) => choice.trim().toLowerCase() === said.toLowerCase());
  if (named !== undefined || choices.length === 0 || !/^\d{1,3}$/.test(said)) return named ?? text;
  return choices[Number(said) - 1];
}
