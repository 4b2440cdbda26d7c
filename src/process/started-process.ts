import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessName } from './process-table.js';

export interface Exit {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
}

export async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { exitCode: code ?? undefined, signal: signal ?? undefined };
}

export type OutputListener = (chunk: Buffer, source: 'stdout' | 'stderr') => void;

/** A process that has been started and waits for its input, however that was done. */
export interface StartedProcess {
  /** Everything that it starts is below this one, and in its group as long as it does not leave it. */
  readonly name: ProcessName;
  readonly hasExited: boolean;
  readonly exited: Promise<Exit>;
  /** Before `feed`. */
  onOutput(listener: OutputListener): void;
  /** From here on it works. */
  feed(input: string): void;
  /** To everything in its group. */
  signal(signal: NodeJS.Signals): boolean;
  /** After its end: kills what is left in its group, as far as that takes nobody else along. */
  killGroup(): void;
  /** After its end: who carries its cookie, or is known to be its own in another way. */
  leftovers(): readonly ProcessName[] | Promise<readonly ProcessName[]>;
  /** All that it printed was told, or has been waited for long enough. */
  drained(): Promise<void>;
  /** It and everything that it started are gone. */
  release(how: { readonly isClean: boolean }): void;
}
