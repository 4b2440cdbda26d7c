import { z } from 'zod';
import type { ClaimType } from '../../model/claim.js';
import { InvalidState } from '../../model/errors.js';
import { cutEvidence } from '../../run/claim-report.js';
import { findSockets } from '../../run/control-place.js';
import { findLiveRun } from '../cli/find-live-run.js';
import { claimToReachable } from '../cli/send-to-run.js';
import { defineTool, type McpSetting, type Registration, type ToolAnswer } from './tool.js';

const CLAIMS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const evidence = (about: string) => z.strictObject({ evidence: z.string().trim().min(1).describe(about) });

/** The tools by which the agent of a loop says where it stands. It is recorded and judged, not believed. */
export function claimTools(setting: McpSetting): readonly Registration[] {
  const { cookie } = setting;
  if (cookie === undefined) return [];
  const report = (claim: ClaimType, text: string) => send(setting, cookie, claim, text);
  return [
    defineTool({
      name: 'report_done',
      title: 'Report that the task is done',
      description:
        'Reports that the task of this run is complete. Call it once, when everything that was asked for is done and checked; then end your turn. The run verifies it by its own conditions, such as the tests, and goes on when they do not hold.',
      input: evidence('What shows that it is done: what was checked, how, and with which result. Cut at 8 KB'),
      annotations: CLAIMS,
      call: (given) => report('done', given.evidence),
    }),
    defineTool({
      name: 'report_blocked',
      title: 'Report that you cannot go on',
      description:
        'Reports that you cannot go on without a person: a missing permission, key or decision, a contradiction in the task. Not for difficulties that more work can overcome. Then end your turn.',
      input: evidence('What is missing, what was tried, and what a person would have to do. Cut at 8 KB'),
      annotations: CLAIMS,
      call: (given) => report('blocked', given.evidence),
    }),
  ];
}

async function send({ cwd }: McpSetting, cookie: string, claim: ClaimType, text: string): Promise<ToolAnswer> {
  const runId = cookie.slice(0, Math.max(0, cookie.indexOf('.')));
  const report = { claim: { claim, evidence: cutEvidence(text) }, cookie };
  const by = `the agent (pawl mcp, pid ${process.pid})`;
  const near = findSockets(runId, process.env);
  const live = near.length > 0 ? { runId, sockets: near } : await findLiveRun(cwd, runId, '');
  const taken = await claimToReachable(live, report, by);
  if (taken === undefined) throw new InvalidState('stopped', 'report', 'not recorded: the run is not live any more');
  return { text: `Recorded: ${runId} ${taken.effect}.`, data: { runId, claim, recorded: true } };
}
