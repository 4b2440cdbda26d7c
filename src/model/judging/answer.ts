/** Met, not met, or not known for want of a fact. */
export type ConditionStatus = 'met' | 'not-met' | 'unknown';

/** In how many iterations in a row the inside of a `for` has held, up to which iteration. */
export interface Hold {
  readonly iterations: number;
  readonly upTo: number;
}

/** What the facts say of one condition. */
export interface Answer {
  readonly status: ConditionStatus;
  readonly isMet: boolean;
  /** One sentence with the figures: "14 of 20 iterations". */
  readonly reason: string;
  /** From 0 to 1 where it is known. */
  readonly progress?: number | undefined;
  /** Set when the status is unknown because spend is: a limit then blocks the run instead of letting it continue. */
  readonly spendUnknown?: string | undefined;
  /** Of a `for`: how long its inside has held. */
  readonly hold?: Hold | undefined;
  /** A composite leaves its sentence out: it adds nothing for a reader. */
  readonly isImplied?: true | undefined;
  /** The judgements inside a composite. */
  readonly children?: readonly InnerResult[] | undefined;
}

/** The answer for a condition inside another one. */
export interface InnerResult extends Answer {
  readonly condition: { readonly type: string };
}

/** What a composite adds to its answer. */
export type Inside = Pick<Answer, 'children' | 'spendUnknown' | 'hold' | 'isImplied'>;

const LEAF: Inside = Object.freeze({});

/** Every answer has the same fields in the same order: the decision makes hundreds of them at every boundary. */
function answer(
  status: ConditionStatus,
  reason: string,
  progress: number | undefined,
  { children, spendUnknown: problem, hold, isImplied }: Inside,
): Answer {
  return { status, isMet: status === 'met', reason, progress, spendUnknown: problem, hold, isImplied, children };
}

export function met(reason: string, inside = LEAF): Answer {
  return answer('met', reason, 1, inside);
}

export function notMet(reason: string, progress?: number, inside = LEAF): Answer {
  return answer('not-met', reason, progress === undefined ? undefined : clamp(progress), inside);
}

export function unknown(reason: string, progress?: number, inside = LEAF): Answer {
  return answer('unknown', reason, progress, inside);
}

export function spendUnknown(problem: string): Answer {
  return unknown(`spend unknown: ${problem}`, undefined, { spendUnknown: problem });
}

/** Met when `value` has reached `limit`. */
export function reached(value: number | undefined, limit: number, sentence: (value: number) => string): Answer {
  if (value === undefined || Number.isNaN(value)) return unknown('not known');
  return value >= limit ? met(sentence(value)) : notMet(sentence(value), value / limit);
}

function clamp(progress: number): number {
  return Math.min(1, Math.max(0, progress));
}

/** Names come from outside: `constructor` is not a fact. */
export function ownFact<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
