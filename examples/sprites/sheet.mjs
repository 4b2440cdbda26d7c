// Puts the frames that are there side by side into sheet.png, each row a walk cycle.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { decodePng, encodePng } from './png.mjs';

const ROWS = ['fox', 'duck', 'robot'];
const COLUMNS = 8;
const SCALE = 4;
const CELL = 44 * SCALE;
const SKY = [214, 232, 240, 255];
const FIELD = [176, 208, 150, 255];
/** Above the lower edge of a cell. */
const GROUND = 6 * SCALE;

const [width, height] = [COLUMNS * CELL, ROWS.length * CELL];
const pixels = Buffer.alloc(width * height * 4);
for (let index = 0; index < width * height; index++) {
  const y = Math.floor(index / width) % CELL;
  pixels.set(y < CELL - GROUND ? SKY : FIELD, index * 4);
}

function paste(frame, left, bottom) {
  const top = bottom - frame.height * SCALE;
  for (let y = 0; y < frame.height * SCALE; y++) {
    for (let x = 0; x < frame.width * SCALE; x++) {
      const from = (Math.floor(y / SCALE) * frame.width + Math.floor(x / SCALE)) * 4;
      if (frame.pixels[from + 3] === 0) continue;
      pixels.set(frame.pixels.subarray(from, from + 4), ((top + y) * width + left + x) * 4);
    }
  }
}

for (const [row, character] of ROWS.entries()) {
  for (let column = 0; column < COLUMNS; column++) {
    const path = `frames/${character}-${column}.png`;
    if (!existsSync(path)) continue;
    const frame = decodePng(readFileSync(path));
    paste(frame, column * CELL + ((CELL - frame.width * SCALE) >> 1), (row + 1) * CELL - GROUND + 3 * SCALE);
  }
}
writeFileSync('sheet.png', encodePng({ width, height, pixels }));
console.log(`sheet.png: ${existsSync('frames') ? readdirSync('frames').length : 0} frames`);
