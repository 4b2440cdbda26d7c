import type { PolicyList } from '../model/policy.js';
import type { LeafKind } from './leaf-rule.js';
import type { Keys, NameRule, Shape } from './shape.js';

export const leaf = <const L extends LeafKind>(of: L) => ({ kind: 'leaf', of }) as const;
export const choice = <const T extends readonly string[]>(...of: T) => ({ kind: 'choice', of }) as const;
export const conditions = (list: PolicyList) => ({ kind: 'conditions', list }) as const;
export const mapping = <const K extends Keys>(keys: K) => ({ kind: 'mapping', keys }) as const;
export const named = <const S extends Shape>(names: NameRule, of: S) => ({ kind: 'named', names, of }) as const;
export const shortForm = <const K extends Keys>(short: keyof K & string, keys: K) =>
  ({ kind: 'short-form', short, keys }) as const;
