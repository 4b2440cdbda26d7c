import { met, notMet, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const contextAbove = defineCondition({
  type: 'context_above',
  about: 'more than this percentage of the context window is used',
  fields: { percent: field.percent },
  make: (percent: number) => ({ percent }),
  short: 'percent',
  class: 'limit',
  priority: 80,
  where: 'both',
  live: true,
  movedBy: ['context-reported'],
  // Above, not at: the redline of the session uses the same comparison.
  judge: ({ percent }, { contextPercent: used }) => {
    if (used === undefined) return unknown('the context use is not known');
    const sentence = `context ${Math.floor(used)}% used, ${percent}% allowed`;
    if (used > percent) return met(sentence);
    return notMet(sentence, percent === 0 ? 0 : used / percent);
  },
  describe: ({ percent }) => `when more than ${percent}% of the context is used`,
  measure: ({ percent }, { contextPercent }) => measure(contextPercent, percent, 'percent'),
  takes: ({ percent }) => `more than ${percent}% of the context used`,
  warn: ({ percent }, { continuesSession, contextRedlinePercent: redline }) => {
    if (percent >= 100)
      return { message: 'context_above can never be met: the context window cannot be fuller than 100 %; lower it' };
    if (!continuesSession || percent < redline) return undefined;
    return {
      message: `context_above ${percent} can only be met within one iteration, because above the redline of ${redline} the next one starts afresh; lower it below the redline`,
    };
  },
  warnOfAgent: (_condition, { contextProblem }) =>
    contextProblem === undefined ? undefined : `it is never met: ${contextProblem}`,
});
