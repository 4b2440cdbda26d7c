import { boxesText, missingItems, openText } from '../checklist.js';
import { conditionKey } from '../condition-key.js';
import { count } from '../figures.js';
import { met, notMet, unknown, ownFact } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const checklistDone = defineCondition({
  type: 'checklist_done',
  about:
    'no unchecked box is left in the file, and no fewer boxes than at the start; with `fresh`, a list that was complete before the run counts only after it changes',
  fields: { path: field.path, fresh: optional(field.flag) },
  make: (path: string, options: { fresh?: boolean } = {}) => ({ path, fresh: options.fresh }),
  short: 'path',
  class: 'goal',
  goalOnly: true,
  priority: 45,
  where: 'loop',
  needsDirectory: true,
  needs: ({ path }) => ({ probe: { kind: 'checklist', path } }),
  quotes: true,
  evidence: 'agent',
  judge: (condition, { probes, baselineProbes }) => {
    const { path, fresh } = condition;
    const key = conditionKey(condition);
    const [before, now] = [ownFact(baselineProbes, key), ownFact(probes, key)];
    if (now === undefined) return unknown(`the boxes in ${path} have not been counted yet`);
    const { boxes, detail } = now;
    const start = before?.boxes;
    if (boxes === undefined) {
      if (now.met === undefined) return unknown(detail ?? `the boxes in ${path} could not be counted`);
      const had = start === undefined || start.total === 0 ? '' : ` (it had ${boxesCount(start.total)})`;
      return notMet(`${detail ?? `${path} cannot be read`}${had}`);
    }
    const sentence = boxesText(boxes, path);
    if (start !== undefined && boxes.total < start.total) {
      const missing = missingItems(start, boxes);
      const named = missing.length === 0 ? '' : `, such as ${missing.join('; ')}`;
      const gone = `${count(start.total - boxes.total)} of the ${count(start.total)} boxes from the start are missing${named}`;
      return notMet(`${sentence}, but ${gone}`, boxes.checked / start.total);
    }
    if (boxes.total === 0 || boxes.checked < boxes.total)
      return notMet(`${sentence}${openText(boxes)}`, boxes.total === 0 ? 0 : boxes.checked / boxes.total);
    if (fresh === true && before?.met === true && before.version === now.version)
      return notMet(`${sentence}, but they were before the run, and nothing has changed since`);
    return met(`${sentence} (the agent's own list)`);
  },
  describe: ({ path, fresh }) =>
    `when every box in ${path} is checked${fresh === true ? ' and the list has changed since the start' : ''}`,
  measure: (condition, { probes }) => {
    const boxes = ownFact(probes, conditionKey(condition))?.boxes;
    return boxes === undefined || boxes.total === 0 ? undefined : measure(boxes.checked, boxes.total, 'boxes');
  },
  takesMore: (left) => `${boxesCount(left)} more to be checked`,
  takes: ({ path }) => `every box in ${path} to be checked`,
});

function boxesCount(boxes: number): string {
  return boxes === 1 ? '1 box' : `${count(boxes)} boxes`;
}
