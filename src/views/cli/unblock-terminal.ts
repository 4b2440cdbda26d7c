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
