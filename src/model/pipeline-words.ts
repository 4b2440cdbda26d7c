/** In a pipeline an iteration is an attempt: a sentence about the one, said of the other. */
export function inAttempts(sentence: string): string {
  return sentence.replace(/\biteration(s?)\b/g, 'attempt$1');
}
