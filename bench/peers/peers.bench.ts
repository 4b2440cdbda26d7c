import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { benchOptions } from '../bench-options.js';
import { report } from '../measure.js';
import { cleanUpWhenTold, onAbort, unlessAborting } from './abort.js';
import { ownRunners, peers, UNRUNNABLE } from './all-runners.js';
import { bounds } from './bounds.js';
import { type Effort, FULL, QUICK } from './effort.js';
import { ensurePeers, peersFolder } from './install.js';
import { isIsolated, runIsolatedPassingSignals } from './isolation.js';
import { measureIteration } from './measures/iteration.js';
import { measureKill } from './measures/kill.js';
import { measureMaxIterations } from './measures/max-iterations.js';
import { measureMemory } from './measures/memory.js';
import { measureStart } from './measures/start.js';
import { measureSurvival } from './measures/survival.js';
import { measureTracking } from './measures/tracking.js';
import { LATEST, publish, writeRendered } from './render.js';
import { readResultFile, ResultFile } from './result-file.js';
import { machine, measuredRunner, type MeasuredRunner, nameIn, type Results } from './results.js';
import { type Cannot, failed, isCannot, type Runner } from './runner.js';
import { copyPawl } from './runners/pawl.js';
import { quickest, whyNot, withRun } from './scratch-run.js';
import { asText, type Table } from './table.js';

type Measure = (runners: readonly Runner[], effort: Effort) => Promise<Table>;

/** Where the row with tracking off adds nothing, it is left out. */
const MEASURES: Readonly<Record<string, { readonly measure: Measure; readonly hasUntracked: boolean }>> = {
  iteration: { measure: measureIteration, hasUntracked: true },
  start: { measure: measureStart, hasUntracked: true },
  survival: { measure: measureSurvival, hasUntracked: false },
  kill: { measure: measureKill, hasUntracked: false },
  'max-iterations': { measure: measureMaxIterations, hasUntracked: false },
  tracking: { measure: measureTracking, hasUntracked: true },
  memory: { measure: measureMemory, hasUntracked: true },
};

const options = benchOptions({
  quick: { type: 'boolean', default: false },
  runners: { type: 'string' },
  measures: { type: 'string' },
  out: { type: 'string' },
  render: { type: 'boolean', default: false },
});

/** A run that leaves something out is not the latest result, unless it is told where to go. */
const isWhole = !options.quick && options.runners === undefined && options.measures === undefined;
const outPath = options.out === undefined ? (isWhole ? resolve(LATEST) : undefined) : resolve(options.out);
const outFile = outPath === undefined ? undefined : new ResultFile(outPath);

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
  const use = async (run: Parameters<typeof whyNot>[0]) => {
    await run.launched.exited;
    return run.scratch.ends().length > 0 ? {} : whyNot(run);
  };
  const found = await withRun(runner, quickest(runner, 1), { kind: 'work' }, use, { limitMs: 60_000 });
  if (!isCannot(found)) return undefined;
  return runner.knownCause === undefined ? found : { cannot: `${runner.knownCause} (${found.cannot})` };
}

interface Probed {
  readonly runners: readonly Runner[];
  readonly measured: readonly MeasuredRunner[];
}

async function probed(folder: string): Promise<Probed> {
  const all = [...ownRunners(copyPawl(folder)), ...(needsPeers ? peers(peersFolder()) : [])];
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
  return { runners, measured };
}

/** A measurement that fails as a whole says so in its place, and the others are taken. */
async function taken(id: string, runners: readonly Runner[]): Promise<Table> {
  const { measure, hasUntracked } = MEASURES[id] ?? { measure: measureKill, hasUntracked: false };
  const taking = runners.filter((runner) => hasUntracked || runner.id !== 'pawl-untracked');
  try {
    return await measure(taking, options.quick ? QUICK : FULL);
  } catch (error) {
    process.exitCode = 1;
    return { id, title: id, about: `Not measured: ${failed(error).cannot}.`, columns: [], rows: [] };
  }
}

async function runAll(folder: string): Promise<Results> {
  const { runners, measured } = await probed(folder);
  let results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    isQuick: options.quick,
    hasNetwork: !isIsolated(),
    runners: measured,
    unrunnable: UNRUNNABLE,
    tables: [],
  };
  for (const id of chosen(options.measures, Object.keys(MEASURES))) {
    const startedMs = Date.now();
    const table = await taken(id, runners);
    await unlessAborting();
    console.log(`\n${asText(table, nameIn(results))}`);
    process.stderr.write(`(${id} took ${((Date.now() - startedMs) / 1000).toFixed(0)} s)\n`);
    results = { ...results, tables: [...results.tables, table] };
    outFile?.keep(results);
  }
  return results;
}

function lastWords(): string {
  const file = outFile?.unfinished;
  return file === undefined ? 'Ended.' : `Ended. What was measured is in ${relative('.', file)}.`;
}

async function main(): Promise<void> {
  cleanUpWhenTold(lastWords);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-command-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const forget = onAbort(remove);
  try {
    const results = await runAll(folder);
    for (const { name, version, why } of UNRUNNABLE) console.log(`${name} ${version}: cannot: ${why}`);
    report('What Pawl promises', bounds(results));
    if (outFile === undefined || outPath === undefined) return;
    outFile.finish(results);
    writeRendered(results, outPath);
    if (isWhole && options.out === undefined) publish(results);
  } finally {
    remove();
    forget();
  }
}

function renderAgain(): void {
  const path = outPath ?? resolve(LATEST);
  if (!existsSync(path)) throw new Error(`there is no ${relative('.', path)}: run \`npm run bench -- peers\` first`);
  const results = readResultFile(path);
  writeRendered(results, path);
  if (path === resolve(LATEST)) publish(results);
}

async function start(): Promise<void> {
  if (options.render) return renderAgain();
  if (isIsolated()) return main();
  if (needsPeers) ensurePeers(peersFolder());
  const code = await runIsolatedPassingSignals();
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
