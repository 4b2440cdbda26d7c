// As much of PNG as sprites need: 8 bits per channel, RGBA, not interlaced.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHANNELS = 4;
const RGBA = 6;

/** `pixels` has four bytes for each pixel, row by row. */
export function encodePng({ width, height, pixels }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, RGBA, 0, 0, 0], 8);
  const stride = width * CHANNELS;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    rows[start] = 2; // "Up": what a row adds to the one above; neighbours in a sprite are alike.
    for (let x = 0; x < stride; x++) {
      const above = y === 0 ? 0 : pixels[(y - 1) * stride + x];
      rows[start + 1 + x] = pixels[y * stride + x] - above;
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Throws with what is wrong with the file. */
export function decodePng(file) {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('it does not begin like a PNG');
  const chunks = chunksOf(file);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header?.length !== 13) throw new Error('it has no header');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header[8] !== 8 || header[9] !== RGBA || header[12] !== 0) throw new Error('it is not a plain RGBA image');
  const parts = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const rows = inflateSync(Buffer.concat(parts));
  if (rows.length !== (width * CHANNELS + 1) * height) throw new Error('it has not as many pixels as its header says');
  return { width, height, pixels: unfiltered(rows, width * CHANNELS, height) };
}

function chunksOf(file) {
  const chunks = [];
  for (let at = 8; chunks.at(-1)?.type !== 'IEND'; ) {
    if (at + 12 > file.length) throw new Error('it is cut short');
    const length = file.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > file.length) throw new Error('it is cut short');
    const type = file.toString('latin1', at + 4, at + 8);
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw new Error(`the sum of ${type} is wrong`);
    chunks.push({ type, data: file.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** Every row begins with how it was written: as what it adds to its neighbours. */
function unfiltered(rows, stride, height) {
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    if (filter > 4) throw new Error(`row ${y} has an unknown filter`);
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < CHANNELS ? 0 : pixels[at - CHANNELS];
      const above = y === 0 ? 0 : pixels[at - stride];
      const corner = x < CHANNELS || y === 0 ? 0 : pixels[at - stride - CHANNELS];
      const expected = [0, left, above, (left + above) >> 1, nearest(left, above, corner)][filter];
      pixels[at] = rows[y * (stride + 1) + 1 + x] + expected;
    }
  }
  return pixels;
}

/** The Paeth predictor. */
function nearest(left, above, corner) {
  const guess = left + above - corner;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(guess - value));
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}
