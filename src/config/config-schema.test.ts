import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import * as z from 'zod';
import { globalRegistry } from 'zod/mini';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import { configSchema } from './config-schema.js';
import { CONFIG_KEYS } from './config-shape.js';
import { type Keys, keysOf, valuesOf } from './shape.js';
import { readConfigValues } from './read-shape.js';

const schema = z.fromJSONSchema(configSchema());

const schemaAccepts = (value: unknown) => schema.safeParse(value).success;
function loaderAccepts(value: unknown): boolean {
  const issues: Issue[] = [];
  readConfigValues(value, { spelling: 'snake', issues });
  return issues.length === 0;
}

const limits = (...entries: unknown[]) => ({ stop: { limits: entries } });

describe('the schema and the loader agree', () => {
  it.each<[unknown, boolean]>([
    [null, true],
    [{}, true],
    [[], false],
    ['x', false],
    [{ agnet: 'x' }, false],
    [{ agent: 'claude', prompt_path: 'PROMPT.md', tests: 'npm test' }, true],
    [{ agent: { name: 'codex', args: [], env: { A: 'b' }, allow: ['ls'], permissions: 'edit' } }, true],
    [{ agent: { permissions: 'all' } }, false],
    [{ agent: { command: [] } }, false],
    [{ agent: { command: ['a', 'b'] } }, true],
    [{ agents: { mine: 'mine --json', other: { command: ['o'], args: [], signals: ['SIGINT', 'SIGTERM'] } } }, true],
    [{ agents: { mine: null } }, false],
    [{ agents: { mine: { args: [] } } }, false],
    [{ agents: { claude: 'x' } }, false],
    [{ agents: { claude2: 'x' } }, true],
    [{ agents: { '2': 'x' } }, false],
    [{ agents: { mine: { command: 'x', signals: [] } } }, false],
    [{ agents: { mine: { command: 'x', signals: ['SIGHUP'] } } }, false],
    [{ agents: { mine: { command: 'x', events: { text: 'a.b[0].c', session: ['a', 'b'], usage: 'total' } } } }, true],
    [
      { agents: { mine: { command: 'x', events: { text: { text: 'a[*].b', when: { 'a.b': [1, true, 'x'] } } } } } },
      true,
    ],
    [{ agents: { mine: { command: 'x', events: { text: { when: { a: 1 } } } } } }, false],
    [{ agents: { mine: { command: 'x', events: { text: { text: 'a', when: { 'a[*]': 1 } } } } } }, false],
    [{ agents: { mine: { command: 'x', events: { text: { text: 'a', when: { a: null } } } } } }, false],
    [{ agents: { mine: { command: 'x', events: { text: { text: 'a', when: { a: [] } } } } } }, false],
    [{ agents: { mine: { command: 'x', events: { session: 'a[*]' } } } }, false],
    [{ agents: { mine: { command: 'x', events: { session: 'a..b' } } } }, false],
    [{ agents: { mine: { command: 'x', events: { session: 'a.__proto__.b' } } } }, false],
    [{ agents: { mine: { command: 'x', events: { session: 'a b' } } } }, false],
    [{ agents: { mine: { command: 'x', events: { session: [] } } } }, false],
    [{ agents: { mine: { command: 'x', events: { sessions: 'a' } } } }, false],
    [{ tests: { timeout: '1m' } }, false],
    [{ tests: null }, false],
    [{ tests: { command: 'x', report: 'build/junit.xml' } }, true],
    [{ tests: { command: 'x', report: 'a..b/..c/**/*.xml' } }, true],
    [{ tests: { command: 'x', report: '' } }, false],
    [{ tests: { command: 'x', report: '/tmp/junit.xml' } }, false],
    [{ tests: { command: 'x', report: '../junit.xml' } }, false],
    [{ tests: { command: 'x', report: 'a\n/../b' } }, false],
    [{ tests: { command: 'x', report: 'a/..' } }, false],
    [{ tests: { report: 'junit.xml' } }, false],
    [{ checks: { a: { command: 'x', report: 'junit.xml' } } }, false],
    [{ checks: null, stop: null, session: null }, true],
    [{ checks: { 'a b': 'x' } }, false],
    [{ env: { '1A': 'x' } }, false],
    [{ env: { A: 1 } }, false],
    [{ max_iterations: 0 }, true],
    [{ max_iterations: -1 }, false],
    [{ max_iterations: 1.5 }, false],
    [{ max_iterations: 2 ** 60 }, false],
    [{ iteration_delay: 0, iteration_timeout: '1h 30m' }, true],
    [{ iteration_delay: 5 }, false],
    [{ iteration_timeout: 0 }, false],
    [{ iteration_timeout: '5' }, false],
    [{ context_redline_percent: 100 }, true],
    [{ context_redline_percent: 101 }, false],
    [{ attended_mode: 'yes' }, false],
    [{ hooks: { on_stop: 'x', on_error: { command: 'y', on_failure: 'pause' } } }, true],
    [{ hooks: { on_end: 'x' } }, false],
    [{ notify: { webhook: 'https://example.com' } }, true],
    [{ notify: { webhook: 'file:///etc' } }, false],
    [{ prices: { m: { input: 0, output: 1, cache_read: 0.5 } } }, true],
    [{ prices: { m: { input: 1 } } }, false],
    [{ prices: { m: { input: -1, output: 1 } } }, false],
    [{ session: { claude_command: 'claude', session_timeout: '1h', persist_sessions: true, state_dir: 'x' } }, true],
    [
      {
        stop_conditions: {
          max_test_failure_streak: 0,
          max_no_progress_iterations: 5,
          stop_on_patterns: [],
          custom_scripts: ['x'],
        },
      },
      true,
    ],
    [{ stop_conditions: { success: [] } }, false],
    [{ stop: { success: ['all_tests_pass'], failure: [], stop_on_first: true, confirm: 1, at_least: 1 } }, true],
    [{ stop: { confirm: 0 } }, false],
    [{ stop: { success: 'all_tests_pass' } }, false],
    [limits({ max_iterations: 0 }, { max_iterations: { count: 0 } }, { type: 'max_iterations', count: 0 }), true],
    [limits({ max_tokens: 0 }), false],
    [{ stop: { success: [{ max_iterations: 0 }] } }, false],
    [limits('max_cost'), false],
    [limits({ max_cost: 1, confirm: 2 }), true],
    [limits({ max_cost: 1, max_tokens: 2 }), false],
    [limits({ max_cost: { usd: 1, model: 'm' } }), true],
    [limits({ type: 'max_cost', usd: 1, tokens: 2 }), false],
    [limits('diff_exceeds'), false],
    [limits({ diff_exceeds: {} }), false],
    [limits({ diff_exceeds: { files: 2 } }), true],
    [limits({ user_signal: null }, { all_tests_pass: true }, 'never'), true],
    [limits({ specific_tests_pass: 'one' }, { protected_path_changed: ['a', 'b'] }), true],
    [limits({ all: [] }), false],
    [limits({ all: ['never', { not: { any: ['never'] } }] }), true],
    [limits({ not: 'never' }, { not: { condition: 'never' } }), true],
    [limits({ for: { iterations: 2, condition: { max_cost: 5 } } }), true],
    [limits({ for: 2 }), false],
    [limits({ retry_rate: 0.5 }), false],
    [limits({ type: 'function', name: 'f' }), false],
    [limits(5), false],
  ])('%j: %s', (value, accepted) => {
    expect({ loader: loaderAccepts(value), schema: schemaAccepts(value) }).toEqual({
      loader: accepted,
      schema: accepted,
    });
  });

  it('on any value at any key', () => {
    const value = fc.oneof(
      fc.constantFrom(0, 1, -1, 0.5, 85, '', 'x', '1h', true, null, [], ['x'], {}, { command: 'x' }, { name: 'x' }, [
        'never',
      ]),
      fc.string({ unit: 'grapheme-ascii' }).filter((text) => !/[|&;<>()$`*?[\]#~'"\\]|^\s*$|^\s*\d/.test(text)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...pathsOf(CONFIG_KEYS)), value, (path, leaf) => {
        const config = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), leaf);
        expect(schemaAccepts(config), JSON.stringify(config)).toBe(loaderAccepts(config));
      }),
      { numRuns: tries(1000) },
    );
  });
});

describe('the schema', () => {
  it('describes every key, and says every default', () => {
    const text = JSON.stringify(configSchema());
    for (const key of Object.values(CONFIG_KEYS)) {
      expect(text).toContain(JSON.stringify(globalRegistry.get(key)?.description));
    }
    expect(configSchema()['properties']).toMatchObject({
      max_iterations: { default: 25, type: 'integer', minimum: 0 },
      iteration_delay: { default: '5s' },
      session: { properties: { state_dir: { default: '.ralph/sessions' } } },
    });
  });

  it('describes every condition of a loop', () => {
    const text = JSON.stringify(configSchema());
    for (const type of CONDITION_TYPES) {
      const { where, about } = CONDITION_CATALOG[type];
      expect(text.includes(JSON.stringify(about))).toBe((where === 'loop' || where === 'both') && type !== 'function');
    }
  });
});

function pathsOf(keys: Keys): string[][] {
  return Object.entries(keys).flatMap(([key, schema]) => [
    [key],
    ...pathsOf(keysOf(schema) ?? {}).map((path) => [key, ...path]),
    ...(valuesOf(schema) === undefined ? [] : [[key, 'x']]),
  ]);
}
