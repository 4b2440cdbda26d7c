/** What JSON allows in a text although a terminal obeys it, or a reader does not see it. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** JSON that shows every character that it holds: it reads back as the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent));
}

/** The same for JSON that is written already. Such characters can only stand in its strings. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
