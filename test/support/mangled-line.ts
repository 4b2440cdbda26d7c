import fc from 'fast-check';

type Json = unknown;

const STRANGE: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, true, -1, 1e308, 1e300, 0.5, '', 'x', '\ud800', [], {}, [[]], 9e15),
  fc.string(),
  fc.constant({ toString: null, constructor: 5, hasOwnProperty: 1 }),
);

/** Lines of a recording with something wrong: keys gone, values of another type, text cut, doubled or overwritten. */
export function mangledLine(lines: readonly string[]): fc.Arbitrary<string> {
  const line = fc.constantFrom(...lines);
  const structural = fc
    .tuple(line, fc.array(fc.tuple(fc.nat(), fc.option(STRANGE, { nil: undefined })), { maxLength: 4 }))
    .map(([from, changes]) => changes.reduce(changed, from));
  const textual = fc
    .tuple(line, fc.nat(), fc.nat(60), fc.oneof(fc.string(), fc.constantFrom('', '-1', '1e999', '{}', '\u0000', '"')))
    .map(([from, at, length, put]) => splice(from, at % (from.length + 1), length, put));
  const doubled = fc.tuple(line, line, fc.constantFrom('', '\n', ',')).map(([a, b, between]) => a + between + b);
  const nested = fc.tuple(line, fc.nat(), fc.constantFrom(10, 1000, 20_000)).map(([from, at, depth]) => {
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    return atPlace(from, at, () => '@deep@').replace('"@deep@"', deep);
  });
  return fc.oneof(structural, textual, doubled, nested);
}

/** One of all the values in it is replaced, or taken out. */
function changed(line: string, [at, put]: readonly [number, Json]): string {
  return atPlace(line, at, () => put);
}

function atPlace(line: string, at: number, put: () => Json): string {
  try {
    const places = countPlaces(JSON.parse(line));
    let left = at % places;
    return JSON.stringify(JSON.parse(line), (_key, value: Json) => (left-- === 0 ? put() : value)) ?? '';
  } catch {
    return line;
  }
}

function countPlaces(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countPlaces(inner), 1);
}

function splice(text: string, at: number, length: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + length);
}
