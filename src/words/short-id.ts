/** The time of a ULID: two runs of one tree, or of one submission, do not begin in the same millisecond. */
const TIME_CHARACTERS = 10;

/** The beginning of a run's id that is enough to name it. */
export function shortId(runId: string): string {
  return bareId(runId).slice(0, TIME_CHARACTERS);
}

/** The same for several runs, each told apart from all others. */
export function shortIds(runIds: readonly string[]): (runId: string) => string {
  // Of sorted ids only neighbours can begin alike for longest.
  const sorted = [...new Set(runIds.map(bareId))].sort();
  const lengths = new Map(
    sorted.map((id, at) => [id, Math.max(sharedStart(id, sorted[at - 1]), sharedStart(id, sorted[at + 1])) + 1]),
  );
  return (runId) => {
    const bare = bareId(runId);
    return bare.slice(0, Math.max(TIME_CHARACTERS, lengths.get(bare) ?? 0));
  };
}

function sharedStart(one: string, other = ''): number {
  let length = 0;
  while (length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function bareId(runId: string): string {
  return runId.slice(runId.indexOf('_') + 1);
}
