import type { Fields } from './json-fields.js';
import { momentOf } from './moment.js';

/** The fields of a message of which each must be of the type that is asked for, or the message is not sound. */
export interface Message {
  /** False once a field that was asked for is missing or of another type. */
  readonly isSound: boolean;
  any(key: string): unknown;
  text(key: string): string;
  optionalText(key: string): string | undefined;
  optionalFlag(key: string): boolean | undefined;
  /** A number that is not negative. */
  optionalCount(key: string): number | undefined;
  /** A moment, given back as ISO 8601 text. One that cannot be read is absent: the rest of the message still counts. */
  optionalTime(key: string): string | undefined;
  oneOf<T extends string>(key: string, values: readonly [T, ...T[]]): T;
  optionalOneOf<T extends string>(key: string, values: readonly [T, ...T[]]): T | undefined;
}

export function readMessage(fields: Fields): Message {
  let isSound = true;
  const any = (key: string): unknown => (Object.hasOwn(fields, key) ? (fields[key] ?? undefined) : undefined);
  const optional = <T>(key: string, convert: (value: unknown) => T | undefined): T | undefined => {
    const value = any(key);
    const converted = value === undefined ? undefined : convert(value);
    if (value !== undefined && converted === undefined) isSound = false;
    return converted;
  };
  const required = <T>(value: T | undefined, standIn: T): T => {
    if (value === undefined) isSound = false;
    return value ?? standIn;
  };
  const optionalText = (key: string) => optional(key, asText);
  const optionalOneOf = <T extends string>(key: string, values: readonly [T, ...T[]]) =>
    optional(key, (given) => values.find((value) => value === given));
  return {
    get isSound() {
      return isSound;
    },
    any,
    text: (key) => required(optionalText(key), ''),
    optionalText,
    optionalFlag: (key) => optional(key, (value) => (typeof value === 'boolean' ? value : undefined)),
    optionalCount: (key) => optional(key, asCount),
    optionalTime: (key) => momentOf(any(key)),
    oneOf: (key, values) => required(optionalOneOf(key, values), values[0]),
    optionalOneOf,
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
