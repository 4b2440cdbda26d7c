import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/full-form.js';
import { type BundledFixture, bundleFixture } from './bundled-fixture.js';
import { startWriter } from './writer-process.js';

let program: BundledFixture;
const base = mkdtempSync(join(tmpdir(), 'pawl-soak-run-'));
beforeAll(async () => {
  program = await bundleFixture('soak');
});
afterAll(() => {
  program.remove();
  rmSync(base, { recursive: true, force: true });
});

interface Figures {
  readonly iteration: number;
  readonly descriptors: number;
  readonly heldBytes: number;
  readonly rssBytes: number;
  readonly zombies: number;
}

/**
 * Without them the heap grows by some percent of compiled code, which comes and goes as V8 sees fit, and a leak of ours
 * would have to be larger than that to be seen.
 */
const WITHOUT_COMPILED_CODE = ['--no-opt', '--no-sparkplug', '--no-flush-bytecode'];

/** The figures after each mark, of a process that does nothing but this run. */
async function soak(agentKind: string, marks: readonly number[]): Promise<readonly Figures[]> {
  const folder = join(base, agentKind, 'tree');
  mkdirSync(folder, { recursive: true });
  const iterations = marks.at(-1) ?? 0;
  const words = [folder, String(iterations), agentKind, ...marks.map(String)];
  const child = startWriter([process.execPath, '--expose-gc', ...WITHOUT_COMPILED_CODE, program.path, ...words]);
  await child.ended;
  const lines = child.lines.map((line) => JSON.parse(line) as Figures);
  expect(lines.at(-1)).toEqual({ status: 'stopped', stopClass: 'limit', iterations });
  return lines.slice(0, -1);
}

function expectFlat(figures: readonly Figures[], marks: readonly number[]): void {
  expect(figures.map(({ iteration }) => iteration)).toEqual(marks);
  const [first, last] = [figures[0], figures.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing was measured');
  expect(last.descriptors).toBeLessThanOrEqual(first.descriptors * 1.05);
  expect(last.heldBytes).toBeLessThanOrEqual(first.heldBytes * 1.05);
  expect(figures.map(({ zombies }) => zombies)).toEqual(marks.map(() => 0));
}

describe('a run that goes on and on', () => {
  it.each([
    ['process', FULL ? [1000, 10_000] : [120, 180]],
    ['instant', FULL ? [1000, 10_000] : [500, 800]],
  ] as const)(
    'holds no more descriptors, memory and dead children later than early (agent: %s, %j)',
    async (kind, marks) => {
      expectFlat(await soak(kind, marks), marks);
    },
    1_800_000,
  );
});
