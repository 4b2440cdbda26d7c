import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { resolveConfig } from '../config/resolve-config.js';
import { reviewAlso } from './review-agent.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-also-'));
afterAll(() => rmSync(folder, { recursive: true }));
const project = join(folder, 'project');
for (const path of [project, join(folder, 'models')]) mkdirSync(path);
for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'models', name), name);
symlinkSync('../models', join(project, 'linked'));

async function messagesOf(also: readonly string[], more: { trackFileChanges?: boolean } = {}) {
  const { spec } = resolveConfig({ progress: { also }, workingDir: project, ...more });
  const warnings = await reviewAlso({ spec, origins: {} }, { HOME: folder }, 2);
  return warnings.map(({ path, message }) => `${path}: ${message}`);
}

it('warns of a pattern of progress.also that matches no file yet', async () => {
  expect(await messagesOf(['data/**', '../models/a', 'linked/b', '~/models/a'])).toEqual([
    'progress.also: data/** matches no file yet',
  ]);
});

it('warns of a pattern that matches very many files, as a glob, as a folder or behind a link', async () => {
  const many = (pattern: string) =>
    `progress.also: ${pattern} matches more than 2 files, which are all compared after each iteration; name fewer`;
  expect(await messagesOf(['../models/*', '~/models', 'linked'])).toEqual(
    ['../models/*', '~/models', 'linked'].map(many),
  );
});

it('warns where no change is observed at all', async () => {
  expect(await messagesOf(['../models'], { trackFileChanges: false })).toEqual([
    'progress.also: it has no effect, because track_file_changes is false',
  ]);
});
