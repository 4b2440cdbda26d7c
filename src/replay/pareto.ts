/** What a choice brings, and what it takes. */
export interface Gain {
  readonly gain: number;
  readonly loss: number;
}

/** Those than which no other brings more without taking more, in their order. Equal ones are all among them. */
export function paretoBest<T extends Gain>(choices: readonly T[]): ReadonlySet<T> {
  const isBeaten = (one: T) =>
    choices.some(
      (other) => other.gain >= one.gain && other.loss <= one.loss && (other.gain > one.gain || other.loss < one.loss),
    );
  return new Set(choices.filter((one) => !isBeaten(one)));
}
