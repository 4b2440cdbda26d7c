import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { doneClaimOf } from '../model/claim.js';
import { CONDITION_CATALOG, needsOf } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import { leavesOf } from '../model/condition.js';
import { PromptLoadFailed } from '../model/errors.js';
import { lastWork, hasOwnChanges } from '../model/work.js';
import type { GoalFacts } from '../model/observation.js';
import { lowestLimit, policyEntries } from '../model/policy.js';
import type { Question } from '../model/question.js';
import { answersToSend } from '../model/questions.js';
import type { RunSpec } from '../model/run-spec.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { allPassed, failingNames, type TestDetail, type TestResults, testsRan } from '../model/test-results.js';
import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';

const FEEDBACK_CHARACTERS = 8 * 1024;
/** Of results, also when the operator has said much. */
const LEAST_RESULT_CHARACTERS = 2 * 1024;
const NAMED_TESTS = 20;
const ERROR_CHARACTERS = 300;
/** What the list of open goals begins with. */
export const NOT_DONE_YET = 'Not done yet:';

/** What the prompt of the next iteration says, from the record of the last one. */
export function feedbackValues(state: RunState, iteration: number): Omit<PromptValues, 'left'> {
  const { tests } = shownLook(state);
  return {
    iteration: String(iteration),
    max_iterations: String(lowestLimit(state.policy.limits, 'iterations') ?? 'unlimited'),
    feedback: feedbackOf(state),
    failing_tests: tests === undefined ? '' : failingNames(tests).join('\n'),
    last_summary: lastWork(state)?.summary ?? '',
  };
}

/** What the last iteration showed; if nothing was observed after it, what was observed before. */
function shownLook({ latest, lastLook }: RunState): Pick<GoalFacts, 'tests' | 'checks'> {
  const { tests, checks } = latest.observation;
  return (tests ?? checks) === undefined ? (lastLook ?? {}) : { tests, checks };
}

/** The operator's words come first and are never cut. */
function feedbackOf(state: RunState): string {
  const last = lastWork(state);
  const look = shownLook(state);
  const results = [...testFeedback(look), ...checkFeedback(look)];
  const said = [
    ...answersToSend(state).map(answerText),
    ...state.requests.steers.map((text) => `The operator says: ${text}`),
  ];
  const parts = [
    ...(state.handover === undefined ? [] : [state.handover]),
    ...(last === undefined ? [] : lastIteration(last, state.commits?.iteration === last.iteration)),
    ...reviewFeedback(state),
    ...(results.length > 0 && look === state.lastLook ? [ageOf(state.lastLook)] : []),
    ...results,
    ...goalFeedback(state),
  ];
  if (said.length + parts.length === 0) return '';
  const head = ['## Feedback from the runner', ...said].join('\n\n');
  const rest = parts.map((part) => `\n\n${part}`).join('');
  const room = Math.max(FEEDBACK_CHARACTERS - head.length, LEAST_RESULT_CHARACTERS);
  return rest.length <= room ? `${head}${rest}` : `${head}${rest.slice(0, room - 2)}\n…`;
}

/** The answer to what the agent asked, with the question: a fresh session does not know it. */
function answerText({ id, text, answer }: Question): string {
  const asked = `You asked a person (${id}): ${text}`;
  return answer === undefined
    ? `${asked}\nThere was no answer. Decide it yourself if you can, and say what you decided.`
    : `${asked}\nThe answer: ${answer.text}`;
}

function lastIteration(
  { iteration, outcome, interruption, error }: IterationSummary,
  isCommitted: boolean,
): readonly string[] {
  const why = error === undefined ? '' : `: ${error}`;
  switch (outcome) {
    case 'failed':
      return [`Iteration ${iteration} failed${why}`];
    case 'timed-out':
      return [`Iteration ${iteration} was ended${why}. Work in smaller steps.`];
    case 'interrupted':
      // The runner died after it had brought the work to safety.
      if (interruption === 'crash' && isCommitted)
        return [`Iteration ${iteration} was interrupted after its work was committed: it is in the tree.`];
      return [`Iteration ${iteration} was interrupted before it was done.`];
    case 'completed':
    case 'skipped':
    case 'limited':
      return [];
    default:
      return outcome satisfies never;
  }
}

function ageOf({ tests, iteration }: NonNullable<RunState['lastLook']>): string {
  const when = iteration === 0 ? 'before the first iteration' : `after iteration ${iteration}`;
  return `The ${tests === undefined ? 'checks' : 'tests'} were last run ${when}.`;
}

function testFeedback({ tests }: GoalFacts): readonly string[] {
  if (tests === undefined || allPassed(tests)) return [];
  const ran = testsRan(tests);
  const head =
    tests.timedOut === true
      ? 'The tests did not end in time.'
      : ran === undefined || tests.failed === undefined
        ? `The tests fail with exit code ${tests.exitCode ?? 'unknown'}.`
        : `Tests: ${tests.failed} of ${ran} fail.`;
  const said = tests.output === undefined || tests.output === '' ? [] : [tests.output];
  return [[head, ...failing(tests).slice(0, NAMED_TESTS).map(testLine), ...said].join('\n')];
}

function testLine({ name, error }: TestDetail): string {
  const why = error === undefined ? '' : `: ${error.replace(/\s+/g, ' ').slice(0, ERROR_CHARACTERS)}`;
  return `- ${name}${why}`;
}

function failing(tests: TestResults): readonly TestDetail[] {
  return tests.details.filter(({ status }) => status === 'failed' || status === 'error');
}

function checkFeedback({ checks }: GoalFacts): readonly string[] {
  return Object.entries(checks ?? {})
    .filter(([, check]) => check.passed === false)
    .map(([name, { output }]) => `The check ${name} fails:\n${output ?? ''}`.trimEnd());
}

/** What a second opinion found missing, until there is another one. */
function reviewFeedback({ review, iterations }: RunState): readonly string[] {
  const { last } = review ?? {};
  if (last === undefined || last.answer === 'done') return [];
  const when = last.iteration === iterations ? '' : `, after iteration ${last.iteration},`;
  const head = `A reviewer has read the task and all changes${when} and says that the work is not done:`;
  const asks = last.question === undefined ? [] : [`It asks a person: ${last.question}`];
  return [[head, ...[...last.reasons, ...asks].map((reason) => `- ${reason}`)].join('\n')];
}

/** Goals other than the tests: what Pawl checks, and does not see yet. A goal that no one has inspected says nothing. */
function goalFeedback(state: RunState): readonly string[] {
  if (state.recent.length === 0) return [];
  const open = (state.verdict?.judgements ?? []).filter(
    ({ class: stopClass, status }) =>
      stopClass === 'goal' && status !== 'met' && (status !== 'unknown' || state.lastLook === undefined),
  );
  const lines = open.flatMap(({ path, sentence }) => {
    const words = restsOnWord(state, path) ? emptyClaim(state) : goalWords(state, path, sentence);
    return words === undefined ? [] : [`- ${words}`];
  });
  return lines.length === 0 ? [] : [[NOT_DONE_YET, ...lines].join('\n')];
}

/** An agent must not be pressed to say that it is done: of such a goal only what is verified is feedback. */
function restsOnWord({ policy, latest, baseline }: RunState, path: string): boolean {
  const condition = policyEntries(policy).find((entry) => entry.path === path)?.condition;
  if (condition === undefined || !leavesOf(condition).some(({ type }) => CONDITION_CATALOG[type].unprompted === true))
    return false;
  const { tests } = latest.observation;
  return (
    tests !== undefined &&
    allPassed(tests) &&
    (testsRan(tests) ?? 0) >= ((baseline?.tests && testsRan(baseline.tests)) ?? 0)
  );
}

/** An agent that takes green tests for the finished task needs to know that they were green before. */
function emptyClaim(state: RunState): string | undefined {
  if (doneClaimOf(state.latest) === undefined || hasOwnChanges(state) !== false) return undefined;
  return 'you said that the task is done, but you have changed nothing that counts since the start';
}

/** What a function that is a goal has to say to the agent; nothing when it was not asked. */
function goalWords({ policy, latest }: RunState, path: string, sentence: string): string | undefined {
  const condition = policyEntries(policy).find((entry) => entry.path === path)?.condition;
  if (condition === undefined || needsOf(condition).probe?.kind !== 'function') return sentence;
  const probe = latest.observation.probes?.[conditionKey(condition)];
  return probe === undefined ? undefined : (probe.feedback ?? sentence);
}

/** What an agent is told that keeps its own conversation: it has the task, and needs what is new. */
export interface Told {
  readonly feedback: string;
  readonly steers: readonly string[];
  /** What a fresh conversation is told of the one before. */
  readonly handover?: string | undefined;
}

export function toldOf(state: RunState): Told {
  const { handover } = state;
  const { steers, ...requests } = state.requests;
  const bare = { ...state, requests: { ...requests, steers: [] }, handover: undefined };
  return { feedback: feedbackOf(bare), steers, handover };
}

/** What a prompt may ask for by `{{name}}`. */
export interface PromptValues {
  readonly iteration: string;
  readonly max_iterations: string;
  readonly feedback: string;
  /** How far the limits are used up, and which goals are open. */
  readonly left: string;
  readonly failing_tests: string;
  readonly last_summary: string;
}

interface RenderedPrompt {
  readonly prompt: string;
  /** The user's own part of it, without what Pawl adds at the end. */
  readonly own: string;
}

const NAMES = /\{\{ *(iteration|max_iterations|feedback|left|failing_tests|last_summary) *\}\}/g;

/**
 * Replaces known names, once: what is put in is never searched again, and every other brace stays. A prompt that has no
 * place for feedback, or for what is left, gets it at its end. The request for a status line comes last.
 */
export function renderPrompt(
  template: string,
  values: PromptValues,
  { statusLine }: Pick<RunSpec, 'statusLine'>,
): RenderedPrompt {
  const own = template.replace(NAMES, (_, name: keyof PromptValues) => values[name]);
  const placed = new Set([...template.matchAll(NAMES)].map(([, name]) => name));
  const parts = [
    placed.has('feedback') ? '' : values.feedback,
    placed.has('left') || values.left === '' ? '' : `## What is left\n\n${values.left}`,
    statusLine === true ? STATUS_LINE_PROMPT : '',
  ].filter((part) => part !== '');
  return { own, prompt: parts.length === 0 ? own : `${[own.trimEnd(), ...parts].join('\n\n')}\n` };
}

const LIMIT_BYTES = 16 * 1024 * 1024;

type PromptFile = Pick<RunSpec, 'promptPath' | 'promptPlace' | 'workingDir'>;

/** The prompt's template, read again every time: people improve it while a run continues. Throws PromptLoadFailed. */
export function loadPrompt({ prompt, ...file }: PromptFile & Pick<RunSpec, 'prompt'>): string {
  if (prompt !== undefined) return prompt;
  const { promptPath } = file;
  const text = read(file);
  if (text.trim() === '') throw new PromptLoadFailed(promptPath, 'it is empty');
  return text;
}

function read(file: PromptFile): string {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const opened = openSync(promptPlaceNow(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = fstatSync(opened);
      if (!found.isFile()) throw new Error('it is not a regular file');
      if (found.size > LIMIT_BYTES) throw new Error(`it has ${found.size} bytes, more than the ${LIMIT_BYTES} allowed`);
      return readFileSync(opened, 'utf8');
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw new PromptLoadFailed(file.promptPath, error);
  }
}

/** Where a prompt file lies after all links. Throws when an agent can have made it lead out of the working directory. */
export function promptPlaceNow({ promptPath, promptPlace, workingDir }: PromptFile): string {
  const place = realpathSync(promptPath);
  const wasOutside = promptPlace === undefined ? !isInside(promptPath, workingDir) : place === promptPlace;
  if (wasOutside || isInside(place, realpathSync(workingDir))) return place;
  throw new Error(`it leads to ${place}, outside the working directory, and did not when the run started`);
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
