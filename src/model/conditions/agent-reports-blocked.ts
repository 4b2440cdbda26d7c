import { claimAnswer } from '../judging/claim-answer.js';
import { defineCondition } from '../judging/define-condition.js';

/** Holds when the agent reported that it cannot continue. */
export const agentReportsBlocked = defineCondition({
  type: 'agent_reports_blocked',
  about: 'the agent reported, by its status line or its tool report_blocked, that it needs a person',
  fields: {},
  make: () => ({}),
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
  takes: () => 'the agent to report that it is blocked',
});
