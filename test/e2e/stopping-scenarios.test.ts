import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPECTED } from '../../bench/stopping/expected/index.js';
import { judge } from '../../bench/stopping/judge.js';
import { play } from '../../bench/stopping/play.js';
import { readResults } from '../../bench/stopping/results-file.js';
import { buildPawl, pawlRunner } from '../../bench/stopping/runners/pawl.js';
import { FAMILIES } from '../../bench/stopping/scenarios/index.js';

/** Those that Pawl gets right without a wait, a timeout or a race against the agent; the bench runs all of them. */
const QUICK = new Set([
  'done-at-once',
  'early-done',
  'marker-in-tool-output',
  'marker-by-a-subagent',
  'marker-then-a-summary',
  'green-by-chance-once',
  'done-file',
  'steady-spend',
  'unknown-price',
  'goal-with-the-last-cent',
  'oscillates-watched',
  'diary-over-red-tests',
  'same-error-every-time',
  'tests-edited-guarded',
  'tests-skipped-then-done',
  'usage-limit-for-three-days',
  'writes-about-limits',
  'login-lost',
  'credit-used-up',
  'denied-always-watched',
  'child-holds-the-pipe',
  'three-iterations',
]);

const folder = mkdtempSync(join(tmpdir(), 'pawl-stopping-scenarios-'));
let bin = '';
beforeAll(() => {
  bin = buildPawl(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const recorded = new Map(
  readResults()
    .outcomes.filter(({ runner }) => runner === 'Pawl')
    .map((outcome) => [outcome.scenario, outcome]),
);

describe.concurrent('a run stops where a person would stop it', () => {
  const scenarios = Object.values(FAMILIES)
    .flat()
    .filter(({ name }) => QUICK.has(name))
    // All of them in CI.
    .filter((_, index) => process.env['PAWL_TEST_ALL'] === '1' || index % 2 === 0);

  it.for(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    { timeout: 120_000 },
    async ([name, scenario]) => {
      const expected = EXPECTED[name];
      if (expected === undefined) throw new Error(`nobody said what is expected of ${name}`);
      const runner = pawlRunner(bin, undefined);
      const { calls, ending, isRight, overshootUsd } = judge(scenario, expected, runner, await play(scenario, runner));
      expect({ calls, ending, overshootUsd }).toEqual({
        calls: recorded.get(name)?.calls,
        ending: recorded.get(name)?.ending,
        overshootUsd: recorded.get(name)?.overshootUsd,
      });
      expect(isRight).toBe(true);
    },
  );
});

it('every scenario has a recorded outcome, and every quick one is a scenario', () => {
  expect(Object.keys(EXPECTED).filter((name) => !recorded.has(name))).toEqual([]);
  expect([...QUICK].filter((name) => EXPECTED[name] === undefined)).toEqual([]);
});

it('what a person wants is what was written before the first run', () => {
  expect(createHash('sha256').update(JSON.stringify(EXPECTED)).digest('hex').slice(0, 16)).toBe('88250b13800291ff');
});
