import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { specCommands } from '../../config/project-commands.js';
import { resolveConfig } from '../../config/resolve-config.js';
import { CONDITION_CATALOG, CONDITION_TYPES, isSharedLimit } from '../condition-catalog.js';
import { isOptional } from '../fields.js';
import { parseCondition } from '../parse-condition.js';

const guide = readFileSync(new URL('../../../docs/guide/conditions.md', import.meta.url), 'utf8');

describe('the catalog of conditions', () => {
  it('has the condition of every file of its folder', () => {
    const textOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
    const lists = `${textOf('catalog.ts')}${textOf('factories.ts')}`;
    const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /^(?!catalog)[a-z-]+\.ts$/.test(name));
    expect(files.filter((name) => !lists.includes(`'./${name.replace('.ts', '.js')}'`))).toEqual([]);
    expect(CONDITION_TYPES.length).toBe(files.length - 1);
  });

  it('has every condition under its own type', () => {
    expect(Object.values(CONDITION_CATALOG).map(({ type }) => type)).toEqual(CONDITION_TYPES);
  });

  it.each(CONDITION_TYPES)('keeps every earlier rule of %s by a version below the newest', (type) => {
    const { version = 1, earlier = {} } = CONDITION_CATALOG[type];
    const versions = Object.keys(earlier).map(Number);
    expect(versions).toEqual(Array.from({ length: version - 1 }, (_, index) => index + 1));
  });
});

describe('what follows from a definition', () => {
  it('a program that a condition runs is among the commands that a user confirms, also inside another condition', () => {
    const script = { custom_script: { script: './check.sh', args: ['--now'] } };
    const { spec } = resolveConfig({});
    const policy = { ...spec.policy, success: [parseCondition({ all: [script, 'all_tests_pass'] })] };
    const commands = specCommands({ ...spec, policy }).filter(({ what }) => what === 'script');
    expect(commands.map(({ shown }) => shown)).toEqual(['./check.sh --now']);
  });

  it('a budget is shared if other runs spend from it', () => {
    const budgets = CONDITION_TYPES.filter((type) => CONDITION_CATALOG[type].spend === true);
    const shared = budgets.filter((type) => isSharedLimit(parseCondition({ [type]: 5 })));
    expect(shared).toEqual(['max_cost_of_batch', 'max_cost_per_day']);
  });
});

describe('the table of the guide', () => {
  const [table = ''] = guide.split('\n## ');
  const rows = table
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, names = '', fields = '', , live]) =>
      [...names.matchAll(/^`(\w+)`|(?<=` )`(\w+)`/g)].map(([name]) => {
        return { type: name.replaceAll('`', ''), fields, isLive: live === 'yes' };
      }),
    );
  const shown = CONDITION_TYPES.filter((type) => CONDITION_CATALOG[type].onlyInCode !== true);

  it('has every condition that a file can have', () => {
    expect(rows.map(({ type }) => type).toSorted()).toEqual(shown.toSorted());
  });

  it.each(shown)('says of %s which fields it has, and whether it is live', (type) => {
    const row = rows.find((one) => one.type === type);
    const { fields, live } = CONDITION_CATALOG[type];
    for (const [name, schema] of Object.entries(fields)) {
      expect(row?.fields).toMatch(new RegExp(`\\b${name}${isOptional(schema) ? '\\?' : '(?!\\?)'}`));
    }
    expect(row?.isLive).toBe(live === true);
  });
});
