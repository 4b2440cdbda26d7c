import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { KEY_SAMPLES, type KeySample } from '../../test/support/key-samples.js';
import { findKeys, KEY_FORMATS, keysIn } from './known-keys.js';
import { createRedactor, secretsIn } from './redact.js';

const redactor = createRedactor({});
const whole = ({ lead = '', secret, rest = '' }: KeySample) => `${lead}${secret}${rest}`;
const without = ({ lead = '', name, rest = '' }: KeySample) => `${lead}[${name}]${rest}`;

function inPieces(text: string, size: number): string {
  const stream = redactor.stream();
  let passed = '';
  for (let at = 0; at < text.length; at += size) passed += stream.write(text.slice(at, at + size));
  return passed + stream.end();
}

describe('a key is known by its format', () => {
  it('and every format has an example', () => {
    expect(new Set(KEY_FORMATS.map(({ name }) => name))).toEqual(new Set(KEY_SAMPLES.map(({ name }) => name)));
    expect(new Set(KEY_SAMPLES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
  });

  it.each(KEY_SAMPLES.map((key) => [key.name, key] as const))('%s', (_name, key) => {
    expect(redactor.text(whole(key))).toBe(without(key));
    expect(redactor.text(`see ${whole(key)}, and`)).toBe(`see ${without(key)}, and`);
    expect(redactor.text(`\u001b[32m${whole(key)}\u001b[0m`)).toBe(`\u001b[32m${without(key)}\u001b[0m`);
    expect(redactor.text(`a=1\n${whole(key)}\nb=2`)).toBe(`a=1\n${without(key)}\nb=2`);
    expect(keysIn(whole(key))).toEqual([key.secret]);
  });

  it.each(KEY_SAMPLES.map((key) => [key.name, key] as const))('%s in JSON, and in JSON in JSON', (_name, key) => {
    const record = { type: 'agent-said', at: 'now', text: `"one"\n${whole(key)}\ttwo`, list: [{ deep: whole(key) }] };
    const clean = { ...record, text: `"one"\n${without(key)}\ttwo`, list: [{ deep: without(key) }] };
    expect(JSON.parse(redactor.json(JSON.stringify(record)))).toEqual(clean);
    const twice = { type: 'agent-said', text: JSON.stringify(record) };
    const after = redactor.json(JSON.stringify(twice));
    expect(after).not.toContain(JSON.stringify(JSON.stringify(key.secret)).slice(3, -3));
    expect(JSON.parse((JSON.parse(after) as typeof twice).text)).toEqual(clean);
  });

  it.each(KEY_SAMPLES.map((key) => [key.name, key] as const))('%s in pieces of any size', (_name, key) => {
    const text = `one ${whole(key)} two ${whole(key)}\nthree`;
    const clean = `one ${without(key)} two ${without(key)}\nthree`;
    for (const size of [1, 2, 3, 7, 16, 50, 64, 65, 127, 300]) expect(inPieces(text, size)).toBe(clean);
    for (let cut = 1; cut < text.length; cut += 1) {
      const stream = redactor.stream();
      expect(stream.write(text.slice(0, cut)) + stream.write(text.slice(cut)) + stream.end()).toBe(clean);
    }
  });

  it('also where much stands before it in the stream', () => {
    const key = KEY_SAMPLES.find(({ name }) => name === 'github_token');
    const text = `${'word '.repeat(5000)}${key?.secret}${' word'.repeat(5000)}`;
    for (const size of [100, 103, 1000, 24_990, 25_010]) {
      expect(inPieces(text, size)).toBe(text.replace(String(key?.secret), '[github_token]'));
    }
  });

  it('also behind a colour, wherever the stream is cut', () => {
    const before = `${'-'.repeat(100)}\u001b[38;2;100;200;250m`;
    const text = `${before}${['da', 'pi'].join('')}${'0a'.repeat(16)} end`;
    for (let size = 1; size < text.length; size += 1)
      expect(inPieces(text, size)).toBe(`${before}[databricks_token] end`);
  });

  it('a key without end is taken out to its end', () => {
    const endless = `${['gh', 'p_'].join('')}${'a1'.repeat(20_000)}`;
    expect(inPieces(`x ${endless} y`, 1000)).toBe('x [github_token] y');
  });

  it('and nothing of what follows it, also where the stream was cut at its end', () => {
    const endless = `${['gh', 'p_'].join('')}${'a1'.repeat(10_000)}`;
    const stream = redactor.stream();
    const passed = [endless, ' is what', 'it', ' said'].map((piece) => stream.write(piece));
    expect(passed.join('') + stream.end()).toBe('[github_token] is whatit said');
  });

  it('in a record without anything that JSON has to escape', () => {
    const key = String(KEY_SAMPLES.find(({ name }) => name === 'github_token')?.secret);
    const json = (text: string) => JSON.stringify({ type: 'agent-said', text });
    expect(createRedactor({}).json(json(key))).toBe(json('[github_token]'));
  });

  it('and found where it stands, behind what tells it', () => {
    for (const key of KEY_SAMPLES) {
      const text = `see ${whole(key)}`;
      const found = findKeys(text);
      expect(found).toEqual([{ name: key.name, key: key.secret, at: 4 + (key.lead ?? '').length }]);
    }
  });

  it('and does not hold back an output of which it may be the beginning', () => {
    const stream = redactor.stream();
    const begun = `${['gh', 'p_'].join('')}x `;
    const passed = stream.write(`${begun}${'word '.repeat(10_000)}`);
    expect(passed.length).toBeGreaterThan(30_000);
  });
});

describe('what is no key stays', () => {
  it.each([
    '01994f3c-1c2f-7b1a-9d59-0c6f2f1f8a11',
    '3a9d8fe5b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5',
    'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    'toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL ses_5ffcfa2b1ffeYy8XkNqAbCdEfG',
    '/home/me/project/src/journal/known-key-formats.ts:12:3',
    'https://example.org:8080/@scope/package?x=a:b@c git@github.com:owner/repo.git',
    'postgres://app:$PASSWORD@db postgres://app:<password>@db postgres://app:****@db postgres://app:[DB_PASSWORD]@db',
    'Authorization: Bearer $TOKEN, Authorization: Bearer <your-token>, Authorization: Bearer your-access-token-here',
    'sk-ant-api03-... ghp_xxx npm_config_registry npm_package_version hf_hub_download secret_access_key= key-value',
    'eyJhbGciOiJIUzI1NiJ9 AKIA AIza SG.md dapi SKIP glpat-<token> xoxb-your-bot-token-goes-here-please',
    'import { secret_manager_client_configuration_with_a_very_long_name_indeed } from "sk-project-names-are-long"',
    `data:image/png;base64,${Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 31 + (index >> 3)) % 256)).toString('base64')}`,
    '-----BEGIN PRIVATE KEY----- is how a private key begins',
    '-----BEGIN CERTIFICATE-----\nMIIBkTCB+wIJAKHBfpEgcMFvMA0GCSqGSIb3DQEBCwUAMBExDzANBgNVBAMMBnVu',
  ])('%s', (text) => {
    expect(redactor.text(text)).toBe(text);
    expect(redactor.json(JSON.stringify({ type: 'x', text }))).toBe(JSON.stringify({ type: 'x', text }));
    expect(inPieces(text, 5)).toBe(text);
  });

  it('no recorded run of the corpus changes', () => {
    const folder = fileURLToPath(new URL('../../test/corpus/runs/', import.meta.url));
    const journals = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    );
    expect(journals.length).toBeGreaterThan(10);
    for (const name of journals) {
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) expect(redactor.json(line)).toBe(line);
    }
  });

  it('nor does any text change on its way through a stream', () => {
    const part = fc.constantFrom('ghp_', 'eyJ', '://', ':', '@', '.', 'sk-', '-', 'AKIA', ' ', '\n', 'a1B2c3D4', 'x');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 1, max: 70 }), (parts, size) => {
        const text = parts.join('');
        expect(inPieces(text, size)).toBe(redactor.text(text));
      }),
      { numRuns: tries(500) },
    );
  });

  it('what was taken out is not taken for a key again', () => {
    const once = redactor.text(KEY_SAMPLES.map(whole).join('\n'));
    expect(redactor.text(once)).toBe(once);
  });
});

describe('hostile text', () => {
  it.each([
    'a',
    'eyJ',
    'eyJaaaaaaaaaa.',
    'sk-',
    'sk-ant-',
    'AKIA',
    '://a:',
    '://',
    '@',
    ':a@',
    'xapp-1-',
    '-----BEGIN ',
    '\\',
    '\\n',
  ])(
    'of %j without end is looked through in time that grows with its length alone',
    (piece) => {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      // Were the time to grow with the square, this would take minutes and fail by its time limit.
      redactor.text(`ghp_ ${text}`);
      redactor.text(`-----BEGIN PRIVATE KEY-----\n${text}`);
      inPieces(text, 64 * 1024);
    },
    20_000,
  );
});

it('a variable whose value is a key is known in all its forms, whatever it is called', () => {
  const value = String(KEY_SAMPLES.find(({ name }) => name === 'github_token')?.secret);
  expect(secretsIn({ ODD: value })).toEqual([{ name: 'ODD', value }]);
  expect(secretsIn({ ODD: `see ${value}` })).toEqual([]);
  expect(createRedactor({ ODD: value }).text(`${value} ${Buffer.from(value).toString('base64')}`)).toMatch(
    /^\[ODD\] \[ODD\]/,
  );
});

it('keys that must stay do', () => {
  const [first = '', second = ''] = KEY_SAMPLES.filter(({ name }) => name === 'github_token').map(
    ({ secret }) => secret,
  );
  expect(createRedactor({}, new Set([first])).text(`${first} ${second}`)).toBe(`${first} [github_token]`);
  const url = 'postgres://app:s3cr3t-w0rd@db';
  expect(createRedactor({}, new Set(['s3cr3t-w0rd'])).text(url)).toBe(url);
  expect(createRedactor({}).text(url)).toBe('postgres://app:[url_password]@db');
});
