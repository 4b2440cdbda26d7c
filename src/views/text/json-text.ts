import { UNSEEN_CHARACTERS } from '../../model/unseen-characters.js';

/** What JSON allows in a text although a terminal obeys it, or a reader does not see it. */
const UNSEEN = new RegExp(String.raw`[\u007f-\u009f${UNSEEN_CHARACTERS}]`, 'gv');

/** JSON that shows every character that it holds: it reads back as the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent));
}

/** The same for JSON that is written already. Such characters can only appear in its strings. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
