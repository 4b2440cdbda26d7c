import { claimAnswer } from '../judging/claim-answer.js';
import { defineCondition } from '../judging/define-condition.js';

/** Holds when the agent reported that it is done. Combine it with a condition that verifies it. */
export const agentReportsDone = defineCondition({
  type: 'agent_reports_done',
  about: 'the agent reported, by its status line or its tool report_done, that it is done; not verified',
  fields: {},
  make: () => ({}),
  class: 'goal',
  goalOnly: true,
  priority: 50,
  where: 'loop',
  quotes: true,
  evidence: 'agent',
  judge: (_condition, facts) => claimAnswer('done', facts),
  describe: () => 'when the agent reports that it is done',
  takes: () => 'the agent to report that it is done',
});
