/** One line of output, without its newline. */
export interface Line {
  readonly text: string;
  /** The length of the whole line. */
  readonly bytes: number;
  /** Bytes that were left out because the line was too long to keep. */
  readonly omittedBytes: number;
  /** The end of what was left out: an expected word may be the last one of an endless line. */
  readonly tail?: string;
}

export interface LineSplitter {
  write(chunk: Uint8Array): void;
  /** The last line may lack its newline. */
  end(): void;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAIL_BYTES = 4096;

/**
 * Splits a stream of bytes into lines with bounded memory. Of a line that is longer than `limitBytes`, the beginning and
 * the end are kept, and the rest is counted. Invalid UTF-8 becomes replacement characters.
 */
export function createLineSplitter(onLine: (line: Line) => void, limitBytes: number): LineSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let omittedBytes = 0;
  let tail = Buffer.alloc(0);

  const hold = (part: Buffer): void => {
    const room = limitBytes - heldBytes;
    if (part.length > room) {
      omittedBytes += part.length - room;
      tail = Buffer.concat([tail, part.subarray(Math.max(room, part.length - TAIL_BYTES))]).subarray(-TAIL_BYTES);
    }
    const kept = part.length > room ? part.subarray(0, room) : part;
    if (kept.length === 0) return;
    // The stream may use the chunk again.
    held.push(Buffer.from(kept));
    heldBytes += kept.length;
  };

  const release = (): void => {
    const line = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    const text = textOf(line, 0, omittedBytes > 0 ? line.length : withoutReturn(line, 0, line.length));
    const whole = { text, bytes: heldBytes + omittedBytes, omittedBytes };
    const released = omittedBytes === 0 ? whole : { ...whole, tail: tail.toString('utf8') };
    held = [];
    heldBytes = 0;
    omittedBytes = 0;
    tail = Buffer.alloc(0);
    onLine(released);
  };

  const splitLine = (chunk: Buffer, from: number, at: number): void => {
    if (heldBytes > 0 || omittedBytes > 0 || at - from > limitBytes) {
      hold(chunk.subarray(from, at));
      return release();
    }
    // Most lines are inside one chunk.
    onLine({ text: textOf(chunk, from, withoutReturn(chunk, from, at)), bytes: at - from, omittedBytes: 0 });
  };

  return {
    write(bytes) {
      const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        splitLine(chunk, from, at);
        from = at + 1;
      }
      if (from < chunk.length) hold(chunk.subarray(from));
    },
    end() {
      if (heldBytes > 0 || omittedBytes > 0) release();
    },
  };
}

function textOf(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('utf8', from, to);
}

function withoutReturn(bytes: Buffer, from: number, to: number): number {
  return to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
}
