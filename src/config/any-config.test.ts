import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.js';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import * as z from 'zod';
import { FAILURE_MODEL } from '../../test/support/failure-model.js';
import { tries } from '../../test/support/full-form.js';
import type { ConditionType } from '../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../model/condition-catalog.js';
import { ConfigError } from '../model/errors.js';
import { type FieldKind, isOptional, kindOf } from '../model/fields.js';
import { configSchema } from './config-schema.js';
import { CONFIG_KEYS } from './config-shape.js';
import { type FileLayerOptions, parseLayer } from './file-layer.js';
import type { LoopConfig } from './loop-config.js';
import { resolveConfig } from './resolve-config.js';
import { resolveLayers } from './load-config.js';

const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((one) => !/\0|\p{Cs}/u.test(one));
const count = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

const VALUES: Readonly<Record<Exclude<FieldKind, 'condition' | 'conditions'>, fc.Arbitrary<unknown>>> = {
  count,
  usd: fc.double({ min: Number.MIN_VALUE, max: 1e9, noNaN: true }),
  duration: fc.constantFrom('1ms', '90s', '1h 30m', '2 weeks', '1.5h'),
  time: fc.constantFrom('2026-01-31T06:00:00Z', '2026-01-31T06:00+02:00'),
  percent: fc.integer({ min: 0, max: 100 }),
  rate: fc.double({ min: 0, max: 1, noNaN: true }),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  amount: fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
  direction: fc.constantFrom('higher', 'lower'),
  text,
  path: text,
  texts: fc.array(text, { minLength: 1, maxLength: 4 }),
  arguments: fc.array(fc.oneof(text, fc.constant('')), { maxLength: 4 }),
  flag: fc.boolean(),
  allow: fc.constant('allow'),
  opinion: fc.constantFrom('blocked', 'stuck'),
  model: fc.constant(FAILURE_MODEL),
};

const LOOP_TYPES = CONDITION_TYPES.filter(
  (type) => ['loop', 'both'].includes(CONDITION_CATALOG[type].where) && type !== 'function',
);

interface Written {
  readonly written: unknown;
  readonly full: { readonly type: string };
}

/** A condition as a person may write it, and what it must be read as. */
const { condition: anyCondition } = fc.letrec<{ condition: Written }>((tie) => ({
  condition: fc.oneof({ maxDepth: 4 }, ...LOOP_TYPES.map((type) => writtenAs(type, tie('condition')))),
}));

function writtenAs(type: ConditionType, inner: fc.Arbitrary<Written>): fc.Arbitrary<Written> {
  const { fields, short, needsOneOf = [] } = CONDITION_CATALOG[type];
  const values = Object.entries(fields).map(([name, schema]) => {
    const kind = kindOf(schema) ?? 'text';
    const value: fc.Arbitrary<unknown> =
      kind === 'condition'
        ? inner
        : kind === 'conditions'
          ? fc.array(inner, { minLength: 1, maxLength: 3 })
          : VALUES[kind];
    return [name, isOptional(schema) ? fc.option(value, { nil: undefined }) : value] as const;
  });
  const record = fc
    .record(Object.fromEntries(values))
    .map((chosen) => Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)))
    .filter((chosen) => needsOneOf.length === 0 || needsOneOf.some((name) => name in chosen))
    .filter((chosen) => chosen['is_regex'] !== true);
  return fc.tuple(record, fc.nat(2)).map(([chosen, form]) => {
    const written = mapValues(chosen, (value) => deep(value, 'written'));
    const full = { type, ...mapValues(chosen, (value) => deep(value, 'full')) };
    const names = Object.keys(chosen);
    if (names.length === 0) return { written: form === 0 ? type : { type }, full };
    if (form === 0 && names.length === 1 && short !== undefined && names[0] === short && type !== 'not')
      return { written: { [type]: written[short] }, full };
    return { written: form === 1 ? { [type]: written } : { type, ...written }, full };
  });
}

function deep(value: unknown, side: keyof Written): unknown {
  if (Array.isArray(value)) return value.map((entry) => deep(entry, side));
  return typeof value === 'object' && value !== null && 'full' in value ? (value as Written)[side] : value;
}

function mapValues<T>(record: Record<string, T>, map: (value: T) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

const options: FileLayerOptions = { source: 'project-file', path: 'pawl.yaml', cwd: '/', required: true };
const schema = z.fromJSONSchema(configSchema());

describe('any condition', () => {
  it('is read from YAML and from JSON as it was meant, and the schema accepts it', () => {
    fc.assert(
      fc.property(anyCondition, ({ written, full }) => {
        const config = { stop: { conditions: [written] } };
        const yaml = parseLayer(stringify(config), 'pawl.yaml', options);
        const json = parseLayer(JSON.stringify(config), 'pawl.json', { ...options, path: 'pawl.json' });
        for (const { layer, issues } of [yaml, json]) {
          expect(issues).toEqual([]);
          expect(layer?.values.stop?.conditions).toEqual([{ path: 'stop.conditions[0]', condition: full }]);
        }
        expect(schema.safeParse(config).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('any text', () => {
  const keys = Object.keys(CONFIG_KEYS);
  const piece = fc.oneof(
    fc.constantFrom(...keys, ...CONDITION_TYPES, 'success', 'limits', 'failure', 'type', 'command'),
    fc.constantFrom(
      ': ',
      ':\n  ',
      '\n- ',
      '\n',
      ' ',
      '[',
      ']',
      '{',
      '}',
      ', ',
      '"',
      "'",
      '&a ',
      '*a',
      '<<: ',
      '!x ',
      '|\n',
      '? ',
      '---\n',
      '#',
      '%',
      '\t',
      '\0',
      '0',
      '-1',
      '.nan',
      'true',
      '1h',
    ),
    fc.string({ unit: anyCharacter, maxLength: 5 }),
  );
  const source = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it('is a layer, or issues each with its place, and what can be read of it is judged without a surprise', () => {
    fc.assert(
      fc.property(source, fc.constantFrom('pawl.yaml', 'pawl.json'), (content, path) => {
        const { layer, issues } = parseLayer(content, path, { ...options, path });
        for (const issue of issues) expect(issue.place).toMatch(/^pawl\.(yaml|json):\d+:\d+$/);
        if (layer === undefined) expect(issues).not.toEqual([]);
        else if (issues.length > 0) {
          const resolved = () =>
            resolveLayers(
              [layer],
              { cwd: '/', defaultAgent: 'command', environment: process.env },
              { issues, warnings: [] },
            );
          expect(resolved).toThrow(ConfigError);
        }
      }),
      { numRuns: tries(1000) },
    );
  });

  it('any value given in code is resolved or a ConfigError', () => {
    const anything = fc.anything({
      key: fc.constantFrom(...keys, 'stop', 'limits', '__proto__', 'constructor', 'toString'),
      withBigInt: true,
      withNullPrototype: true,
      withDate: true,
      withMap: true,
      maxDepth: 4,
    });
    fc.assert(
      fc.property(anything, (value) => {
        try {
          resolveConfig(value as LoopConfig, { cwd: '/' });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: tries(700) },
    );
  });
});
