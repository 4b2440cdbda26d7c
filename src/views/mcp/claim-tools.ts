import { z } from 'zod';
import type { ReportType } from '../../model/claim.js';
import { isRunId } from '../../journal/run-places.js';
import { InvalidState } from '../../model/errors.js';
import { cutEvidence, MOST_EVIDENCE_BYTES, type QuestionReport } from '../../run/agent-reports.js';
import { MOST_CHOICES } from '../../run/control-request.js';
import { findSockets } from '../../run/control-place.js';
import { findLiveRun } from '../../app/find-live-run.js';
import { claimToReachable, questionToReachable } from '../../app/send-to-run.js';
import { defineTool, type McpSetting, type Registration, type ToolAnswer } from './tool.js';
import type { TextContext } from '../text/text-context.js';

const CLAIMS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const withEvidence = (about: string) => z.strictObject({ evidence: z.string().trim().min(1).describe(about) });

/** The tools by which the agent of a loop says where it stands. It is recorded and judged, not trusted. */
export function claimTools(setting: McpSetting, context: TextContext): readonly Registration[] {
  const { cookie } = setting;
  if (cookie === undefined || !isAgentCookie(cookie)) return [];
  const report = (claim: ReportType, text: string) => send(setting, cookie, claim, text, context);
  return [
    defineTool({
      name: 'report_done',
      title: 'Report that the task is done',
      description:
        'Reports that the task of this run is complete. Call it once, when everything that was asked for is done and checked; then end your turn. The run verifies it with its own conditions, such as the tests, and continues if they are not met.',
      input: withEvidence('What shows that it is done: what was checked, how, and with which result. Cut at 8 KB'),
      annotations: CLAIMS,
      call: (given) => report('done', given.evidence),
    }),
    defineTool({
      name: 'report_blocked',
      title: 'Report that you cannot continue',
      description:
        'Reports that you cannot continue without a person: a missing permission, key or decision, a contradiction in the task. Not for difficulties that more work can overcome. Then end your turn.',
      input: withEvidence('What is missing, what was tried, and what a person would have to do. Cut at 8 KB'),
      annotations: CLAIMS,
      call: (given) => report('blocked', given.evidence),
    }),
    defineTool({
      name: 'ask_person',
      title: 'Ask a person a question',
      description:
        'Asks the person in charge of this run one question: a decision, a preference, a fact that is not in the repository. Waits a short time for the answer. If there is no answer yet, finish what you can without it and end your turn: the run waits, and your next prompt has the answer. Not for what you can find out or decide yourself.',
      input: z.strictObject({
        question: z
          .string()
          .trim()
          .min(1)
          .describe('One question, with all that is needed to answer it without looking anything up. At most 4 KB'),
        choices: z
          .array(z.string().trim().min(1))
          .max(MOST_CHOICES)
          .optional()
          .describe('Answers to choose from, if there are a few. The person can also answer in other words'),
      }),
      annotations: CLAIMS,
      call: ({ question, choices }, signal) =>
        ask(setting, cookie, { text: question, ...(choices === undefined ? {} : { choices }) }, signal, context),
    }),
  ];
}

/** Of an iteration: hooks, notifications and audits have others. */
export function isAgentCookie(cookie: string): boolean {
  const [runId = '', iteration = '', number = '', ...rest] = cookie.split('.');
  return isRunId(runId) && isCount(iteration) && isCount(number) && rest.length === 0;
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

const NO_KEY =
  'not recorded: PAWL_CLAIM_KEY is not in the environment of pawl mcp. The client that starts it must pass on PAWL_COOKIE and PAWL_CLAIM_KEY (Codex: env_vars)';

/** The run of the agent, and how it is spoken to. Throws InvalidState without the key of the iteration. */
async function reached({ cwd, claimKey: key }: McpSetting, cookie: string, context: TextContext) {
  if (key === undefined) throw new InvalidState('running', 'report', NO_KEY);
  const runId = cookie.slice(0, Math.max(0, cookie.indexOf('.')));
  const near = findSockets(runId, context.environment);
  const live = near.length > 0 ? { runId, sockets: near } : await findLiveRun(cwd, runId, '', context);
  return { key, runId, live, by: `the agent (pawl mcp, pid ${process.pid})` };
}

function notLive(what: string): InvalidState {
  return new InvalidState('stopped', what, 'not recorded: the run is no longer live');
}

async function ask(
  setting: McpSetting,
  cookie: string,
  question: QuestionReport['question'],
  signal: AbortSignal,
  context: TextContext,
): Promise<ToolAnswer> {
  const { key, runId, by, live } = await reached(setting, cookie, context);
  const taken = await questionToReachable(live, { question, cookie, key }, by, signal);
  if (taken === undefined) throw notLive('ask');
  const { question: id, answer } = taken;
  const text =
    answer === undefined
      ? `Recorded as ${id ?? 'a question'}, not answered yet. Finish what you can without the answer and end your turn: ${runId} ${taken.effect}. The answer is in your next prompt.`
      : `The answer: ${answer}`;
  return answerOf(text, { runId, question: id, answered: answer !== undefined, answer });
}

async function send(
  setting: McpSetting,
  cookie: string,
  claim: ReportType,
  text: string,
  context: TextContext,
): Promise<ToolAnswer> {
  const { key, runId, by, live } = await reached(setting, cookie, context);
  const evidence = cutEvidence(text);
  const isCut = Buffer.byteLength(text) > MOST_EVIDENCE_BYTES;
  const report = { claim: { claim, evidence }, cookie, key };
  const taken = await claimToReachable(live, report, by);
  if (taken === undefined) throw notLive('report');
  const cut = isCut ? ' Of the evidence only the first 8 KB are kept.' : '';
  return answerOf(`Recorded: ${runId} ${taken.effect}.${cut}`, { runId, claim, recorded: true, evidenceCut: isCut });
}

/** The words are in the data, too: Claude Code and Codex show a model nothing but the data of a tool that has some. */
function answerOf(text: string, data: object): ToolAnswer {
  return { text, data: { message: text, ...data } };
}
