import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { report } from '../measure.js';
import { ownRunners, peers, UNRUNNABLE } from './all-runners.js';
import { bounds } from './bounds.js';
import { type Effort, FULL, QUICK } from './effort.js';
import { ensurePeers, peersFolder } from './install.js';
import { isIsolated, runIsolated } from './isolation.js';
import { measureIteration } from './measures/iteration.js';
import { measureKill } from './measures/kill.js';
import { measureMaxIterations } from './measures/max-iterations.js';
import { measureMemory } from './measures/memory.js';
import { measureStart } from './measures/start.js';
import { measureSurvival } from './measures/survival.js';
import { measureTracking } from './measures/tracking.js';
import { writeRendered } from './render.js';
import { machine, measuredRunner, nameIn, type Results } from './results.js';
import type { Cannot, Runner } from './runner.js';
import { copyPawl } from './runners/pawl.js';
import { quickest, whyNot, withRun } from './scratch-run.js';
import { asText, type Table } from './table.js';

type Measure = (runners: readonly Runner[], effort: Effort) => Promise<Table>;

/** Where the row with tracking off adds nothing, it is left out. */
const MEASURES: Readonly<Record<string, { readonly measure: Measure; readonly hasUntracked: boolean }>> = {
  iteration: { measure: measureIteration, hasUntracked: true },
  start: { measure: measureStart, hasUntracked: true },
  memory: { measure: measureMemory, hasUntracked: true },
  survival: { measure: measureSurvival, hasUntracked: false },
  kill: { measure: measureKill, hasUntracked: false },
  'max-iterations': { measure: measureMaxIterations, hasUntracked: false },
  tracking: { measure: measureTracking, hasUntracked: true },
};

const LATEST = resolve('bench/peers/results/latest.json');

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runners: { type: 'string' },
    measures: { type: 'string' },
    out: { type: 'string' },
    render: { type: 'boolean', default: false },
  },
});

/** A run that leaves something out is not the latest result, unless it is told where to go. */
const isWhole = !options.quick && options.runners === undefined && options.measures === undefined;
const outFile = options.out === undefined ? (isWhole ? LATEST : undefined) : resolve(options.out);

/** Without a peer among the chosen, nothing is installed. */
const needsPeers = !/^(?:bash|bare-node|pawl|pawl-untracked|,)+$/.test(options.runners ?? 'all');

function chosen<T extends string>(words: string | undefined, known: readonly T[]): readonly T[] {
  if (words === undefined) return known;
  const wanted = words.split(',');
  const unknown = wanted.filter((word) => !known.some((name) => name === word));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return known.filter((name) => wanted.includes(name));
}

/** One iteration of the scripted agent, to see that the runner can be driven at all. */
async function probe(runner: Runner): Promise<Cannot | undefined> {
  const found = await withRun(runner, quickest(runner, 1), { kind: 'work' }, async (run) => {
    await run.launched.within(60_000);
    return run.scratch.ends().length > 0 ? {} : whyNot(run);
  });
  if (!('cannot' in found)) return undefined;
  return runner.knownCause === undefined ? found : { cannot: `${runner.knownCause} (${found.cannot})` };
}

async function runAll(folder: string, hasNetwork: boolean): Promise<Results> {
  const own = ownRunners(copyPawl(folder));
  const all = [...own, ...(needsPeers ? peers(peersFolder()) : [])];
  const ids = chosen(
    options.runners,
    all.map(({ id }) => id),
  );
  const runners: Runner[] = [];
  const measured = [];
  for (const runner of all.filter(({ id }) => ids.includes(id))) {
    const found = await probe(runner);
    measured.push(measuredRunner(runner, found));
    if (found === undefined) runners.push(runner);
    else console.log(`${runner.name} ${runner.version}: cannot: ${found.cannot}`);
  }
  const tables: Table[] = [];
  for (const id of chosen(options.measures, Object.keys(MEASURES))) {
    const { measure, hasUntracked } = MEASURES[id] ?? { measure: measureKill, hasUntracked: false };
    const taking = runners.filter((runner) => hasUntracked || runner.id !== 'pawl-untracked');
    const table = await measure(taking, options.quick ? QUICK : FULL);
    console.log(`\n${asText(table, nameIn({ runners: measured }))}`);
    tables.push(table);
  }
  const date = new Date().toISOString().slice(0, 10);
  return {
    date,
    machine: machine(),
    isQuick: options.quick,
    hasNetwork,
    runners: measured,
    unrunnable: UNRUNNABLE,
    tables,
  };
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-command-'));
  try {
    const results = await runAll(folder, !isIsolated());
    for (const { name, version, why } of UNRUNNABLE) console.log(`${name} ${version}: cannot: ${why}`);
    report('What Pawl promises', bounds(results));
    if (outFile === undefined) return;
    mkdirSync(dirname(outFile), { recursive: true });
    writeFileSync(outFile, `${JSON.stringify(results, undefined, 2)}\n`);
    writeRendered(results, outFile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(): Promise<void> {
  if (options.render) {
    const file = outFile ?? LATEST;
    writeRendered(JSON.parse(readFileSync(file, 'utf8')) as Results, file);
    return;
  }
  if (isIsolated()) return main();
  if (needsPeers) ensurePeers(peersFolder());
  const code = runIsolated();
  if (code !== undefined) {
    process.exitCode = code;
    return;
  }
  console.log('No network namespace is to be had here: the runners are only told not to use the network.');
  await main();
}

try {
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
