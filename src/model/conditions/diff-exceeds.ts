import { count, plural } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition, type ValuesOf } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

const fields = { files: optional(field.count), lines: optional(field.count) };

type DiffExceeds = ValuesOf<typeof fields>;

/** A veto against runaway edits. */
export const diffExceeds = defineCondition({
  type: 'diff_exceeds',
  about: 'one iteration changed more files or lines than this',
  fields,
  make: (limits: { files?: number; lines?: number }) => limits,
  needsOneOf: ['files', 'lines'],
  class: 'veto',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  needs: () => ({ files: true }),
  judge: ({ files, lines }, { files: changed }) => {
    const known =
      changed !== undefined &&
      (files === undefined || Number.isFinite(changed.changedFiles)) &&
      (lines === undefined || Number.isFinite(changed.changedLines));
    if (!known) return unknown('the changes were not observed');
    const sentence = [
      files === undefined ? [] : `${plural(changed.changedFiles, 'file')} changed, ${count(files)} allowed`,
      lines === undefined ? [] : `${plural(changed.changedLines, 'line')} changed, ${count(lines)} allowed`,
    ]
      .flat()
      .join('; ');
    const share = Math.max(
      files === undefined ? 0 : changed.changedFiles / files,
      lines === undefined ? 0 : changed.changedLines / lines,
    );
    return share > 1 ? met(sentence) : notMet(sentence, share);
  },
  describe: (condition, unit) => `when one ${unit} changes more than ${sizes(condition)}`,
  measure: ({ files, lines }, { files: changed }) => {
    if (lines !== undefined) return measure(changed?.changedLines, lines, 'lines');
    return files === undefined ? undefined : measure(changed?.changedFiles, files, 'files');
  },
  takes: (condition) => `a larger change in one iteration (more than ${sizes(condition)})`,
});

function sizes({ files, lines }: DiffExceeds): string {
  return [files === undefined ? [] : plural(files, 'file'), lines === undefined ? [] : plural(lines, 'line')]
    .flat()
    .join(' or ');
}
