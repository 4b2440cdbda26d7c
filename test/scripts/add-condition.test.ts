/** What it takes to add a condition: one file. Everything else follows from it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchSource } from '../support/scratch-source.js';

const FILE = 'src/model/conditions/files-changed.ts';

const CONDITION = `
import { count, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const filesChanged = defineCondition({
  type: 'files_changed',
  about: 'one iteration changed this many files',
  fields: { count: field.count },
  make: (files: number) => ({ count: files }),
  short: 'count',
  class: 'failure',
  priority: 65,
  where: 'loop',
  needsDirectory: true,
  needs: () => ({ files: true }),
  judge: ({ count: limit }, { files }) =>
    reached(files?.changedFiles, limit, (value) => \`\${count(value)} of \${plural(limit, 'file')} changed\`),
  describe: (condition) => \`when one iteration changes \${plural(condition.count, 'file')}\`,
  measure: (condition, { files }) => measure(files?.changedFiles, condition.count, 'files'),
  takesMore: (left) => plural(left, 'more changed file'),
});
`;

/** Uses it as a program that has Pawl as its library does. */
const USER = `
import { describe, evaluateCondition, filesChanged, parseCondition, type StopCondition } from './index.js';

const condition: StopCondition & { readonly type: 'files_changed' } = filesChanged(3);
const changes = { changedFiles: 2, changedLines: 9 };
const refused = (() => {
  try {
    return String(parseCondition({ files_changed: 0 }));
  } catch (error) {
    return String(error);
  }
})();
console.log(JSON.stringify({
  same: JSON.stringify(parseCondition({ files_changed: 3 })) === JSON.stringify(condition),
  words: describe(condition),
  judged: evaluateCondition(condition, { changes }).reason,
  unknown: evaluateCondition(condition, {}).status,
  refused,
}));
`;

const USES_IT_WITHOUT_A_DIRECTORY = `
import type { DirectoryFreeCondition } from './agent/directory-conditions.js';
import { filesChanged } from './index.js';

export const wrong: DirectoryFreeCondition = filesChanged(3);
`;

const source = new ScratchSource();
let project = '';
beforeAll(() => {
  source.write(FILE, CONDITION);
  source.script('scripts/conditions.mjs');
  project = join(source.root, 'project');
  mkdirSync(project);
});
afterAll(() => source.remove());

describe('a new condition', { timeout: 120_000 }, () => {
  it('takes one file of the sources', () => {
    expect(source.touched).toEqual({
      byHand: [FILE],
      made: ['src/model/conditions/factories.ts'],
    });
  });

  it('is a part of the library: a factory, the reader, the judge, its words', () => {
    writeFileSync(join(source.root, 'src/user.ts'), USER);
    expect(JSON.parse(source.run('src/user.ts'))).toEqual({
      same: true,
      words: 'when one iteration changes 3 files',
      judged: '2 of 3 files changed',
      unknown: 'unknown',
      refused: expect.stringContaining('must be a whole number of at least 1, not 0'),
    });
  });

  it('is known to the compiler, also as one that needs a working directory', () => {
    writeFileSync(join(source.root, 'src/wrong.ts'), USES_IT_WITHOUT_A_DIRECTORY);
    expect(source.typeErrors()).toEqual([expect.stringMatching(/^src\/wrong\.ts:5:14: .*TS2322/)]);
  });

  it('is in the schema and can be used in a config, which check explains and warns about', () => {
    const config = 'prompt: go\ntrack_file_changes: false\nstop:\n  failure:\n    - files_changed: 3\n';
    writeFileSync(join(project, 'pawl.yaml'), config);
    const pawl = (...words: readonly string[]) => source.run('src/views/cli/main.ts', ...words);
    expect(pawl('check', '--schema')).toContain('one iteration changed this many files');
    const checked = pawl('check', '--cwd', project).replace(/\s+/g, ' ');
    expect(checked).toContain('when one iteration changes 3 files');
    expect(checked).toContain(
      'pawl.yaml:5:7 stop.failure[0]: files_changed can never be met: track_file_changes is false',
    );
  });
});
