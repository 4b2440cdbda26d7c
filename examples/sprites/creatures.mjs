// Three creatures that walk to the right. `phase` is the part of a step cycle, from 0 to 1.
import { Canvas } from './canvas.mjs';

/** The colours of a palette by what they are for. */
const OUTLINE = 1;
const BODY = 2;
const SHADE = 3;
const LIGHT = 4;
const ACCENT = 5;

const wave = (phase) => Math.sin(2 * Math.PI * phase);

/** Where a foot is: half of the time on the ground and moving back, half of it in the air and moving forward. */
function footAt(phase, [hip, ground], stride, lift) {
  const swing = Math.cos(2 * Math.PI * phase);
  return [hip + stride * swing, ground - lift * Math.max(0, -wave(phase))];
}

function leg(canvas, colour, [hip, top], foot, wide) {
  const knee = [(hip + foot[0]) / 2 + 1, (top + foot[1]) / 2];
  canvas.stroke(colour, wide, [hip, top], knee, foot);
}

/** A limb that stands out from what is behind it. */
function limb(canvas, colour, wide, ...points) {
  canvas.groove(OUTLINE, wide + 2, ...points);
  canvas.stroke(colour, wide, ...points);
}

function fox(phase) {
  const canvas = new Canvas(40, 32);
  const ground = 28.8;
  const up = Math.abs(wave(phase));
  const sway = wave(phase) * 1.2;
  const y = 17.5 - up;
  for (const [hip, offset] of [
    [13, 0.25],
    [25, 0.75],
  ]) {
    leg(canvas, SHADE, [hip, y + 2], footAt(phase + offset, [hip, ground], 3.2, 2.5), 2.4);
  }
  canvas.stroke(BODY, 5, [11, y - 1], [6.5, y - 3 + sway / 2], [5, y - 7 + sway]);
  canvas.ellipse(LIGHT, [4.6, y - 8 + sway], [2.2, 2.6]);
  canvas.ellipse(BODY, [19, y], [9.5, 5]);
  canvas.ellipse(SHADE, [18, y + 3.4], [6.5, 1.6]);
  for (const [hip, offset] of [
    [12, 0.75],
    [25, 0.25],
  ]) {
    const foot = footAt(phase + offset, [hip, ground], 3.2, 2.5);
    leg(canvas, BODY, [hip, y + 2], foot, 2.8);
    canvas.stroke(OUTLINE, 2.6, [foot[0], foot[1] - 1], foot);
  }
  canvas.ellipse(LIGHT, [26.5, y + 1], [2.6, 3.4]);
  canvas.triangle(BODY, [26, y - 8], [25.2, y - 14.5], [30, y - 9]);
  canvas.triangle(BODY, [31, y - 9], [33, y - 14], [34.5, y - 7]);
  canvas.ellipse(BODY, [30, y - 5.5], [5.4, 4.8]);
  canvas.ellipse(LIGHT, [32, y - 3.2], [4.2, 2.2]);
  canvas.ellipse(BODY, [31, y - 6.2], [4, 2]);
  canvas.box(ACCENT, [35, y - 4.6], [2, 2]);
  canvas.box(OUTLINE, [31, y - 6.8], [1.6, 2.4]);
  return canvas;
}

function duck(phase) {
  const canvas = new Canvas(32, 32);
  const ground = 28.8;
  const y = 18.5 - Math.abs(wave(phase));
  const nod = wave(2 * phase) * 0.6;
  const webbed = (hip, offset, wide) => {
    const foot = footAt(phase + offset, [hip, ground], 3, 3);
    leg(canvas, ACCENT, [hip, y + 4], foot, wide);
    canvas.stroke(ACCENT, 2, [foot[0] - 0.5, foot[1] + 0.2], [foot[0] + 2, foot[1] + 0.2]);
  };
  webbed(16, 0, 1.8);
  canvas.triangle(BODY, [3, y - 5], [11, y - 2], [8, y + 4]);
  canvas.ellipse(BODY, [14.5, y], [8.8, 6]);
  canvas.ellipse(SHADE, [15, y + 4.2], [6, 1.7]);
  canvas.stroke(BODY, 7, [20, y - 2], [21.5 + nod, y - 8]);
  canvas.ellipse(BODY, [22 + nod, y - 10], [4.8, 4.6]);
  canvas.ellipse(ACCENT, [27.5 + nod, y - 8.6], [2.9, 1.6]);
  canvas.ellipse(LIGHT, [12.5, y - 0.6], [5, 3.2]);
  canvas.stroke(SHADE, 1.1, [8.5, y + 0.8], [12, y + 2.6], [16, y + 1.6]);
  canvas.box(OUTLINE, [23 + nod, y - 12], [2, 2.4]);
  webbed(14, 0.5, 2.2);
  return canvas.moved(-1, 0);
}

function robot(phase) {
  const canvas = new Canvas(32, 40);
  const ground = 36.8;
  const y = 21.5 - Math.abs(wave(phase));
  const swing = Math.cos(2 * Math.PI * phase) * 4;
  const booted = (colour, hip, offset) => {
    const foot = footAt(phase + offset, [hip, ground], 3.6, 3);
    const points = [
      [hip, y + 7.5],
      [(hip + foot[0]) / 2 + 1, (y + 7 + foot[1]) / 2],
      [foot[0], foot[1] - 0.6],
      [foot[0] + 2, foot[1] - 0.4],
    ];
    limb(canvas, colour, 3, ...points);
  };
  const arm = (colour, shoulder, way) => {
    const hand = [shoulder + 0.5 + way * swing, y + 6];
    limb(canvas, colour, 2.4, [shoulder, y - 1], [shoulder - 0.5 + (way * swing) / 2, y + 3], hand);
    canvas.box(ACCENT, [hand[0] - 1, hand[1] - 0.6], [2, 2]);
  };
  arm(SHADE, 20, 1);
  booted(SHADE, 18, 0.5);
  booted(BODY, 13.5, 0);
  canvas.box(OUTLINE, [10, y + 7.6], [12, 1.2]);
  canvas.box(BODY, [10, y - 3], [12, 11]);
  canvas.box(SHADE, [10, y + 5.6], [12, 2.4]);
  canvas.box(LIGHT, [15, y - 1], [6, 4.6]);
  canvas.box(ACCENT, [16 + (Math.round(phase * 8) % 4), y + 0.6], [1.4, 1.4]);
  canvas.box(OUTLINE, [10, y - 4], [12, 1.2]);
  canvas.box(BODY, [8, y - 14], [16, 10]);
  canvas.box(SHADE, [8, y - 5.6], [16, 1.6]);
  canvas.box(LIGHT, [13, y - 12], [10, 6]);
  canvas.box(OUTLINE, [15, y - 11], [2, 3.4]);
  canvas.box(OUTLINE, [19.6, y - 11], [2, 3.4]);
  canvas.stroke(SHADE, 1.2, [15.5, y - 14], [15.5 - wave(phase), y - 17]);
  canvas.ellipse(ACCENT, [15.5 - wave(phase), y - 17], [1.6, 1.6]);
  arm(BODY, 12, -1);
  return canvas;
}

const CREATURES = { fox, duck, robot };

export function drawCreature(name, phase) {
  const draw = CREATURES[name];
  if (draw === undefined) throw new Error(`nobody knows how to draw "${name}"`);
  const canvas = draw(phase);
  canvas.outline(OUTLINE);
  return canvas;
}
