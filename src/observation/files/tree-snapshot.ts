export interface TreeSnapshot {
  /** The git tree of the work tree: the same content has the same name, whatever happened in between. */
  readonly tree: string;
  /** What could not be captured: paths, or git's own words. */
  readonly incomplete: readonly string[];
}
