import { withoutEscapes } from '../../../../words/printable.js';
import { cutPiledMarks } from './piled-marks.js';
import { nameUnseen } from './unseen-characters.js';

const PLAIN = /^[\t\n\u0020-\u007e]*$/;

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Text from outside as it is shown: what a terminal would act on is left out, and what no one sees, or what would turn
 * the direction of the text, is named in its place.
 */
export function shownText(text: string): string {
  if (PLAIN.test(text)) return text;
  const seen = withoutEscapes(text.replace(/\r\n?/g, '\n')).replace(CONTROLS, '');
  return cutPiledMarks(nameUnseen(seen), (marks) => `⟨${Array.from(marks).length} more marks⟩`);
}
