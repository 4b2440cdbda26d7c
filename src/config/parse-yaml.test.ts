import { describe, expect, it } from 'vitest';
import { cpuTimeMs } from '../../test/support/cpu-time.js';
import { parseYaml } from './parse-yaml.js';
import { plainValue } from './config-file.js';

function read(text: string): unknown {
  const parsed = parseYaml(text);
  if ('problems' in parsed) return parsed.problems.map(({ offset, message }) => `${offset} ${message}`);
  return parsed.root === undefined ? undefined : plainValue(parsed.root);
}

/** Ten lists of ten aliases of the list before: a billion values from a kilobyte. */
const BILLION_LAUGHS = Array.from({ length: 10 }, (_, level) => {
  const entry = level === 0 ? '"lol"' : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array.from({ length: 10 }, () => entry).join(', ')}]`;
}).join('\n');

describe('parseYaml', () => {
  it.each([
    ['', undefined],
    ['# only a comment\n', undefined],
    ['a: 08', { a: 8 }],
    ['a: 2026-01-31', { a: '2026-01-31' }],
    ['a: no', { a: 'no' }],
    ['a: 1_000', { a: '1_000' }],
    ['a: 0o17', { a: 15 }],
    ['a: .inf', { a: Number.POSITIVE_INFINITY }],
    ['a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['a: &x [1]\nb: *x', { a: [1], b: [1] }],
    ['%YAML 1.2\n---\na: 1', { a: 1 }],
    ['{"a": [1, null]}', { a: [1, null] }],
  ])('reads %j by the core schema', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  const refused: [string, string[]][] = [
    ['a: 1\na: 2', ['5 the key "a" is written twice']],
    ['a:\n\t- 1', ['3 is not valid YAML: Tabs are not allowed as indentation']],
    [
      'a: [1',
      ['5 is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['a: 1\n---\nb: 2', ['5 contains several documents; only one is allowed']],
    ['%YAML 1.1\n---\na: yes', ['0 says it is YAML 1.1; only 1.2 is read']],
    ['a: !!js/function "function(){}"', ['3 has a tag; tags are not allowed']],
    ['a: !!binary aGk=', ['12 has a tag; tags are not allowed']],
    ['!!str a: 1', ['6 has a tag; tags are not allowed']],
    ['a: &x {b: 1}\nc: {<<: *x}', ['17 merge keys (<<) are not part of YAML 1.2; write the keys out']],
    ['1: x', ['0 keys are texts; put quotes around this one']],
    ['? [a]\n: b', ['2 keys are texts; put quotes around this one']],
    ['a: *x', ['3 *x names no anchor before it']],
    ['a: &a [*a]', ['7 is nested more than 80 deep']],
    ['['.repeat(90) + ']'.repeat(90), ['80 is nested more than 80 deep']],
  ];
  it.each(refused.map(([text, problems]) => [text.slice(0, 40), text, problems] as const))(
    'refuses %j',
    (_start, text, problems) => {
      expect(read(text)).toEqual(problems);
    },
  );

  it('refuses a billion values made of a kilobyte', () => {
    expect(read(BILLION_LAUGHS)).toEqual([expect.stringMatching(/^\d+ contains more than 20000 values$/)]);
  });

  const megabyte = 1024 * 1024;
  it.each([
    '[',
    '{a: ',
    '- ',
    '? ',
    'a: ',
    '*a,',
    '&a ',
    '!a ',
    '---\n',
    '%A\n',
    '"',
    '#\n',
    '\n',
    '}',
    ']',
    '[#\n',
    'a: [}\n',
    'a: b: c\n',
    ':',
  ])('ends soon on a megabyte of %j', (piece) => {
    expect(cpuTimeMs(() => parseYaml(piece.repeat(megabyte / piece.length)))).toBeLessThan(8000);
  });

  it.each(['- ', '? '])('says that %j is nested too deep, before the parser has no stack left', (piece) => {
    expect(parseYaml(`${piece.repeat(8000)}a\nb: 1\n`)).toEqual({
      problems: [{ offset: 0, message: 'is nested more than 80 deep' }],
    });
  });

  it('ends soon on many keys', () => {
    const text = Array.from({ length: 24_000 }, (_, index) => `k${index}:`).join('\n');
    expect(cpuTimeMs(() => parseYaml(text))).toBeLessThan(8000);
  });
});
