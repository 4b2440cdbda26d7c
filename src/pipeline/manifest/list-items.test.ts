import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../model/errors.js';
import type { ItemSource } from './item-source.js';
import { listItems } from './list-items.js';

const workingDir = mkdtempSync(join(tmpdir(), 'pawl-list-items-'));
afterAll(() => rmSync(workingDir, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'] };

/** What comes of listing: the ids, or what is wrong. */
async function listed(source: ItemSource): Promise<readonly string[] | string> {
  try {
    const items = await listItems(source, { workingDir, environment, cookie: `list-items.${process.pid}` });
    return items.map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ place, message }) => `${place} ${message}`).join('\n');
  }
}

function file(name: string, content: string | Buffer): Promise<readonly string[] | string> {
  writeFileSync(join(workingDir, name), content);
  return listed({ kind: 'file', id: 'id', place: 'p.yaml:1:1', path: name });
}

const command = (line: string) =>
  listed({ kind: 'command', id: 'id', place: 'p.yaml:1:1', command: line, timeoutMs: 60_000 });

const list = (...values: readonly unknown[]) =>
  listed({
    kind: 'list',
    id: 'id',
    place: 'p.yaml:1:1',
    entries: values.map((value, index) => ({ value, place: `[${index}]` })),
  });

describe('what would become another text', () => {
  it.each(['txt', 'csv'])('bytes of another encoding in .%s are refused with their line', async (kind) => {
    const said = await file(`latin.${kind}`, Buffer.from('id\nfox\nm\xfcller\n', 'latin1'));
    expect(said).toMatch(new RegExp(`latin\\.${kind}: line 3: .*UTF-8`));
  });

  it('a file in UTF-16 is refused by its name', async () => {
    const said = await file('wide.csv', Buffer.from('\ufeffid\nfox\n', 'utf16le'));
    expect(said).toMatch(/wide\.csv: .*UTF-16.*UTF-8/);
  });

  it('bytes of another encoding that a command prints are refused with their line', async () => {
    const said = await command(String.raw`printf 'fox\nm\374ller\n'`);
    expect(said).toMatch(/^p\.yaml:1:1 .*command.*: line 2: .*UTF-8/);
  });

  it('a number with more digits than it keeps is refused, as an id and as a field', async () => {
    expect(await file('long.jsonl', '{"id":1}\n{"id":12345678901234567890}\n')).toMatch(
      /^long\.jsonl:2 "id" .*digits.*quotes/,
    );
    expect(await list({ id: 'a', user: { key: 2 ** 60 } })).toContain('"user" has more digits');
    expect(await list({ id: 'a', user: 2 ** 53 - 1, part: 0.1 })).toEqual(['a']);
  });

  it('a key that is there twice is refused, of which one value would be lost', async () => {
    expect(await file('twice.jsonl', '{"id":"a","x":{"y":1},"y":2}\n{"id":"b","i\\u0064":"c"}\n')).toMatch(
      /line 2: .*"id".*twice/,
    );
    expect(await file('twice.json', '[{"id":"a","t":"\\"id\\":"},{"id":"b","x":1,"x":2}]')).toMatch(/"x".*twice/);
    expect(await file('braces.jsonl', '{"id":"a","t":"{","t":"}"}')).toMatch(/"t".*twice/);
    expect(await file('once.json', '[{"id":"a","t":"\\"id\\":", "u":"id"},{"id":"b","x":[{"x":1},{"x":2}]}]')).toEqual([
      'a',
      'b',
    ]);
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN])('%s is no id', async (id) => {
    expect(await list(id)).toContain('not a usable number');
  });

  it('a field with a NUL, or half of a character, is refused: a variable could not hold it', async () => {
    expect(await list({ id: 'a', tone: 'x\0y' })).toMatch(/^\[0\] "tone" .*NUL/);
    expect(await file('half.jsonl', '{"id":"a","tone":"\\ud800"}')).toMatch(/"tone" .*half of a character/);
    expect(await file('nul.txt', 'a\0b\n')).toContain('contains a NUL');
  });

  it('a value that is nested without end is refused, not followed', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(await file('deep.jsonl', `{"id":"a","x":${deep}}`)).toMatch(/line 1: is nested .*80/);
  });

  it('an item of many bytes and few characters is too large for a variable', async () => {
    expect(await list({ id: 'a', text: '€'.repeat(40_000) })).toContain('an item may have 96 KB');
  });
});

describe('a list without end', () => {
  it('that a command prints is cut off at the limit, and the command ended', async () => {
    expect(await command('yes')).toMatch(/^p\.yaml:1:1 .*1,000,000 items$/);
  });

  it.each([
    ['jsonl', '1\n', 'not JSON'],
    ['csv', 'x\n', '"no end'],
  ])('in .%s is not read to its end', async (kind, line, end) => {
    const said = await file(`many.${kind}`, `${line.repeat(1_000_002)}${end}`);
    expect(said).toContain('there are more than 1,000,000 items');
  });

  it('may have blank lines, which are no items', async () => {
    expect(await file('blank.txt', `${'\n'.repeat(1_100_000)}\r\na\r\nb`)).toEqual(['a', 'b']);
  });
});

it('an absolute glob is told to be relative, not that nothing matches', async () => {
  const said = await listed({ kind: 'glob', id: 'id', place: 'p.yaml:1:1', pattern: '/etc/**' });
  expect(said).toMatch(/glob "\/etc\/\*\*" .*relative/);
});
