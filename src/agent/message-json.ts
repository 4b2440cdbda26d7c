import type { Json } from '../model/json.js';

/** What JSON has no words for, each under a key of its own. */
const BYTES = 'pawl:bytes';
const URL_KEY = 'pawl:url';
const DATE = 'pawl:date';
/** An object that has such a key itself. */
const PLAIN = 'pawl:object';
const KEYS: readonly string[] = [BYTES, URL_KEY, DATE, PLAIN];

/** A message as the journal can hold it: bytes, addresses and dates survive. Throws for what nothing can be made of. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') throw new TypeError('a BigInt cannot be written as JSON');
  if (typeof value !== 'object') return null;
  return objectToJson(value);
}

export function fromJson(value: Json | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(fromJson);
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && KEYS.includes(first[0])) return fromTagged(first[0], first[1]);
  return fromEntries(entries);
}

function objectToJson(value: object): Json {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') };
  if (value instanceof ArrayBuffer) return { [BYTES]: Buffer.from(value).toString('base64') };
  if (value instanceof URL) return { [URL_KEY]: value.href };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : { [DATE]: value.toISOString() };
  if (Array.isArray(value)) return value.map(toJson);
  if ('toJSON' in value && typeof value.toJSON === 'function') return toJson(value.toJSON());
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined && typeof entry !== 'function');
  const plain = Object.fromEntries(entries.map(([key, entry]) => [key, toJson(entry)]));
  return KEYS.some((key) => Object.hasOwn(plain, key)) ? { [PLAIN]: plain } : plain;
}

function fromTagged(key: string, value: Json | undefined): unknown {
  if (key === PLAIN) return isObject(value) ? fromEntries(Object.entries(value)) : value;
  if (typeof value !== 'string') return value;
  switch (key) {
    case BYTES:
      return new Uint8Array(Buffer.from(value, 'base64'));
    case URL_KEY:
      return new URL(value);
    default:
      return new Date(value);
  }
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fromEntries(entries: readonly (readonly [string, Json | undefined])[]): unknown {
  return Object.fromEntries(entries.map(([key, entry]) => [key, fromJson(entry)]));
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
