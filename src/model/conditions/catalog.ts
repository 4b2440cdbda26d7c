import { definition as all } from './all.js';
import { definition as any } from './any.js';
import * as factories from './factories.js';
import { definition as holdsFor } from './for.js';
import { namedFunction } from './function.js';
import { maxCostOfBatch } from './max-cost-of-batch.js';
import { definition as not } from './not.js';

/** The factories of all conditions that hold no other one. */
export type LeafFactory =
  | Extract<(typeof factories)[keyof typeof factories], { readonly definition: object }>
  | typeof namedFunction
  | typeof maxCostOfBatch;

const leaves = [namedFunction, maxCostOfBatch, ...Object.values(factories)].flatMap((factory) =>
  'definition' in factory ? [factory.definition] : [],
);

/** In the order of their types. @internal */
export const DEFINITIONS = [all, any, not, holdsFor, ...leaves].toSorted((a, b) => (a.type < b.type ? -1 : 1));
