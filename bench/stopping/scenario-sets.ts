import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ADVERSARY_EXPECTED } from './expected/adversary/index.js';
import type { Expectations } from './expected/expectation.js';
import { EXPECTED } from './expected/index.js';
import { FURTHER_EXPECTED } from './expected/further/index.js';
import { LATER_EXPECTED } from './expected/later/index.js';
import { NIGHTS_EXPECTED } from './expected/nights/index.js';
import { RECORDED_EXPECTED } from './expected/recorded/index.js';
import { UNSEEN_EXPECTED } from './expected/unseen/index.js';
import { publish } from './publish.js';
import { render } from './render.js';
import {
  renderAdversary,
  renderFurther,
  renderLater,
  renderNights,
  renderRecorded,
  renderUnseen,
} from './render-pawl-only.js';
import { type ResultsName, readResults } from './results-file.js';
import { ADVERSARY_FAMILIES } from './scenarios/adversary/index.js';
import { FURTHER_FAMILIES } from './scenarios/further/index.js';
import { FAMILIES } from './scenarios/index.js';
import { LATER_FAMILIES } from './scenarios/later/index.js';
import { NIGHTS_FAMILIES } from './scenarios/nights/index.js';
import { RECORDED_FAMILIES } from './scenarios/recorded/index.js';
import type { Family } from './scenarios/steps.js';
import { UNSEEN_FAMILIES } from './scenarios/unseen/index.js';

/** Scenarios that are played, recorded and published together. */
export interface ScenarioSet {
  readonly families: Readonly<Record<string, Family>>;
  readonly expected: Expectations;
  readonly results: ResultsName;
  /** The others are compared in the first set. */
  readonly isForPawlOnly: boolean;
  writePage(): void;
}

export const SETS: Readonly<Record<string, ScenarioSet>> = {
  first: {
    families: FAMILIES,
    expected: EXPECTED,
    results: 'latest',
    isForPawlOnly: false,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/latest.md'), render(readResults()));
      publish(readResults());
    },
  },
  later: {
    families: LATER_FAMILIES,
    expected: LATER_EXPECTED,
    results: 'later',
    isForPawlOnly: true,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/later.md'), renderLater(readResults('later')));
    },
  },
  unseen: {
    families: UNSEEN_FAMILIES,
    expected: UNSEEN_EXPECTED,
    results: 'unseen',
    isForPawlOnly: true,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/unseen.md'), renderUnseen(readResults('unseen')));
    },
  },
  further: {
    families: FURTHER_FAMILIES,
    expected: FURTHER_EXPECTED,
    results: 'further',
    isForPawlOnly: true,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/further.md'), renderFurther(readResults('further')));
    },
  },
  adversary: {
    families: ADVERSARY_FAMILIES,
    expected: ADVERSARY_EXPECTED,
    results: 'adversary',
    isForPawlOnly: true,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/adversary.md'), renderAdversary(readResults('adversary')));
    },
  },
  nights: {
    families: NIGHTS_FAMILIES,
    expected: NIGHTS_EXPECTED,
    results: 'nights',
    isForPawlOnly: true,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/nights.md'), renderNights(readResults('nights')));
    },
  },
  recorded: {
    families: RECORDED_FAMILIES,
    expected: RECORDED_EXPECTED,
    results: 'recorded',
    isForPawlOnly: true,
    writePage() {
      writeFileSync(resolve('bench/stopping/results/recorded.md'), renderRecorded(readResults('recorded')));
    },
  },
};
