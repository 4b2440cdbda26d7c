import { build } from '../judging/build.js';
import { claimAnswer } from '../judging/claim-answer.js';
import type { ConditionDefinition } from '../judging/condition-definition.js';

export interface AgentReportsDone {
  readonly type: 'agent_reports_done';
}

export const definition = {
  type: 'agent_reports_done',
  version: 1,
  about: 'the agent reported, by its status line or its tool report_done, that it is done; not verified',
  fields: {},
  class: 'goal',
  goalOnly: true,
  priority: 50,
  where: 'loop',
  quotes: true,
  evidence: 'agent',
  judge: (_condition, facts) => claimAnswer('done', facts),
  describe: () => 'when the agent reports that it is done',
  needs: () => 'the agent to report that it is done',
} satisfies ConditionDefinition<AgentReportsDone>;

/** Holds when the agent reported that it is done. Combine it with a condition that verifies it. */
export const agentReportsDone = () => build<AgentReportsDone>(definition);
