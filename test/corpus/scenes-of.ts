import { createHash } from 'node:crypto';
import type { FileChanges } from '../../src/model/observation.js';
import type { TestResults } from '../../src/model/test-results.js';
import { type Beat, beatsOf, type Story, type Turn } from './story.js';

/** One iteration of a story with all its figures. */
export interface Scene {
  readonly iteration: number;
  readonly turn: Turn;
  readonly says: string;
  readonly costUsd: number | undefined;
  readonly minutes: number;
  readonly files: FileChanges;
  readonly tests: TestResults | undefined;
}

const WORKS = [
  'Fixed the rounding of totals with more than one tax rate.',
  'Moved the parsing of dates into one place; the callers use it now.',
  'The cache is now keyed by user and locale.',
  'Handled the empty list and the list with one entry.',
  'The retry now gives up after the third time.',
  'Replaced the nested loops by a map from id to row.',
  'Escaped quotes in exported fields.',
  'Added the missing transaction around both writes.',
];
const IDLES = ['I read the failing tests again and will look at the cause next.', 'I am still looking for the cause.'];
const SOURCES = ['src/cart.ts', 'src/dates.ts', 'src/cache.ts', 'src/export.ts', 'src/retry.ts', 'src/rows.ts'];

export function scenesOf(story: Story): readonly Scene[] {
  let treeBefore = treeOf(story, 'start');
  const said = { works: 0, idles: 0 };
  return beatsOf(story).map((beat, index) => {
    const iteration = index + 1;
    const turn = story.turns?.[iteration] ?? {};
    const treeAfter = nextTree(story, beat, iteration, treeBefore);
    const files = changesOf(story, turn, iteration, { treeBefore, treeAfter });
    treeBefore = treeAfter;
    return {
      iteration,
      turn,
      says: turn.says ?? nextWords(story, files.changedFiles > 0 ? 'works' : 'idles', said),
      costUsd: costOf(story, turn, iteration),
      minutes: turn.minutes ?? Math.round(story.minutes * wobble(story, iteration, 'minutes') * 10) / 10,
      files,
      tests: testsOf(story, beat, turn),
    };
  });
}

/** Where the story starts from. */
export function baselineOf(story: Story): { readonly tree: string; readonly tests: TestResults | undefined } {
  const beat = {
    tree: 'same',
    passed: story.tests === 'none' ? undefined : story.tests.passedBefore,
    total: undefined,
  };
  return { tree: treeOf(story, 'start'), tests: testsOf(story, beat, {}) };
}

function nextTree(story: Story, { tree }: Beat, iteration: number, treeBefore: string): string {
  if (tree === 'same') return treeBefore;
  return treeOf(story, tree === 'new' ? `new ${iteration}` : `state ${tree}`);
}

function treeOf({ name }: Story, content: string): string {
  return createHash('sha1').update(`${name}: ${content}`).digest('hex');
}

/** 0.75 to 1.25, always the same for the same story and iteration. */
function wobble({ name }: Story, iteration: number, of: string): number {
  const [byte = 0] = createHash('sha1').update(`${name} ${iteration} ${of}`).digest();
  return 0.75 + byte / 510;
}

function costOf(story: Story, turn: Turn, iteration: number): number | undefined {
  const given = turn.costUsd ?? story.costUsd;
  if (given === 'unknown') return undefined;
  if (turn.costUsd !== undefined) return turn.costUsd as number;
  const mean = typeof given === 'function' ? given(iteration) : given;
  return Math.round(mean * wobble(story, iteration, 'cost') * 1000) / 1000;
}

/** In turn, and in the order in which they are written. */
function nextWords(story: Story, kind: 'works' | 'idles', said: Record<'works' | 'idles', number>): string {
  const words = kind === 'works' ? (story.worksSaying ?? WORKS) : (story.idlesSaying ?? IDLES);
  return words[said[kind]++ % words.length] ?? '';
}

function changesOf(
  story: Story,
  { changes }: Turn,
  iteration: number,
  trees: Pick<FileChanges, 'treeBefore' | 'treeAfter'>,
): FileChanges {
  const none = { created: [], modified: [], deleted: [] };
  if (trees.treeBefore === trees.treeAfter) return { ...trees, ...none, changedFiles: 0, changedLines: 0 };
  const usual = { modified: [SOURCES[iteration % SOURCES.length] ?? ''] };
  const usualLines = Math.round(30 * wobble(story, iteration, 'lines'));
  const { changedFiles, changedLines, ...lists } = changes ?? { ...usual, changedLines: usualLines };
  const listed = { ...none, ...lists };
  return {
    ...trees,
    ...listed,
    changedFiles: changedFiles ?? listed.created.length + listed.modified.length + listed.deleted.length,
    changedLines,
  };
}

function testsOf({ tests }: Story, { passed, total: left }: Beat, turn: Turn): TestResults | undefined {
  if (tests === 'none' || passed === undefined) return undefined;
  const { skipped = 0, fails = [], passes = [] } = turn;
  const total = left ?? tests.total;
  const failed = total - passed - skipped;
  const details = [
    ...fails.map((name) => ({ name, status: 'failed' }) as const),
    ...passes.map((name) => ({ name, status: 'passed' }) as const),
  ];
  const exitCode = failed === 0 ? 0 : 1;
  return { source: 'harness', exitCode, total, passed, failed, skipped, details };
}
