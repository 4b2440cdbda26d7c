import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCounter, parseDocument, stringify } from 'yaml';
import type * as z from 'zod/mini';
import { tries } from '../../test/support/full-form.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { CONFIG } from './config-shape.js';
import { parseLayer } from './file-layer.js';
import { resolveLayers } from './load-config.js';
import { given, keysOf, leaf, listOf, shortOf, valuesOf } from './shape.js';

/** What each kind of value takes. */
const RIGHT: Readonly<Record<keyof typeof leaf, readonly unknown[]>> = {
  count: [1, 30],
  usd: [0.5, 10],
  duration: ['90s', '1h 30m'],
  time: ['2026-01-31T06:00:00Z'],
  percent: [0, 85],
  rate: [0, 0.5],
  number: [-1.5],
  amount: [0, 2],
  direction: ['higher'],
  text: ['claude', 'ein Text'],
  path: ['a/b', '.'],
  texts: [['a'], ['a', 'b']],
  arguments: [[], ['--a']],
  flag: [true, false],
  allow: ['allow'],
  opinion: ['blocked'],
  model: ['opus'],
  condition: ['never'],
  conditions: [['never']],
  countOrNone: [0, 3],
  delay: [0, '5s'],
  price: [0, 1.5],
  innerPath: ['build/*.xml'],
  command: ['npm test'],
  words: ['node agent.mjs', ['node', 'a b']],
  anyTexts: [[], ['a']],
  variable: ['', 'a b'],
  webAddress: ['https://example.com/a'],
  fieldPath: ['message.id', ['a', 'b[0]']],
  manyPath: ['content[*].text'],
  literals: ['a', 1, [true, 'b']],
  signals: [['SIGINT', 'SIGTERM']],
};

/** What no key takes. */
const WRONG: readonly unknown[] = [
  null,
  -1,
  '\0',
  '../a|b',
  { nothing: { known: 1 } },
  [['a']],
  [null, {}],
  1e300,
  { '': 1 },
  { 'a.b["c"]': [] },
];
const NAMES = ['a', 'lint', 'A_B', 'gpt-5'];
const CONDITIONS = [
  'all_tests_pass',
  { max_cost: 5 },
  { all: ['never', { not: { output_pattern: 'a' } }] },
  { type: 'for', iterations: 2, condition: { no_progress: 3 } },
  { max_iterations: 0 },
  { max_cots: 5 },
  { max_cost: { usd: 'much', modle: 'a' } },
  { any: [{ for: { iterations: 0, condition: 'nevr' } }, 5] },
  { type: 'max_tokens', count: 1, class: 'goal' },
];

function rightValues(schema: z.core.$ZodType): readonly unknown[] {
  const { def } = given(schema)._zod;
  if (def.type === 'enum') return Object.values((def as z.core.$ZodEnumDef).entries);
  const name = Object.keys(leaf).find((kind) => leaf[kind as keyof typeof leaf] === given(schema));
  if (name === undefined) throw new Error(`no values for a schema of ${def.type}`);
  return RIGHT[name as keyof typeof leaf];
}

/** Values of a schema, of which about one in `oneIn` parts is wrong. */
function valuesFor(schema: z.core.$ZodType, oneIn: number): fc.Arbitrary<unknown> {
  const right = rightFor(schema, oneIn);
  return fc.oneof({ arbitrary: right, weight: oneIn - 1 }, { arbitrary: fc.constantFrom(...WRONG), weight: 1 });
}

function rightFor(schema: z.core.$ZodType, oneIn: number): fc.Arbitrary<unknown> {
  if (listOf(schema) !== undefined) return fc.array(fc.constantFrom(...CONDITIONS), { maxLength: 3 });
  const values = valuesOf(schema);
  if (values !== undefined) {
    return fc.dictionary(fc.constantFrom(...NAMES, '1 x'), valuesFor(values, oneIn), { maxKeys: 2 });
  }
  const keys = keysOf(schema);
  if (keys === undefined) return fc.constantFrom(...rightValues(schema));
  const some = fc.subarray(Object.keys(keys), { maxLength: Math.min(6, Object.keys(keys).length) }).chain((names) =>
    fc.tuple(
      ...names.map((name) => {
        const written = fc.oneof(
          { arbitrary: fc.constant(name), weight: 30 },
          { arbitrary: fc.constant(`${name}x`), weight: 1 },
        );
        return fc.tuple(written, valuesFor(keys[name] ?? schema, oneIn));
      }),
    ),
  );
  const full = some.map((entries) => Object.fromEntries(entries));
  const short = shortOf(schema);
  return short === undefined ? full : fc.oneof(full, rightFor(keys[short] ?? schema, oneIn));
}

const OPTIONS = { source: 'project-file', path: 'pawl.yaml', cwd: '/', required: true } as const;

function issuesOf(text: string, path: string): readonly Issue[] {
  const { layer, issues } = parseLayer(text, path, { ...OPTIONS, path });
  if (layer === undefined) return issues;
  try {
    resolveLayers([layer], { cwd: '/', defaultAgent: 'command', environment: { PATH: '' } }, { issues, warnings: [] });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
}

describe('a config with anything in it', () => {
  it.each([
    ['pawl.yaml', (value: unknown) => stringify(value)],
    ['pawl.json', (value: unknown) => JSON.stringify(value, undefined, 2)],
  ])('%s is a run, or each of its mistakes has a place and words', (path, write) => {
    fc.assert(
      fc.property(valuesFor(CONFIG, 8), (config) => {
        const text = write(config);
        const lines = text.split('\n');
        for (const { place, message } of issuesOf(text, path)) {
          expect(message).toMatch(/\w/);
          const [, name, line = '0', column = '0'] = /^(.*):(\d+):(\d+)$/.exec(place ?? '') ?? [];
          expect(name).toBe(path);
          expect(Number(column)).toBeGreaterThan(0);
          expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1] ?? '').length + 1);
        }
      }),
      { numRuns: tries(1250) },
    );
  });
});

type Path = readonly string[];

/** The paths of all values, with a name where names are free. */
function pathsIn(schema: z.core.$ZodType, path: Path): readonly Path[] {
  const values = valuesOf(schema);
  if (values !== undefined) return [path, ...pathsIn(values, [...path, 'a'])];
  return [path, ...Object.entries(keysOf(schema) ?? {}).flatMap(([name, one]) => pathsIn(one, [...path, name]))];
}

/** A config with one value, and beside it on each level what is required there. */
function withValue(schema: z.core.$ZodType, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  const values = valuesOf(schema);
  if (values !== undefined) return { [step]: withValue(values, rest, value) };
  const keys = Object.entries(keysOf(schema) ?? {});
  const needed = keys.filter(([name, one]) => one._zod.def.type === 'nonoptional' && name !== step);
  const beside = Object.fromEntries(needed.map(([name, one]) => [name, rightValues(one)[0]]));
  const inner = keys.find(([name]) => name === step)?.[1] ?? schema;
  return { ...beside, [step]: withValue(inner, rest, value) };
}

describe('one mistake', () => {
  const paths = pathsIn(CONFIG, []).slice(1);

  it('is named once, at the value', () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), (path) => {
        // No value may be a mapping with this key, and no mapping may have it.
        const text = stringify(withValue(CONFIG, path, { '': 1 }));
        const places = parseLayer(text, 'pawl.yaml', OPTIONS).issues.map(({ place }) => place);
        expect(new Set(places)).toEqual(new Set([placeIn(text, path).at]));
      }),
      { numRuns: tries(1250) },
    );
  });

  it('in a key is named once, at the key, with the key that is meant', () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths.filter((path) => path.at(-1) !== 'a')), (path) => {
        const name = path.at(-1) ?? '';
        const misspelt = `${name}_`;
        const text = stringify(withValue(CONFIG, [...path.slice(0, -1), misspelt], 'x'));
        const issues = parseLayer(text, 'pawl.yaml', OPTIONS).issues.filter(({ unknownKey }) => unknownKey === true);
        expect(issues).toEqual([
          expect.objectContaining({
            place: placeIn(text, [...path.slice(0, -1), misspelt]).name,
            message: expect.stringMatching(new RegExp(`unknown key; did you mean "\\w+"`)),
          }),
        ]);
      }),
      { numRuns: tries(1250) },
    );
  });
});

/** Where the parser of YAML says that a value stands, and its name. */
function placeIn(text: string, path: Path): { readonly at: string; readonly name: string } {
  const lineCounter = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter }).contents;
  let name: unknown;
  for (const step of path) {
    const pairs = (node as { items: { key: { value: string }; value: unknown }[] }).items;
    const pair = pairs.find(({ key }) => key.value === step);
    name = pair?.key;
    node = pair?.value;
  }
  const placeOf = (one: unknown) => {
    const { line, col } = lineCounter.linePos((one as { range: [number] }).range[0]);
    return `pawl.yaml:${line}:${col}`;
  };
  return { at: placeOf(node), name: placeOf(name) };
}
