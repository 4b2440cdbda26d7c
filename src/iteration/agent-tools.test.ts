import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../model/agent-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { parseTestOutput } from '../observation/parse-test-output.js';
import { AgentTests, GreenWatch, type GreenWatchOptions } from './agent-tools.js';

const FIXTURES = fileURLToPath(new URL('../../test/fixtures/test-output/', import.meta.url));
const GREEN = 'Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n';
const RED = 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\n';

type Answer = Partial<Extract<AgentEvent, { readonly kind: 'tool-result' }>>;

/** A watch whose clock and snapshots the test controls: each snapshot waits until it is given a tree. */
function watched(
  options: Partial<GreenWatchOptions> = {},
  tests: RunSpec['tests'] | 'none' = { command: ['x'] } as never,
) {
  const clock = { nowMs: 0 };
  const waiting: ((tree: string | undefined) => void)[] = [];
  const seen: { readonly tree: string; readonly passed: number }[] = [];
  const watch = new GreenWatch({
    leastTests: 1,
    snapshot: () => new Promise((resolve) => waiting.push(resolve)),
    record: (one) => seen.push(one),
    hurry: new AbortController().signal,
    now: () => clock.nowMs,
    ...options,
  });
  const reader = new AgentTests({ tests: tests === 'none' ? undefined : tests, parseTests: true }, watch);
  const answer = (output: string, more: Answer = {}) =>
    reader.see({ kind: 'tool-result', failed: false, output, ...more });
  /** Completes the snapshot under way. */
  const complete = async (tree: string | undefined) => {
    waiting.shift()?.(tree);
    await watch.end();
  };
  return { clock, waiting, seen, watch, reader, answer, complete };
}

describe('what the tools of an agent print', () => {
  it.each([
    ['green', GREEN, {}, 1],
    ['red', RED, {}, 0],
    ['green, from a command that failed', GREEN, { failed: true }, 0],
    ['green, from a call that was denied', GREEN, { denied: true }, 0],
    ['a green run and a red one', `${GREEN}\n3 passed, 1 failed in 0.1s\n${RED}`, {}, 0],
    ['a test run in which nothing ran', 'Test Suites: 0 total\nTests:       0 total\n', {}, 0],
    ['only skipped tests', 'Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n', {}, 0],
    ['prose about tests that pass', 'all 3 tests passed, ok\n', {}, 0],
    ['nothing', '', {}, 0],
  ] as const)('%s starts so many snapshots', (_, output, more, snapshots) => {
    const { answer, waiting } = watched();
    answer(output, more);
    expect(waiting).toHaveLength(snapshots);
  });

  it('fewer tests than at the start are a part of them, as many are all', () => {
    const part = watched({ leastTests: 4 });
    part.answer(GREEN);
    expect(part.waiting).toHaveLength(0);
    const all = watched({ leastTests: 3 });
    all.answer(GREEN);
    expect(all.waiting).toHaveLength(1);
  });

  it('every framework that is read when it is green has words by which it is found', () => {
    const outputs = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => ({ name: join(entry.parentPath, entry.name) }))
      .map(({ name }) => ({ name, output: readFileSync(name, 'utf8') }));
    const green = outputs.filter(({ output }) => {
      const parsed = parseTestOutput(output);
      return parsed !== undefined && parsed.failed === 0 && parsed.passed > 0;
    });
    expect(green.length).toBeGreaterThan(20);
    const missed = green.filter(({ output }) => !watched().watch.mayRead(output));
    expect(missed.map(({ name }) => name)).toEqual([]);
  });

  it('is still read for the tests of the iteration where Pawl runs none, also between snapshots', () => {
    const { answer, reader } = watched({}, 'none');
    answer(GREEN);
    answer(RED);
    expect(reader.last).toMatchObject({ source: 'agent', failed: 1 });
  });
});

describe('a green snapshot', () => {
  it('is recorded with the number of tests', async () => {
    const { answer, complete, seen } = watched();
    answer(GREEN);
    await complete('a');
    expect(seen).toEqual([{ tree: 'a', passed: 3 }]);
  });

  it.each([
    ['there is no snapshot', undefined, {}],
    ['the tree was green when the iteration started', 'a', { knownTree: 'a' }],
  ])('is not recorded when %s', async (_, tree, options) => {
    const { answer, complete, seen } = watched(options);
    answer(GREEN);
    await complete(tree);
    expect(seen).toEqual([]);
  });

  it('that the agent may have overtaken with its next tool is not recorded', async () => {
    const { answer, complete, seen, watch } = watched();
    answer(GREEN);
    watch.toolCalled();
    await complete('half an edit');
    expect(seen).toEqual([]);
  });

  it('is taken every two seconds at most, later ones less often, and the same tree is recorded once', async () => {
    const { clock, seen, watch, answer, waiting } = watched();
    let tree = 0;
    for (; clock.nowMs < 3_600_000; clock.nowMs += 100) {
      answer(GREEN);
      if (waiting.length === 0) continue;
      waiting.shift()?.(`tree ${(tree += 1)}`);
      // oxlint-disable-next-line no-await-in-loop -- one snapshot after the other
      await new Promise(setImmediate);
    }
    expect(seen.length).toBeGreaterThan(100);
    expect(seen.length).toBeLessThan(250);
    expect(seen.at(-1)).toEqual({ tree: `tree ${tree}`, passed: 3 });
    await watch.end();
    const same = watched();
    for (const nowMs of [0, 10_000, 20_000]) {
      same.clock.nowMs = nowMs;
      same.answer(GREEN);
      same.waiting.shift()?.('a');
      // oxlint-disable-next-line no-await-in-loop -- one snapshot after the other
      await new Promise(setImmediate);
    }
    expect(same.seen).toHaveLength(1);
  });

  it('that takes long makes the next one wait', async () => {
    const { clock, answer, waiting, seen } = watched();
    answer(GREEN);
    clock.nowMs = 3000;
    waiting.shift()?.('a');
    await new Promise(setImmediate);
    clock.nowMs = 29_000;
    answer(GREEN);
    expect(waiting).toHaveLength(0);
    clock.nowMs = 30_000;
    answer(GREEN);
    expect(waiting).toHaveLength(1);
    expect(seen).toHaveLength(1);
  });

  it('that is under way is waited for at the end, and none is taken afterwards', async () => {
    const { answer, watch, waiting, seen, clock } = watched();
    answer(GREEN);
    const ended = watch.end();
    waiting.shift()?.('a');
    await ended;
    expect(seen).toHaveLength(1);
    clock.nowMs = 1e9;
    answer(GREEN);
    expect(waiting).toHaveLength(0);
  });
});

it('of a flood that looks like test results a megabyte is read in two seconds, and 10,000 results start one snapshot', () => {
  const { answer, waiting, watch, clock } = watched();
  const noise = 'INFO 12 checks passed, state ok\n'.repeat(8000);
  const charactersRead = () => {
    let sum = 0;
    for (let count = 0; count < 80; count += 1) sum += watch.mayRead(noise) ? noise.length : 0;
    return sum;
  };
  expect(charactersRead()).toBeLessThanOrEqual(1024 * 1024);
  expect(charactersRead()).toBe(0);
  clock.nowMs = 2000;
  expect(charactersRead()).toBeGreaterThan(0);
  clock.nowMs = 4000;
  for (let count = 0; count < 10_000; count += 1) answer(GREEN);
  expect(waiting).toHaveLength(1);
});

it('an output that is longer than any summary is not read', () => {
  const { watch } = watched();
  expect(watch.mayRead(`${'ok\n'.repeat(300_000)}${GREEN}`)).toBe(false);
});
