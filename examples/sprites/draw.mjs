// The generator: draws the frame that PAWL_ITEM describes and writes it to PAWL_OUTPUT.
import { appendFileSync, writeFileSync } from 'node:fs';
import { Canvas } from './canvas.mjs';
import { drawCreature } from './creatures.mjs';
import { encodePng } from './png.mjs';

const { PAWL_ITEM, PAWL_OUTPUT, PAWL_ATTEMPT, PAWL_REASONS = '', SPRITES_DRY, SPRITES_LEDGER } = process.env;
const item = JSON.parse(PAWL_ITEM);
const attempt = Number(PAWL_ATTEMPT);
const reasons = PAWL_REASONS.split(', ');

/** How far one hint moves the brush. */
const PIXELS_PER_HINT = 4;

/** What goes wrong with a frame, and how much of it is left now that the audit has told. */
function slipLeft(name, reason) {
  const [slip, amount = '1'] = item.slip.split(':');
  if (slip !== name) return 0;
  return reasons.includes(reason) ? Math.max(0, amount - PIXELS_PER_HINT * (attempt - 1)) : Number(amount);
}

/** A dry brush leaves two of three pixels out. */
function dried(canvas) {
  const left = new Canvas(canvas.width, canvas.height);
  left.cells.set(canvas.cells.map((cell, index) => ((index + Math.floor(index / canvas.width)) % 3 === 0 ? cell : 0)));
  return left;
}

/** Mixes every pixel with its right neighbour, as a wet brush does. */
function smeared(pixels, width) {
  return pixels.map((byte, at) => {
    const pixel = at >> 2;
    const isAlone = (pixel + 1) % width === 0 || !pixels[pixel * 4 + 3] || !pixels[pixel * 4 + 7];
    return isAlone ? byte : (byte + pixels[at + 4]) >> 1;
  });
}

if (SPRITES_LEDGER)
  appendFileSync(SPRITES_LEDGER, `${JSON.stringify({ id: item.id, attempt, reasons: PAWL_REASONS })}\n`);

const palette = item.palette.split(' ').map((colour) => [...Buffer.from(colour.slice(1), 'hex')]);
const drawn = drawCreature(item.character, Number(item.phase));
const moved = drawn.moved(slipLeft('drifts', 'OFF_CENTRE'), -slipLeft('floats', 'OFF_BASELINE'));
const canvas = SPRITES_DRY === item.character ? dried(moved) : moved;
const { width, height } = canvas;
const painted = canvas.pixels(palette);
const pixels = slipLeft('smears', 'TOO_MANY_COLOURS') > 0 ? smeared(painted, width) : painted;
const file = encodePng({ width, height, pixels });
const written = slipLeft('tears', 'UNREADABLE') > 0 ? file.subarray(0, file.length >> 1) : file;
writeFileSync(PAWL_OUTPUT, written);
console.log(`${item.id}: ${width} x ${height} pixels, ${written.length} bytes`);
