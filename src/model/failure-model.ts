import * as z from 'zod/mini';
import { count, percent, plural, usd } from './figures.js';
import { formatDuration } from './duration.js';
import { readValue } from './read-value.js';
import type { Facts } from './judging/facts.js';

/** What runs that reached their goal used at the median. What was not recorded is absent. */
export interface Medians {
  readonly calls: number;
  readonly costUsd?: number | undefined;
  readonly minutes?: number | undefined;
  readonly outputTokens?: number | undefined;
}

export interface FeatureWeight {
  readonly weight: number;
  /** Of the runs that it was trained on. */
  readonly mean: number;
  readonly deviation: number;
}

/** A logistic model that says how likely a run is to end without its goal. `pawl tune` trains it; its file is plain JSON. */
export interface FailureModel {
  readonly version: 1;
  readonly bias: number;
  readonly features: Readonly<Record<string, FeatureWeight>>;
  readonly medians: Medians;
  readonly trained: { readonly runs: number; readonly goals: number };
}

interface Feature {
  /** Undefined when it is not recorded. */
  readonly value: (facts: Facts, medians: Medians) => number | undefined;
  /** To be read after "because of": "9 of 46 tool calls repeated". */
  readonly words: (facts: Facts, medians: Medians) => string;
  /** What is missing when it is unknown. */
  readonly missing: string;
}

const TOOLS = 'which tools the agent called';

/** Large figures differ less than small ones: 40 calls from 20 as 20 from 10. */
const size = (value: number) => Math.log1p(value);

function ofTools(value: (use: NonNullable<Facts['toolUse']>) => number): Feature['value'] {
  return ({ toolUse }) => (toolUse === undefined ? undefined : value(toolUse));
}

const part = (some: number, all: number) => (all === 0 ? 0 : some / all);

/** How far a figure is beyond the median. To be below it says nothing: every run begins there. */
function against(value: number | undefined, median: number | undefined): number | undefined {
  if (value === undefined || median === undefined || median <= 0) return undefined;
  return Math.max(0, Math.log(value / median));
}

const times = (value: number, median: number) => `${Math.round((value / median) * 10) / 10} times`;
const USUAL = 'as much as runs that reached their goal';
const minutesOf = ({ activeMs }: Facts) => (activeMs === undefined ? undefined : activeMs / 60_000);

/** Everything that a model can read. Each is a figure that a person can check in the record. */
export const FEATURES: Readonly<Record<string, Feature>> = {
  calls_against_median: {
    value: ({ toolUse }, { calls }) => against(toolUse?.calls, calls),
    words: ({ toolUse }, { calls }) =>
      `${plural(toolUse?.calls ?? 0, 'tool call')}, ${times(toolUse?.calls ?? 0, calls)} ${USUAL}`,
    missing: TOOLS,
  },
  repeated_calls: {
    value: ofTools(({ repeats, calls }) => part(repeats, calls)),
    words: ({ toolUse }) => `${count(toolUse?.repeats ?? 0)} of ${plural(toolUse?.calls ?? 0, 'tool call')} repeated`,
    missing: TOOLS,
  },
  failed_calls: {
    value: ofTools(({ failures, calls }) => part(failures, calls)),
    words: ({ toolUse }) => `${count(toolUse?.failures ?? 0)} of ${plural(toolUse?.calls ?? 0, 'tool call')} failed`,
    missing: TOOLS,
  },
  errors_in_a_row: {
    value: ofTools(({ failuresInARow }) => size(failuresInARow)),
    words: ({ toolUse }) => `${plural(toolUse?.failuresInARow ?? 0, 'failed tool call')} in a row`,
    missing: TOOLS,
  },
  calls_without_edit: {
    value: ofTools(({ callsSinceEdit }) => size(callsSinceEdit)),
    words: ({ toolUse }) => `${plural(toolUse?.callsSinceEdit ?? 0, 'tool call')} without an edit`,
    missing: TOOLS,
  },
  edits: {
    value: ofTools(({ edits }) => size(edits)),
    words: ({ toolUse }) => plural(toolUse?.edits ?? 0, 'edit'),
    missing: TOOLS,
  },
  failing_tests: {
    value: ofTools(({ failingTests = 0 }) => size(failingTests)),
    words: ({ toolUse }) => `${plural(toolUse?.failingTests ?? 0, 'failing test')} in the last results`,
    missing: TOOLS,
  },
  tests_not_better: {
    value: ofTools(({ resultsSinceFewest }) => size(resultsSinceFewest)),
    words: ({ toolUse }) => `${plural(toolUse?.resultsSinceFewest ?? 0, 'test result')} in a row that are no better`,
    missing: TOOLS,
  },
  context_used: {
    value: ({ contextPercent }) => (contextPercent === undefined ? undefined : Math.min(1, contextPercent / 100)),
    words: ({ contextPercent = 0 }) => `${Math.floor(contextPercent)}% of the context used`,
    missing: 'how full the context is',
  },
  cost_against_median: {
    value: ({ spend }, { costUsd }) => against(spend.costUsd, costUsd),
    words: ({ spend: { costUsd = 0 } }, medians) =>
      `${usd(costUsd)} spent, ${times(costUsd, medians.costUsd ?? costUsd)} ${USUAL}`,
    missing: 'what the run has spent',
  },
  time_against_median: {
    value: (facts, { minutes }) => against(minutesOf(facts), minutes),
    words: (facts, { minutes = 1 }) =>
      `${formatDuration(facts.activeMs ?? 0)} of work, ${times(minutesOf(facts) ?? 0, minutes)} ${USUAL}`,
    missing: 'how long the agent has worked',
  },
  output_against_median: {
    value: ({ spend }, { outputTokens }) => against(spend.outputTokens, outputTokens),
    words: ({ spend: { outputTokens = 0 } }, medians) =>
      `${plural(outputTokens, 'output token')}, ${times(outputTokens, medians.outputTokens ?? 1)} ${USUAL}`,
    missing: 'how many tokens the agent wrote',
  },
};

/** How likely the run is to fail, and what speaks for it most, strongest first. */
export interface Prediction {
  readonly probability: number;
  readonly because: readonly string[];
}

/** What cannot be said is what is missing for it: a model never replaces a figure that was not recorded. */
export function predict(model: FailureModel, facts: Facts): Prediction | { readonly missing: string } {
  let sum = model.bias;
  const shares: { readonly share: number; readonly name: string }[] = [];
  for (const [name, { weight, mean, deviation }] of Object.entries(model.features)) {
    const feature = FEATURES[name];
    const value = feature?.value(facts, model.medians);
    if (value === undefined) return { missing: feature?.missing ?? name };
    const share = (weight * (value - mean)) / deviation;
    sum += share;
    shares.push({ share, name });
  }
  const speaking = shares.filter(({ share }) => share > 0).toSorted((a, b) => b.share - a.share);
  const because = speaking.slice(0, 3).map(({ name }) => FEATURES[name]?.words(facts, model.medians) ?? name);
  return { probability: 1 / (1 + Math.exp(-sum)), because };
}

/** "94% likely to fail (46 tool calls, 2.3 times as much as runs that reached their goal, and 12 of 46 tool calls repeated)" */
export function predictionText({ probability, because }: Prediction): string {
  const last = because.at(-1);
  const reasons = because.length < 2 ? last : `${because.slice(0, -1).join('; ')}; and ${last}`;
  return `${percent(probability)} likely to fail${reasons === undefined ? '' : ` (${reasons})`}`;
}

const figure = z.number('must be a number');

/** @internal */
export const FAILURE_MODEL = z.object(
  {
    version: z.literal(1, 'must be 1: this version of Pawl reads no other'),
    bias: figure,
    features: z.record(
      z.string().check(
        z.refine((name) => Object.hasOwn(FEATURES, name), {
          error: `is not a feature; the features are ${Object.keys(FEATURES).join(', ')}`,
        }),
      ),
      z.object(
        { weight: figure, mean: figure, deviation: figure.check(z.positive('must be above 0')) },
        'must have weight, mean and deviation',
      ),
      'must be a mapping of features to their weights',
    ),
    medians: z.object(
      { calls: figure, costUsd: z.optional(figure), minutes: z.optional(figure), outputTokens: z.optional(figure) },
      'must have calls',
    ),
    trained: z.object({ runs: figure, goals: figure }, 'must have runs and goals'),
  },
  'must be a model that pawl tune has written',
);

export function isFailureModel(value: unknown): value is FailureModel {
  return readValue(FAILURE_MODEL, value).faults.length === 0;
}
