/** One line of output, without its newline. */
export interface Line {
  readonly text: string;
  /** Bytes that were left out because the line was too long to keep. */
  readonly omittedBytes: number;
}

export interface LineSplitter {
  write(chunk: Uint8Array): void;
  /** The last line may lack its newline. */
  end(): void;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts a stream of bytes into lines with bounded memory: of a line that is longer than `limitBytes` the beginning is
 * kept and the rest counted. Invalid UTF-8 becomes replacement characters.
 */
export function createLineSplitter(onLine: (line: Line) => void, limitBytes: number): LineSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let omittedBytes = 0;

  const hold = (part: Uint8Array): void => {
    const room = limitBytes - heldBytes;
    if (part.length > room) omittedBytes += part.length - room;
    const kept = part.length > room ? part.subarray(0, room) : part;
    if (kept.length === 0) return;
    // The chunk is the stream's to use again.
    held.push(Buffer.from(kept));
    heldBytes += kept.length;
  };

  const release = (last: Uint8Array): void => {
    let line = last;
    if (heldBytes > 0 || omittedBytes > 0 || last.length > limitBytes) {
      hold(last);
      line = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    }
    const end = omittedBytes === 0 && line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const text = Buffer.from(line.buffer, line.byteOffset, end).toString('utf8');
    const omitted = omittedBytes;
    held = [];
    heldBytes = 0;
    omittedBytes = 0;
    onLine({ text, omittedBytes: omitted });
  };

  return {
    write(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        release(chunk.subarray(from, at));
        from = at + 1;
      }
      if (from < chunk.length) hold(chunk.subarray(from));
    },
    end() {
      if (heldBytes > 0 || omittedBytes > 0) release(new Uint8Array(0));
    },
  };
}
