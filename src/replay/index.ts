export type { Closest } from './approaches.js';
export {
  type Backtest,
  backtest,
  type BacktestRow,
  type NamedCandidate,
  type RecordedRun,
  type RunReplay,
} from './backtest.js';
export type { EarlierStop } from './earlier-stops.js';
export { explain, type ExplainedCondition, type ExplainOptions, type Explanation } from './explain.js';
export type { Candidate, MissingFact, ReplayedStop } from './lane.js';
export type { GuardLook } from './looked-for.js';
export type { Measure, MeasureUnit } from '../model/judging/measure.js';
export type { RecordedFigures } from './recorded-figures.js';
export {
  type RecordedEnd,
  type Replay,
  replay,
  type ReplayedVerdict,
  type ReplayOptions,
  type Saved,
} from './replay.js';
export { parseSweep, type Sweep, sweepCandidates } from './sweep.js';
