import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../src/journal/read-journal.js';
import { encodeRecord } from '../src/journal/record-scanner.js';
import { parseCondition } from '../src/model/parse-condition.js';
import type { Policy } from '../src/model/policy.js';
import { reduce } from '../src/model/reduce.js';
import type { NewEvent, RunEvent } from '../src/model/run-event.js';
import { INITIAL_STATE } from '../src/model/run-state.js';
import { createBacktestRun, summariseBacktest } from '../src/replay/backtest.js';
import { createReplay } from '../src/replay/replay.js';
import { parseSweep, sweepCandidates } from '../src/replay/sweep.js';
import { evaluateRun } from '../src/stop/evaluate-policy.js';
import { begin, end, started, tests, trees, used } from '../test/support/record.js';
import { milliseconds, report, times } from './measure.js';

const EVENTS = 100_000;
const ROUNDS = 5;
const CORPUS = join(process.cwd(), 'test', 'corpus', 'runs');
const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'));

const of = (...inputs: readonly unknown[]) => inputs.map((input) => parseCondition(input));
/** Nothing of it is ever met, so that every event of the record is judged. */
const policy: Policy = {
  success: of({ specific_tests_pass: ['never'] }, { output_pattern: 'ALL IS WELL' }),
  failure: of({ no_progress: 5 }, { test_failure_streak: 500_000 }, { repeated_error: 9 }, { on_error: 'panic' }),
  limits: of({ max_iterations: 1e6 }, { max_cost: 1e6 }, { max_duration: '9000h' }, { max_tokens: 1e12 }),
};

/** A long night: twenty live events per iteration, and the verdict that the run came to after each. */
function writeNight(path: string): void {
  const lines: Buffer[] = [];
  let state = INITIAL_STATE;
  const add = (event: NewEvent) => {
    const envelope = { seq: lines.length + 1, at: new Date(1.77e12 + lines.length * 50).toISOString() };
    const { line } = encodeRecord(event, { ...envelope, activeMs: lines.length * 50 });
    lines.push(line);
    state = reduce(state, JSON.parse(line.toString()) as RunEvent);
  };
  add(started(policy));
  for (let iteration = 1; lines.length < EVENTS; iteration++) {
    add(begin(iteration));
    for (let index = 0; index < 18; index++) {
      if (index % 3 > 0)
        add({ type: 'agent-said', text: `Now I look at module ${index} of the parser and its tests.` });
      else add(used({ inputTokens: 9000, outputTokens: 300, costUsd: 0.03 }, { id: `r${iteration}-${index}` }));
    }
    const observation = { ...trees(`t${iteration}`, `t${iteration + 1}`), tests: tests(40, iteration % 5) };
    add(end(iteration, { observation }));
    add({ type: 'verdict-reached', iteration, verdict: evaluateRun(state) });
  }
  writeFileSync(path, Buffer.concat(lines.slice(0, EVENTS)));
}

/** Whatever else the machine does only adds to it. */
async function fastest(work: () => unknown): Promise<number> {
  await work();
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await milliseconds(work));
  return Math.min(...all);
}

const parseAll = (paths: readonly string[]) => () => {
  for (const path of paths)
    for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
};

async function replayFile(path: string, other?: Policy): Promise<void> {
  const reading = createReplay(other);
  for await (const event of readJournal(path)) reading.see(event);
  const { stop, verdicts } = reading.end();
  const isWhole =
    stop === undefined && (other !== undefined || (verdicts.length > 1000 && verdicts.every((one) => one.isSame)));
  if (!isWhole) throw new Error('the bench does not measure what it says');
}

async function sweepCorpus(paths: readonly string[]): Promise<void> {
  const candidates = sweepCandidates([parseSweep('no_progress: 2..10')]);
  const found = [];
  for (const path of paths) {
    const reading = createBacktestRun(path, candidates);
    for await (const event of readJournal(path)) reading.see(event);
    found.push(reading.end());
  }
  const { rows } = summariseBacktest(candidates, found);
  if (rows.length !== 9 || (rows[0]?.stoppedEarlier ?? 0) < 10)
    throw new Error('the bench does not measure what it says');
}

try {
  const night = join(folder, 'journal.jsonl');
  writeNight(night);
  const corpus = readdirSync(CORPUS).map((name) => join(CORPUS, name, 'journal.jsonl'));
  const floor = await fastest(parseAll([night]));
  const own = await fastest(() => replayFile(night));
  const other = await fastest(() => replayFile(night, { ...policy, success: [] }));
  const corpusFloor = await fastest(parseAll(corpus));
  const sweep = await fastest(() => sweepCorpus(corpus));
  report('Looking back', [
    { what: 'JSON.parse of 100,000 events: the floor of this machine', figure: `${floor.toFixed(0)} ms` },
    {
      what: '100,000 events, read, checked and replayed under their own policy',
      figure: `${own.toFixed(0)} ms`,
      bound: '< 1 s',
      holds: own < 1000,
    },
    { what: 'against the floor', figure: times(own / floor), bound: '<= 8 x', holds: own <= floor * 8 },
    {
      what: 'under another policy',
      figure: `${other.toFixed(0)} ms`,
      bound: '< 1 s',
      holds: other < 1000,
    },
    { what: `JSON.parse of the corpus (${corpus.length} runs)`, figure: `${corpusFloor.toFixed(0)} ms` },
    {
      what: 'the sweep no_progress: 2..10 over it, read and checked',
      figure: `${sweep.toFixed(0)} ms`,
      bound: '< 2 s',
      holds: sweep < 2000,
    },
    { what: 'against its floor', figure: times(sweep / corpusFloor) },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
