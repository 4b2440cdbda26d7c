// The audit: measures the frame in PAWL_OUTPUT against the row that ordered it, and prints a verdict.
import { existsSync, readFileSync } from 'node:fs';
import { decodePng } from './png.mjs';

const FEWEST_OPAQUE = 0.15;
const MOST_OPAQUE = 0.6;
const MOST_PIXELS_OFF_CENTRE = 2;
/** Between the feet and the lower edge. */
const MARGIN = 1;
const LEAST_ALIKE = 0.5;
/** An outline and what is inside it. */
const FEWEST_COLOURS = 2;

const { PAWL_ITEM, PAWL_OUTPUT } = process.env;
const item = JSON.parse(PAWL_ITEM);
const palette = item.palette.split(' ');

function say(verdict) {
  console.log(JSON.stringify(verdict));
  process.exit();
}

function decoded(path) {
  try {
    return decodePng(readFileSync(path));
  } catch (error) {
    return say({ verdict: 'retry', reasons: ['UNREADABLE'], score: 0, message: `not a whole PNG: ${error.message}` });
  }
}

/** Where there is paint, how much of it, and in which colours. */
function measured({ width, height, pixels }) {
  const colours = new Set();
  const opaque = new Set();
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let index = 0; index < width * height; index++) {
    if (pixels[index * 4 + 3] === 0) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    opaque.add(index);
    colours.add(`#${pixels.toString('hex', index * 4, index * 4 + 3)}`);
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const isCutOff = left === 0 || top === 0 || right === width - 1;
  return { colours, opaque, share: opaque.size / (width * height), middle: (left + right + 1) / 2, bottom, isCutOff };
}

/** The part of the painted pixels that two frames have in common; 1 when there is no frame before this one. */
function likeness({ opaque }) {
  const path = `frames/${item.character}-${item.frame - 1}.png`;
  if (!existsSync(path)) return 1;
  const before = measured(decoded(path)).opaque;
  const common = [...opaque].filter((index) => before.has(index)).length;
  return common / (opaque.size + before.size - common);
}

if (palette.length < FEWEST_COLOURS) {
  say({
    verdict: 'rejected',
    reasons: ['PALETTE_TOO_SMALL'],
    score: 0,
    message: `the order names ${palette.length} colour, and a sprite needs ${FEWEST_COLOURS}: no attempt can be right`,
  });
}

const image = decoded(PAWL_OUTPUT);
const { width, height } = image;
const sprite = measured(image);
const percent = (part) => `${Math.round(part * 100)}%`;
const strange = [...sprite.colours].filter((colour) => !palette.includes(colour));
const offCentre = Math.abs(sprite.middle - width / 2);
const alike = likeness(sprite);

const checks = [
  ['WRONG_SIZE', width === Number(item.width) && height === Number(item.height), `it is ${width} x ${height} pixels`],
  ['TOO_SPARSE', sprite.share >= FEWEST_OPAQUE, `${percent(sprite.share)} is painted`],
  ['TOO_FULL', sprite.share <= MOST_OPAQUE, `${percent(sprite.share)} is painted`],
  ['TOO_MANY_COLOURS', sprite.colours.size <= palette.length, `${sprite.colours.size} colours of ${palette.length}`],
  ['NOT_IN_PALETTE', strange.length === 0, `${strange.length} colours are not in the palette`],
  ['CUT_OFF', !sprite.isCutOff, 'it reaches the edge'],
  ['OFF_CENTRE', offCentre <= MOST_PIXELS_OFF_CENTRE, `the middle is ${offCentre} pixels off`],
  ['OFF_BASELINE', sprite.bottom === height - 1 - MARGIN, `the feet are in row ${sprite.bottom} of ${height}`],
  ['JUMPS', alike >= LEAST_ALIKE, `${percent(alike)} in common with the frame before`],
];
const wrong = checks.filter(([, isRight]) => !isRight);

say({
  verdict: wrong.length === 0 ? 'approved' : 'retry',
  reasons: wrong.map(([code]) => code),
  score: Math.round((1 - wrong.length / checks.length) * 100) / 100,
  message: wrong.map(([, , text]) => text).join('; '),
});
