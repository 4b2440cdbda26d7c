/** A small picture in palette colours: each pixel holds the number of a colour, from 1; 0 is see-through. */
export class Canvas {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.cells = new Uint8Array(width * height);
  }

  get(x, y) {
    return x < 0 || y < 0 || x >= this.width || y >= this.height ? 0 : this.cells[y * this.width + x];
  }

  set(x, y, colour) {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.cells[y * this.width + x] = colour;
  }

  /** Colours every pixel within reach of some points for which `isInside` holds, given the middle of the pixel. */
  fill(colour, points, [reachX, reachY], isInside) {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [right, bottom] = [Math.max(...xs) + reachX, Math.max(...ys) + reachY];
    for (let y = Math.floor(Math.min(...ys) - reachY); y < bottom; y++) {
      for (let x = Math.floor(Math.min(...xs) - reachX); x < right; x++) {
        if (isInside(x + 0.5, y + 0.5)) this.set(x, y, colour);
      }
    }
  }

  ellipse(colour, [cx, cy], [rx, ry]) {
    this.fill(colour, [[cx, cy]], [rx, ry], (x, y) => ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1);
  }

  box(colour, [left, top], [width, height]) {
    const [right, bottom] = [left + width, top + height];
    const corners = [
      [left, top],
      [right, bottom],
    ];
    this.fill(colour, corners, [0, 0], (x, y) => x > left && x < right && y > top && y < bottom);
  }

  /** A stroke that is `wide` pixels thick, from one point over others to the last. */
  stroke(colour, wide, ...points) {
    const reach = wide / 2;
    this.fill(colour, points, [reach, reach], (x, y) => isNear(x, y, points, reach));
  }

  /** The same, but only over what is painted already. */
  groove(colour, wide, ...points) {
    const reach = wide / 2;
    const isPainted = (x, y) => this.get(Math.floor(x), Math.floor(y)) > 0;
    this.fill(colour, points, [reach, reach], (x, y) => isPainted(x, y) && isNear(x, y, points, reach));
  }

  triangle(colour, a, b, c) {
    const side = (x, y, [ax, ay], [bx, by]) => (x - bx) * (ay - by) - (ax - bx) * (y - by);
    this.fill(colour, [a, b, c], [0, 0], (x, y) => {
      const sides = [side(x, y, a, b), side(x, y, b, c), side(x, y, c, a)];
      return sides.every((value) => value >= 0) || sides.every((value) => value <= 0);
    });
  }

  /** Draws a line around everything that is there. */
  outline(colour) {
    const before = this.moved(0, 0);
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        const isBeside = [before.get(x - 1, y), before.get(x + 1, y), before.get(x, y - 1), before.get(x, y + 1)];
        if (before.get(x, y) === 0 && isBeside.some((cell) => cell > 0)) this.set(x, y, colour);
      }
    }
  }

  moved(right, down) {
    const copy = new Canvas(this.width, this.height);
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) copy.set(x + right, y + down, this.get(x, y));
    }
    return copy;
  }

  /** Four bytes for each pixel. */
  pixels(palette) {
    const bytes = Buffer.alloc(this.cells.length * 4);
    for (const [index, cell] of this.cells.entries()) {
      if (cell > 0) bytes.set([...(palette[cell - 1] ?? palette[0]), 255], index * 4);
    }
    return bytes;
  }
}

function isNear(x, y, points, reach) {
  return points.slice(1).some((to, index) => distance(x, y, points[index], to) <= reach);
}

/** From a point to the line between two others. */
function distance(x, y, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = dx === 0 && dy === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - part * dx, y - ay - part * dy);
}
