/** As many marks as any language puts on one letter. */
const PILED = /(\p{M}{4})(\p{M}+)/gu;

/** Marks that are piled up on a letter run over the lines above and below it: those that are too many are told apart. */
export function cutPiledMarks(text: string, say: (marks: string) => string): string {
  return text.replace(PILED, (_, kept: string, others: string) => `${kept}${say(others)}`);
}
