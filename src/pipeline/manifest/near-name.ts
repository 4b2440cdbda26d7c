import { didYouMean } from '../../model/nearest.js';

/** `; did you mean "x"?` for names that users give: they are short and many, so that only one that begins alike is near. */
export function nearName(word: string, names: readonly string[]): string {
  const beginning = word.slice(0, 1).toLowerCase();
  return didYouMean(
    word,
    names.filter((name) => name.slice(0, 1).toLowerCase() === beginning),
  );
}
