/**
 * What no one sees, or what changes the direction of the text around it. What joins emoji, and what makes one of a
 * pictogram, is seen in what it makes.
 */
const UNSEEN =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})|(?<!\p{Extended_Pictographic})(?:\ufe0e|\ufe0f)(?!\u20e3)|(?!\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb]/gu;

/** Their names in their places: `⟨U+202E⟩`. */
export function nameUnseen(text: string): string {
  return text.replace(UNSEEN, nameOf);
}

export function nameOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
