const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** The day of a run: a snapshot that held it would be good for one day. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const RUN_ID = /(loop|pipe|agent)_[0-9A-Z]{26}/g;
const SHORT_ID = /\b01[0-9A-Z]{8}\b/g;
const WORKER_ID = /-\d+-[0-9a-f]{8}$/;
const HASH = /^[0-9a-f]{16,64}$/;
/** What differs from run to run, and from machine to machine. */
const VOLATILE =
  /(Ms|MsSaved|_ms|Bytes|Share)$|^(seq|lastSeq|pid|port|bytes|offset|at|startTime|pidStartTime|position|epoch|format|node|host|worker)$/;
const CHECKSUM = /^(sum|seal|nonce|lineSum)$/;

export interface MaskOptions {
  /** Sentences are kept. Otherwise they are masked: their words are not part of what scripts read. */
  readonly keepsText?: boolean;
}

/** JSON with every id, time, path and duration masked: its keys, types and stable values are left. */
export function maskedJson(value: unknown, options: MaskOptions = {}, key = ''): unknown {
  if (Array.isArray(value)) return value.map((part) => maskedJson(part, options, key));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, part]) => [maskedText(name), maskedJson(part, options, name)]);
    return Object.fromEntries(entries);
  }
  if (typeof value === 'number') return VOLATILE.test(key) ? '<number>' : value;
  if (typeof value !== 'string') return value;
  if (CHECKSUM.test(key)) return '<checksum>';
  const masked = maskedText(value);
  if (VOLATILE.test(key) && masked === value) return '<value>';
  return options.keepsText === true || !/\s/.test(masked) ? masked : '<text>';
}

function maskedText(text: string): string {
  if (TIME.test(text)) return '<time>';
  if (DAY.test(text)) return '<day>';
  if (HASH.test(text)) return '<hash>';
  if (/^~?\//.test(text)) return '<path>';
  if (WORKER_ID.test(text)) return '<worker-id>';
  return text.replace(RUN_ID, '<run-id>').replace(SHORT_ID, '<run-id>');
}

/** Of a stream of events each type once, with every key that any of them has. */
export function maskedEvents(events: readonly unknown[]): unknown {
  const types = new Map<string, object>();
  for (const event of events) {
    const masked = maskedJson(event) as { type: string };
    types.set(masked.type, { ...masked, ...types.get(masked.type) });
  }
  return [...types.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
}
