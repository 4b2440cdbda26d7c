/** `note` is worth knowing; only a `problem` keeps a run from working. */
export type Level = 'ok' | 'note' | 'warning' | 'problem';

export type FindingGroup = 'machine' | 'agents' | 'disk' | 'config';

/** One thing that was looked at. */
export interface Finding {
  readonly group: FindingGroup;
  readonly name: string;
  readonly level: Level;
  /** What was found, as a sentence. Never a secret. */
  readonly found: string;
  /** What to do about it, in one line. */
  readonly fix?: string | undefined;
}
