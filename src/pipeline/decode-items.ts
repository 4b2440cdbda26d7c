import { isUtf8 } from 'node:buffer';

/** The text of a file of items. Throws with the line of what is no text: an id must not be another one than was written. */
export function decodeItems(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Error('is UTF-16 text; save it as UTF-8');
  }
  if (!isUtf8(bytes)) throw new Error(`line ${badLine(bytes)}: is not valid UTF-8 text`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function badLine(bytes: Buffer): number {
  let line = 1;
  let from = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, from)) {
    if (!isUtf8(bytes.subarray(from, at))) return line;
    line += 1;
    from = at + 1;
  }
  return line;
}
