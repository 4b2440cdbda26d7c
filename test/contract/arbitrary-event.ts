import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.js';
import type { Check } from '../../src/model/recorded-shapes.js';
import { EVENT_TYPES, type EventType, type NewEvent } from '../../src/model/run-event.js';

/** Any UTF-16, halves of surrogate pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('', '\n', '\u2028\u2029', '\ud800', '{"v":1,"seq":2,', '","sum":"00000000"}\n', '__proto__'),
);
const LIMIT = { type: 'max_iterations', count: 5 };
const COMMANDS = [
  { type: 'pause' },
  { type: 'stop', now: true },
  { type: 'steer', text: 'tests first' },
  { type: 'extend', limit: LIMIT },
];

/** Any value that a field of the journal may hold. */
function anyValue({ accepts = { kind: 'anything' } }: Check): fc.Arbitrary<unknown> {
  switch (accepts.kind) {
    case 'text':
      return anyText;
    case 'word':
      return fc.constantFrom(...accepts.words);
    case 'number':
      return fc.nat({ max: 1000 });
    case 'flag':
      return fc.boolean();
    case 'anything':
      return fc.constantFrom(undefined, true);
    case 'object':
      return fc.constant({});
    case 'condition':
      return fc.constant(LIMIT);
    case 'command':
      return fc.constantFrom(...COMMANDS);
    case 'maybe':
      return fc.option(anyValue(accepts.of), { nil: undefined });
    case 'list':
      return fc.array(anyValue(accepts.of), { maxLength: 3 });
    case 'each':
      return fc.dictionary(anyText, anyValue(accepts.of), { maxKeys: 3 });
    case 'fields':
      return anyFields(accepts.fields);
    default:
      return accepts satisfies never;
  }
}

function anyFields(fields: Readonly<Record<string, Check>>): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, check]) => [name, anyValue(check)])));
}

/** Any event of a type, made from the row of that type. */
export function anyEventOf(type: EventType): fc.Arbitrary<NewEvent> {
  return anyFields(EVENT_TYPES[type].shape).map((body) => ({ ...body, type }) as NewEvent);
}

export const anyEvent: fc.Arbitrary<NewEvent> = fc.oneof(...(Object.keys(EVENT_TYPES) as EventType[]).map(anyEventOf));
