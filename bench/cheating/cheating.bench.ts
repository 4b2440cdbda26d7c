import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchOptions, refuse } from '../bench-options.js';
import { buildPawl } from '../stopping/runners/pawl.js';
import { check } from './check.js';
import { CONFIGS, type ConfigName } from './config.js';
import { judge, type Outcome } from './judge.js';
import { play } from './play.js';
import { publish, summary } from './render.js';
import { mergeResults, type NotPlayed, readResults, writeResults } from './results-file.js';
import { SCENARIOS } from './scenarios/index.js';
import { isHonest, type Scenario } from './scenarios/scenario.js';
import { type Toolchain, toolchainOf } from './toolchains.js';

// npm run bench -- cheating --only pytest --config init --jobs 2. `--check` plays the scripts without Pawl, `--render` only
// writes the page of what is recorded, and `--keep FOLDER` keeps every tree and what Pawl printed.
const values = benchOptions({
  only: { type: 'string', multiple: true },
  config: { type: 'string', multiple: true },
  jobs: { type: 'string', default: '1' },
  keep: { type: 'string' },
  check: { type: 'boolean', default: false },
  render: { type: 'boolean', default: false },
});
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) refuse(`--jobs ${values.jobs}: a whole number from 1 on`);

const { only = [], config: wanted = CONFIGS } = values;
const unknown = wanted.find((name) => !CONFIGS.some((one) => one === name));
if (unknown !== undefined) refuse(`--config ${unknown}: there are ${CONFIGS.join(', ')}`);
const configs = CONFIGS.filter((name) => wanted.includes(name));

const scenarios = SCENARIOS.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)));
if (scenarios.length === 0) refuse(`no scenario is named like ${only.join(' or ')}`);

const PLAYS_OF_A_RACE = 5;

/** What compilers keep between scenarios, and the command that is played. */
const shared = mkdtempSync(join(tmpdir(), 'pawl-cheating-shared-'));

async function inParallel<T>(items: readonly T[], perform: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await perform(next);
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

async function checkAll(): Promise<void> {
  let wrong = 0;
  await inParallel(scenarios, async (scenario) => {
    const toolchain = toolchainOf(scenario.runner);
    if ('missing' in toolchain) return console.log(`  - ${scenario.name}: ${toolchain.missing}`);
    const problems = await check(scenario, toolchain, shared);
    if (problems.length > 0) wrong += 1;
    console.log(`  ${problems.length === 0 ? '✓' : '✗'} ${[scenario.name, ...problems].join('\n    ')}`);
  });
  console.log(`${wrong} of ${scenarios.length} scripts do not do what they should`);
  if (wrong > 0) process.exitCode = 1;
}

/** Why a scenario is not played under a config. */
function whyNot(scenario: Scenario, config: ConfigName): string | undefined {
  const toolchain = toolchainOf(scenario.runner);
  if ('missing' in toolchain) return toolchain.missing;
  return config === 'protected' && isHonest(scenario) && scenario.changesTests
    ? 'it changes what the user has protected'
    : undefined;
}

/** Of several plays of a race, the first that went wrong. */
async function outcomeOf(scenario: Scenario, config: ConfigName, toolchain: Toolchain, pawl: string): Promise<Outcome> {
  const times = 'isRace' in scenario && scenario.isRace === true ? PLAYS_OF_A_RACE : 1;
  for (let left = times; ; left -= 1) {
    const played = await play(scenario, config, { pawl, toolchain, shared, keep: values.keep });
    const outcome = judge(scenario, config, played);
    if (!outcome.isRight || left === 1) return outcome;
  }
}

async function playAll(): Promise<void> {
  const outcomes: Outcome[] = [];
  const notPlayed: NotPlayed[] = [];
  const pawl = buildPawl(shared);
  const plays = scenarios.flatMap((scenario) => configs.map((config) => ({ scenario, config })));
  await inParallel(plays, async ({ scenario, config }) => {
    const why = whyNot(scenario, config);
    if (why !== undefined) {
      notPlayed.push({ scenario: scenario.name, config, why });
      return console.log(`  - ${config.padEnd(9)} ${scenario.name}: ${why}`);
    }
    const toolchain = toolchainOf(scenario.runner) as Toolchain;
    const startedAt = performance.now();
    const outcome = await outcomeOf(scenario, config, toolchain, pawl);
    outcomes.push(outcome);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { isRight, ending, calls, says } = outcome;
    console.log(
      `  ${isRight ? '✓' : '✗'} ${config.padEnd(9)} ${scenario.name.padEnd(36)} ${ending} after ${calls}, ${seconds} s: ${says}`,
    );
  });
  const order = SCENARIOS.map(({ name }) => name);
  const results = mergeResults(readResults(), { outcomes, notPlayed }, order);
  writeResults(results);
  console.log(summary(results));
}

try {
  if (values.check) await checkAll();
  else {
    if (!values.render) await playAll();
    publish();
  }
} finally {
  rmSync(shared, { recursive: true, force: true });
}
