/**
 * The same error twice gives the same fingerprint although its ids, times, counts and paths differ. It is recorded with
 * the error, so that a better normalisation never changes an old verdict.
 */
export function errorFingerprint(message: string): string {
  return message
    .slice(0, 2000)
    .toLowerCase()
    .replace(/\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?/g, '<time>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/\b[a-z]{2,6}_[0-9a-z]{8,}\b/g, '<id>')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, '<id>')
    .replace(/(?:[a-z]:)?(?:[\\/][\w.@~+-]+){2,}/g, '<path>')
    .replace(/\d+(?:\.\d+)?/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}
