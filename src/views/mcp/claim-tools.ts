import { z } from 'zod';
import type { ReportType } from '../../model/claim.js';
import { isRunId } from '../../journal/run-id.js';
import { InvalidState } from '../../model/errors.js';
import { cutEvidence, MOST_EVIDENCE_BYTES } from '../../run/claim-report.js';
import { findSockets } from '../../run/control-place.js';
import { findLiveRun } from '../cli/find-live-run.js';
import { claimToReachable } from '../cli/send-to-run.js';
import { defineTool, type McpSetting, type Registration, type ToolAnswer } from './tool.js';
import type { CommandContext } from '../cli/command-context.js';

const CLAIMS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const withEvidence = (about: string) => z.strictObject({ evidence: z.string().trim().min(1).describe(about) });

/** The tools by which the agent of a loop says where it stands. It is recorded and judged, not believed. */
export function claimTools(setting: McpSetting, context: CommandContext): readonly Registration[] {
  const { cookie } = setting;
  if (cookie === undefined || !isAgentCookie(cookie)) return [];
  const report = (claim: ReportType, text: string) => send(setting, cookie, claim, text, context);
  return [
    defineTool({
      name: 'report_done',
      title: 'Report that the task is done',
      description:
        'Reports that the task of this run is complete. Call it once, when everything that was asked for is done and checked; then end your turn. The run verifies it by its own conditions, such as the tests, and goes on when they do not hold.',
      input: withEvidence('What shows that it is done: what was checked, how, and with which result. Cut at 8 KB'),
      annotations: CLAIMS,
      call: (given) => report('done', given.evidence),
    }),
    defineTool({
      name: 'report_blocked',
      title: 'Report that you cannot go on',
      description:
        'Reports that you cannot go on without a person: a missing permission, key or decision, a contradiction in the task. Not for difficulties that more work can overcome. Then end your turn.',
      input: withEvidence('What is missing, what was tried, and what a person would have to do. Cut at 8 KB'),
      annotations: CLAIMS,
      call: (given) => report('blocked', given.evidence),
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
  'not recorded: PAWL_CLAIM_KEY is not in the environment of pawl mcp. The client that starts it must hand on PAWL_COOKIE and PAWL_CLAIM_KEY (Codex: env_vars)';

async function send(
  setting: McpSetting,
  cookie: string,
  claim: ReportType,
  text: string,
  context: CommandContext,
): Promise<ToolAnswer> {
  const { cwd, claimKey: key } = setting;
  if (key === undefined) throw new InvalidState('running', 'report', NO_KEY);
  const runId = cookie.slice(0, Math.max(0, cookie.indexOf('.')));
  const evidence = cutEvidence(text);
  const isCut = Buffer.byteLength(text) > MOST_EVIDENCE_BYTES;
  const report = { claim: { claim, evidence }, cookie, key };
  const by = `the agent (pawl mcp, pid ${process.pid})`;
  const near = findSockets(runId, context.environment);
  const live = near.length > 0 ? { runId, sockets: near } : await findLiveRun(cwd, runId, '', context);
  const taken = await claimToReachable(live, report, by);
  if (taken === undefined) throw new InvalidState('stopped', 'report', 'not recorded: the run is not live any more');
  const cut = isCut ? ' Of the evidence only the first 8 KB are kept.' : '';
  return {
    text: `Recorded: ${runId} ${taken.effect}.${cut}`,
    data: { runId, claim, recorded: true, evidenceCut: isCut },
  };
}
