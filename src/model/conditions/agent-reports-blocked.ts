import { build } from '../judging/build.js';
import { claimAnswer } from '../judging/claim-answer.js';
import type { ConditionDefinition } from '../judging/condition-definition.js';

export interface AgentReportsBlocked {
  readonly type: 'agent_reports_blocked';
}

export const definition = {
  type: 'agent_reports_blocked',
  version: 1,
  about: 'the agent reported, by its status line or its tool report_blocked, that it needs a person',
  fields: {},
  class: 'failure',
  priority: 50,
  where: 'loop',
  live: true,
  movedBy: ['claim-made'],
  // It ends the run as a failure, and what helps is a person.
  shownClass: 'blocked',
  quotes: true,
  evidence: 'agent',
  judge: (_condition, facts) => claimAnswer('blocked', facts),
  describe: () => 'when the agent reports that it is blocked',
  needs: () => 'the agent to report that it is blocked',
} satisfies ConditionDefinition<AgentReportsBlocked>;

/** Holds when the agent reported that it cannot continue. */
export const agentReportsBlocked = () => build<AgentReportsBlocked>(definition);
