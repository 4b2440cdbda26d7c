/** The time of a ULID: two runs of one tree do not begin in the same millisecond. */
const TIME_CHARACTERS = 10;

/** The beginning of a run's id that is enough to name it. */
export function shortId(runId: string, others: readonly string[] = []): string {
  const bare = bareId(runId);
  const rest = others.map(bareId).filter((id) => id !== bare);
  for (let length = TIME_CHARACTERS; length < bare.length; length += 1) {
    const short = bare.slice(0, length);
    if (!rest.some((id) => id.startsWith(short))) return short;
  }
  return bare;
}

function bareId(runId: string): string {
  return runId.slice(runId.indexOf('_') + 1);
}
