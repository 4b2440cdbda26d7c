import { EXIT_CODES } from '../../model/exit-code.js';

/** The reader of the other end has closed it, or the terminal is gone. */
const GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

const watched = new WeakSet<object>();
const gone = new WeakSet<object>();

/** `pawl ... | head` ends the view and nothing else. A full disk is said, not thrown. */
export function leaveQuietlyWhenNobodyReads(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): void {
  for (const stream of [stdout, stderr]) {
    if (watched.has(stream)) continue;
    watched.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      gone.add(stream);
      if (GONE.has(error.code)) return;
      if (stream === stdout) stderr.write(`pawl: the output cannot be written: ${error.message}\n`);
      // How a run ended is more than that nobody could read it.
      process.exitCode ||= EXIT_CODES.error;
    });
  }
}

export function isReaderGone(stream: object): boolean {
  return gone.has(stream);
}

interface BlockingHandle {
  setBlocking(isBlocking: boolean): number;
}

/**
 * Node writes to a terminal with blocking calls: Ctrl-S, or a remote terminal that hangs, would hold up the loop and its
 * limits. Where Node offers the switch, what is written waits in memory instead.
 */
export function unblockTerminal(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    const { _handle: handle } = stream as { readonly _handle?: Partial<BlockingHandle> | null };
    if (stream.isTTY && typeof handle?.setBlocking === 'function') handle.setBlocking(false);
  }
}
