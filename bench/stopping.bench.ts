import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { benchOptions, refuse } from './bench-options.js';
import { ensurePeers, peersFolder } from './peers/install.js';
import { isIsolated, runIsolated } from './peers/isolation.js';
import { judge, type Outcome } from './stopping/judge.js';
import { play } from './stopping/play.js';
import { mergeResults, REVIEWED, readResults, withBefore, writeResults } from './stopping/results-file.js';
import { bashLoop, carefulLoop } from './stopping/runners/bash-loops.js';
import { buildPawl, pawlRunner, reviewedPawl } from './stopping/runners/pawl.js';
import { ralphStarter, ralphTui, ralphy, taskMaster } from './stopping/runners/published.js';
import { SETS } from './stopping/scenario-sets.js';
import type { Scenario } from './stopping/scenarios/scenario.js';
import type { StopRunner } from './stopping/stop-runner.js';

// npm run bench -- stopping --runner pawl --scenario spike --jobs 2. `--peers FOLDER` has the published runners installed
// already, and `--render` only makes the page of what is recorded. `--set later` plays the second set, under Pawl.
const values = benchOptions({
  set: { type: 'string', default: 'first' },
  runner: { type: 'string', multiple: true },
  scenario: { type: 'string', multiple: true },
  peers: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  render: { type: 'boolean', default: false },
});
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) refuse(`--jobs ${values.jobs}: a whole number from 1 on`);

const set = SETS[values.set] ?? refuse(`--set ${values.set}: there are ${Object.keys(SETS).join(', ')}`);

const isWanted = (name: string, words: readonly string[] = []) =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));

const all = Object.values(set.families).flat();
const scenarios = all.filter(({ name }) => isWanted(name, values.scenario));
if (scenarios.length === 0) refuse(`no scenario is named like ${values.scenario?.join(' or ')}`);

const PUBLISHED = {
  'ralph-tui': ralphTui,
  'ralph-starter': ralphStarter,
  'ralphy-cli': ralphy,
  'task-master loop': taskMaster,
} as const;

const publishedNames = Object.keys(PUBLISHED).filter((name) => !set.isForPawlOnly && isWanted(name, values.runner));
const ownNames = ['Pawl', ...(set.isForPawlOnly ? [] : [bashLoop.name, carefulLoop.name, REVIEWED])].filter((name) =>
  isWanted(name, values.runner),
);
if (ownNames.length + publishedNames.length === 0) refuse(`no runner is named like ${values.runner?.join(' or ')}`);
const peers = values.peers ?? peersFolder();

function published(): readonly StopRunner[] {
  return Object.entries(PUBLISHED)
    .filter(([name]) => publishedNames.includes(name))
    .map(([, create]) => create(peers));
}

/** Runners of others are installed when they are wanted, and get no network. True when that was done by another process. */
function isDoneInIsolation(): boolean {
  if (publishedNames.length === 0 || isIsolated()) return false;
  if (values.peers === undefined) ensurePeers(peers);
  const exitCode = runIsolated();
  if (exitCode === undefined)
    console.log('  (no network namespace here: the runners of others could reach the network)');
  else process.exitCode = exitCode;
  return exitCode !== undefined;
}

async function perform(scenario: Scenario, runner: StopRunner): Promise<Outcome> {
  const expected = set.expected[scenario.name];
  if (expected === undefined) throw new Error(`nobody said what is expected of ${scenario.name}`);
  const outcome = judge(scenario, expected, runner, await play(scenario, runner));
  const wanted = `wanted ${expected.calls.join('-')}${expected.isWithin === true ? ' within' : ''} ${expected.ends}`;
  const surprise = outcome.isPredicted ? '' : '  (not as predicted)';
  const got = `${outcome.place}, ${outcome.calls} ${outcome.ending}, over $${outcome.overshootUsd}, ${outcome.killMs ?? '-'} ms`;
  console.log(
    `  ${outcome.isRight ? '✓' : '✗'} ${runner.name.padEnd(18)} ${scenario.name.padEnd(28)} ${got}; ${wanted}${surprise}`,
  );
  return outcome;
}

async function performAll(runners: readonly StopRunner[]): Promise<void> {
  const waiting = scenarios.flatMap((scenario) => runners.map((runner) => ({ scenario, runner })));
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      outcomes.push(await perform(next.scenario, next.runner));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const order = all.map(({ name }) => name);
  const results = mergeResults(readResults(set.results), runners, outcomes, order);
  writeResults(set.isForPawlOnly ? withBefore(results, order) : results, set.results);
  for (const { name } of runners) {
    const own = outcomes.filter(({ runner }) => runner === name);
    console.log(`${name}: ${own.filter(({ isRight }) => isRight).length} of ${own.length} right`);
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-stopping-bin-'));
  try {
    const { version } = JSON.parse(readFileSync(resolve('package.json'), 'utf8')) as { readonly version: string };
    const bin = buildPawl(folder);
    const own = [pawlRunner(bin, version), bashLoop, carefulLoop, reviewedPawl(bin, version, set.expected)];
    await performAll([...own.filter(({ name }) => ownNames.includes(name)), ...published()]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.render) set.writePage();
else if (!isDoneInIsolation()) {
  await main();
  set.writePage();
}
