import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Expectations } from './expected/expectation.js';
import { EXPECTED } from './expected/index.js';
import { PAWL_ONLY_NAMES, PAWL_ONLY_SETS, type PawlOnlyName } from './pawl-only-sets.js';
import { publish } from './publish.js';
import { render } from './render.js';
import { renderPawlOnly } from './render-pawl-only.js';
import { type ResultsName, readResults } from './results-file.js';
import { FAMILIES } from './scenarios/index.js';
import type { Family } from './scenarios/steps.js';

/** Scenarios that are played, recorded and published together. */
export interface ScenarioSet {
  readonly families: Readonly<Record<string, Family>>;
  readonly expected: Expectations;
  readonly results: ResultsName;
  /** The others are compared in the first set. */
  readonly isForPawlOnly: boolean;
  writePage(): void;
}

const FIRST: ScenarioSet = {
  families: FAMILIES,
  expected: EXPECTED,
  results: 'latest',
  isForPawlOnly: false,
  writePage() {
    writeFileSync(resolve('bench/stopping/results/latest.md'), render(readResults()));
    publish(readResults());
  },
};

const pawlOnly = (name: PawlOnlyName): ScenarioSet => ({
  ...PAWL_ONLY_SETS[name],
  results: name,
  isForPawlOnly: true,
  writePage() {
    writeFileSync(resolve(`bench/stopping/results/${name}.md`), renderPawlOnly(name, readResults(name)));
  },
});

export const SETS: Readonly<Record<string, ScenarioSet>> = {
  first: FIRST,
  ...Object.fromEntries(PAWL_ONLY_NAMES.map((name) => [name, pawlOnly(name)])),
};
