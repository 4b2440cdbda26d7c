import { count, plural } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, may } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';
import { untracked } from '../judging/untracked.js';

export interface DiffExceeds {
  readonly type: 'diff_exceeds';
  readonly files?: number | undefined;
  readonly lines?: number | undefined;
}

export const definition = {
  type: 'diff_exceeds',
  version: 1,
  about: 'one iteration changed more files or lines than this',
  fields: { files: may('count'), lines: may('count') },
  needsOneOf: ['files', 'lines'],
  class: 'veto',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  judge: ({ files, lines }, { files: changed }) => {
    const known =
      changed !== undefined &&
      (files === undefined || Number.isFinite(changed.changedFiles)) &&
      (lines === undefined || Number.isFinite(changed.changedLines));
    if (!known) return unknown('the changes were not observed');
    const sentence = [
      files === undefined ? [] : `${count(changed.changedFiles)} changed of ${plural(files, 'file')} allowed`,
      lines === undefined ? [] : `${count(changed.changedLines)} changed of ${plural(lines, 'line')} allowed`,
    ]
      .flat()
      .join(', ');
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
  needs: (condition) => `a larger change in one iteration (more than ${sizes(condition)})`,
  warn: untracked,
} satisfies ConditionDefinition<DiffExceeds>;

function sizes({ files, lines }: DiffExceeds): string {
  return [files === undefined ? [] : plural(files, 'file'), lines === undefined ? [] : plural(lines, 'line')]
    .flat()
    .join(' or ');
}

/** A veto against runaway edits. */
export const diffExceeds = (limits: { files?: number; lines?: number }) => build<DiffExceeds>(definition, limits);
