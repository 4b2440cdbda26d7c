import fc from 'fast-check';
import { tries } from '../../test/support/full-form.js';
import { anyCharacter } from '../../test/support/any-character.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../model/run-event.js';
import { createRedactor, type Redactor, secretsIn } from './redact.js';

const SECRET = 'sk-ant/api03+"Zq\\9~ü&x=';
let redactor: Redactor;
beforeEach(() => {
  redactor = createRedactor({ ANTHROPIC_API_KEY: SECRET });
});

describe('which values are secret', () => {
  it.each([
    'API_KEY',
    'APIKEY',
    'OPENAI_API_KEY',
    'GITHUB_TOKEN',
    'GITHUBTOKEN',
    'GH_PAT',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'DB_PASSWORD',
    'DB_PASS',
    'MYSQL_PWD',
    'npm_config__authToken',
    'apiKey',
    'GOOGLE_CREDENTIALS',
    'TOKEN_2',
    'my.key.id',
    'BASIC_AUTH',
  ])('%s is', (name) => {
    expect(secretsIn({ [name]: 'abcd-efgh-1' })).toEqual([{ name, value: 'abcd-efgh-1' }]);
  });

  it.each([
    ['SSH_AUTH_SOCK', '/tmp/ssh-agent.1'],
    ['TOKEN_FILE', '/run/secrets/x'],
    ['GOOGLE_CREDENTIALS_PATH', '/run/secrets/x'],
    ['KEY_DIR', '/run/secrets/x'],
    ['PWD', '/home/someone'],
    ['OLDPWD', '/home/someone'],
    ['MAX_TOKENS', '1000000000'],
    ['KEYBOARD_LAYOUT', 'deutsch-nodeadkeys'],
    ['PATH', '/usr/bin:/bin:/sbin'],
    ['SHORT_TOKEN', 'abcdefg'],
    ['BLANK_TOKEN', '          '],
    ['UNSET_TOKEN', undefined],
  ])('%s is not', (name, value) => {
    expect(secretsIn({ [name]: value })).toEqual([]);
  });

  it.each(['x1234567890', '1234567890x'])('%s is, as it is no figure, whatever its name says', (value) => {
    expect(secretsIn({ MAX_TOKEN: value })).toEqual([{ name: 'MAX_TOKEN', value }]);
  });

  it('the password of a URL is, whatever the variable is called', () => {
    expect(secretsIn({ BUCKET: 's3+v4.1://me:passw0rd1@host' })).toEqual([{ name: 'BUCKET', value: 'passw0rd1' }]);
    expect(secretsIn({ BUCKET: 's3://0123456789abcdef@host' })).toEqual([
      { name: 'BUCKET', value: '0123456789abcdef' },
    ]);
    expect(secretsIn({ DATABASE_URL: 'postgres://me:p%40ssw0rd1@db/x' }).map(({ value }) => value)).toEqual([
      'p%40ssw0rd1',
      'p@ssw0rd1',
    ]);
    expect(secretsIn({ JDBC_URL: 'jdbc:postgresql://me:correct-horse@db/x' })).toEqual([
      { name: 'JDBC_URL', value: 'correct-horse' },
    ]);
    // The words of a text that only mentions one are no secret.
    const example = 'set it to postgres://user:correct-horse@db, or https://0123456789abcdef@host';
    expect(secretsIn({ HINT: example })).toEqual([]);
    expect(secretsIn({ HOMEPAGE: 'https://example.org/a:b@c' })).toEqual([]);
    expect(secretsIn({ PROXY: 'http://me:100%25%zz@proxy' }).map(({ value }) => value)).toEqual(['100%25%zz']);
  });

  it.each(['completed', 'iteration', 'timed-out', 'max_iterations', 'operator', 'agent-said'])(
    'a word of our own is not: %s',
    (word) => {
      expect(secretsIn({ MY_PASSWORD: word })).toEqual([]);
    },
  );
});

describe('redaction', () => {
  const forms: Record<string, string> = {
    plain: SECRET,
    JSON: JSON.stringify(SECRET).slice(1, -1),
    'JSON in JSON': JSON.stringify(JSON.stringify(SECRET)).slice(3, -3),
    URL: encodeURIComponent(SECRET),
    'lower-case URL': encodeURIComponent(SECRET).replace(/%../g, (escape) => escape.toLowerCase()),
    form: new URLSearchParams({ k: SECRET }).toString().slice(2),
    base64: Buffer.from(SECRET).toString('base64'),
    base64url: Buffer.from(SECRET).toString('base64url'),
    'base64 of basic auth': Buffer.from(`me:${SECRET}`).toString('base64'),
    'base64 of a longer text': Buffer.from(`{"key":"${SECRET}"}`).toString('base64'),
  };

  it.each(Object.keys(forms))('finds the %s form', (name) => {
    const form = forms[name] ?? '';
    const redacted = redactor.text(`before ${form} after`);
    expect(redacted).toContain('[ANTHROPIC_API_KEY]');
    for (let at = 4; at + 10 < form.length - 4; at += 1) expect(redacted).not.toContain(form.slice(at, at + 10));
    const record = redactor.json(JSON.stringify({ type: 'tick', text: form }));
    expect(record).toContain('[ANTHROPIC_API_KEY]');
  });

  it('prefers the longer of two secrets of which one begins with the other', () => {
    const two = createRedactor({ A_TOKEN: 'abcdefgh', B_TOKEN: 'abcdefghijkl' });
    expect(two.text('abcdefghijkl abcdefgh')).toBe('[B_TOKEN] [A_TOKEN]');
  });

  it('leaves keys, numbers and discriminators of a record alone', () => {
    const odd = createRedactor({ X_PASSWORD: '12345678', Y_TOKEN: 'secret-key-1' });
    const record = { type: 'secret-key-1', n: 12345678, field: 'x', runId: '12345678', list: ['12345678'] };
    expect(JSON.parse(odd.json(JSON.stringify(record)))).toEqual({ ...record, list: ['[X_PASSWORD]'] });
    const entries = { type: 'paused', none: null, list: [{ type: 'secret-key-1' }] };
    expect(odd.json(JSON.stringify(entries))).toBe('{"type":"paused","none":null,"list":[{"type":"[Y_TOKEN]"}]}');
    const inside = { type: 'paused', input: { type: 'secret-key-1', at: '12345678' } };
    expect(odd.json(JSON.stringify(inside))).toBe('{"type":"paused","input":{"type":"[Y_TOKEN]","at":"[X_PASSWORD]"}}');
  });

  it('never breaks a record, whatever the secret is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: anyCharacter }), fc.string(), (secret, text) => {
        const types = Object.keys(EVENT_TYPES);
        const record = {
          v: 1,
          seq: 7,
          at: 'now',
          activeMs: 5,
          type: types[text.length % types.length],
          text,
          also: secret,
        };
        const after = JSON.parse(createRedactor({ A_TOKEN: secret }).json(JSON.stringify(record))) as typeof record;
        expect(after).toMatchObject({ v: 1, seq: 7, at: 'now', activeMs: 5, type: record.type });
        expect(Object.keys(after)).toEqual(Object.keys(record));
      }),
      { numRuns: tries(300) },
    );
  });

  it('finds a value that is not valid Unicode', () => {
    expect(createRedactor({ A_TOKEN: 'abcdefgh\ud800' }).text('abcdefgh\ud800')).toBe('[A_TOKEN]');
  });

  it('returns the very text when there is nothing to hide', () => {
    const json = '{"type":"tick"}';
    expect(redactor.json(json)).toBe(json);
    expect(redactor.json('{ "type": "tick" }')).toBe('{ "type": "tick" }');
    expect(createRedactor({}).text('abc')).toBe('abc');
  });

  it('finds a secret that is split over pieces of a stream, at every place', () => {
    const text = `one ${SECRET} two ${SECRET}${SECRET} three`;
    for (let size = 1; size < text.length; size += 1) {
      const stream = redactor.stream();
      let passed = '';
      for (let at = 0; at < text.length; at += size) passed += stream.write(text.slice(at, at + size));
      passed += stream.end();
      expect(passed).toBe('one [ANTHROPIC_API_KEY] two [ANTHROPIC_API_KEY][ANTHROPIC_API_KEY] three');
    }
    const two = createRedactor({ A_TOKEN: 'abcdefgh', B_TOKEN: 'abcdefghijkl-mnop' }).stream();
    const dashes = '-'.repeat(100);
    const pieces = [`${dashes}abcdefgh`, 'ijkl-', `mnop${dashes}`].map((piece) => two.write(piece));
    expect(pieces.join('') + two.end()).toBe(`${dashes}[B_TOKEN]${dashes}`);
    const longer = '--abcdefghijkl-mnop--abcdefgh--';
    for (let size = 1; size < longer.length; size += 1) {
      const stream = createRedactor({ A_TOKEN: 'abcdefgh', B_TOKEN: 'abcdefghijkl-mnop' }).stream();
      let passed = '';
      for (let at = 0; at < longer.length; at += size) passed += stream.write(longer.slice(at, at + size));
      expect(passed + stream.end()).toBe('--[B_TOKEN]--[A_TOKEN]--');
    }
    const nothing = createRedactor({}).stream();
    expect(nothing.write('a') + nothing.end()).toBe('a');
  });
});

it('a stream passes on at once what no secret can begin in', () => {
  expect(redactor.stream().write('-'.repeat(2000)).length).toBeGreaterThan(1000);
});

describe('keys of a record', () => {
  const redactor = createRedactor({ API_KEY: 'observation-1234' });

  it('that are whole conditions lose their secrets like the conditions themselves', () => {
    const key = JSON.stringify({ content: 'observation-1234', path: 'a', type: 'file_contains' });
    const line = JSON.stringify({ probes: { [key]: { met: true } }, content: 'observation-1234' });
    expect(redactor.json(line)).toBe(line.replaceAll('observation-1234', '[API_KEY]'));
  });

  it('that are names from outside lose them too, fields stay', () => {
    const line = JSON.stringify({ checks: { 'observation-1234': { passed: true } } });
    expect(redactor.json(line)).toBe('{"checks":{"[API_KEY]":{"passed":true}}}');
    const plain = createRedactor({ API_KEY: 'observation' });
    expect(plain.json('{"observation":{"summary":"observation"}}')).toBe('{"observation":{"summary":"[API_KEY]"}}');
  });
});

describe('what is secret', () => {
  const redacted = (name: string, value: string, text = value) => createRedactor({ [name]: value }).text(text) !== text;

  it.each(['APP_JWT', 'GH_BEARER', 'SESSION_COOKIE', 'SENTRY_DSN', 'SLACK_WEBHOOK_URL', 'OPENAI_KEY'])('%s', (name) => {
    expect(redacted(name, 'abcdef-0123456789')).toBe(true);
  });

  it('a value is, with or without the space around it', () => {
    expect(redacted('APP_KEY', ' abcdef-0123456789\n', 'x abcdef-0123456789 y')).toBe(true);
  });

  it('digits are, unless the name says that they are a figure', () => {
    expect(redacted('OPENAI_KEY', '123456789012')).toBe(true);
    expect(redacted('MAX_TOKENS', '123456789012')).toBe(false);
  });

  it('a token in place of a user in a URL is', () => {
    expect(redacted('REPO_URL', 'https://ghp_0123456789abcdef@example.com/x', 'got ghp_0123456789abcdef here')).toBe(
      true,
    );
    expect(redacted('REPO_URL', 'https://git@example.com/x', 'git@example.com')).toBe(false);
  });

  it('a private key is, line by line and with other line ends', () => {
    const key = `-----BEGIN KEY-----\n${'A1b2'.repeat(16)}\n${'C3d4'.repeat(16)}\n-----END KEY-----`;
    expect(redacted('TLS_KEY', key, `x ${'C3d4'.repeat(16)}`)).toBe(true);
    expect(redacted('TLS_KEY', key, key.replaceAll('\n', '\r\n'))).toBe(true);
    expect(redacted('TLS_KEY', key, '-----END KEY-----')).toBe(false);
    const short = 'A1b2'.repeat(6);
    expect(redacted('TLS_KEY', `first\n${short}\n`, `x ${short}`)).toBe(true);
  });
});

it('a secret that is written like another one is taken out under the name of the first', () => {
  const both = createRedactor({ A_TOKEN: 'one and/two', B_TOKEN: 'one%20and%2Ftwo' });
  expect(both.text('one and/two, one%20and%2Ftwo')).toBe('[A_TOKEN], [A_TOKEN]');
});

it('a secret is known in both kinds of base64, whatever differs between them', () => {
  const secret = '>>>???>>>???';
  const one = createRedactor({ A_TOKEN: secret });
  const [plain, forUrls] = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url')];
  expect(plain.replaceAll('+', '-').replaceAll('/', '_')).toBe(forUrls);
  expect(one.text(`${plain} ${forUrls}`)).toBe('[A_TOKEN] [A_TOKEN]');
});

it('a secret is known in a URL that escapes more than it must', () => {
  const one = createRedactor({ A_TOKEN: "it's(a)*secret!" });
  expect(one.text('?a=it%27s%28a%29%2Asecret%21&b=it%27s%28a%29%2asecret%21')).toBe('?a=[A_TOKEN]&b=[A_TOKEN]');
});

describe('a secret that is split by what nobody sees', () => {
  const KNOWN = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
  const HIDDEN: readonly [string, string][] = [
    ['colour codes of grep', '\u001b[01;31m\u001b[K'],
    ['a zero-width space', '\u200b'],
    ['a soft hyphen', '\u00ad'],
    ['tag characters', '\u{e0041}'],
    ['a carriage return', '\r'],
    ['a title for the terminal', '\u001b]0;title\u0007'],
    ['colour codes in JSON', String.raw`\u001b[01;31m`],
  ];
  const split = (secret: string, hidden: string) => `${secret.slice(0, 7)}${hidden}${secret.slice(7)}`;

  it.each(HIDDEN)('is found behind %s', (_, hidden) => {
    for (const secret of [SECRET, KNOWN]) {
      const written = `${hidden}key: ${split(secret, hidden)}, and more${hidden}`;
      const redacted = redactor.text(written);
      expect(redacted).toMatch(/key: \[[^\]]+\], and more/);
      expect(redacted.startsWith(hidden)).toBe(true);
      const record = JSON.stringify({ type: 'agent-message', text: written });
      expect(JSON.parse(redactor.json(record))).toEqual({ type: 'agent-message', text: redacted });
      const stream = redactor.stream();
      const pieces = [...written.matchAll(/.{1,5}/gsu)].map(([piece]) => stream.write(piece));
      expect([...pieces, stream.end()].join('')).toBe(redacted);
    }
  });

  it('is taken out where it begins and ends behind hidden characters, which stay', () => {
    expect(redactor.text(`x \u200b${split(KNOWN, '\u200b')}\u200b y`)).toBe('x \u200b[github_token]\u200b y');
    expect(redactor.text(`${split(KNOWN, '\u200b')} ${split(SECRET, '\u200b')}`)).toBe(
      '[github_token] [ANTHROPIC_API_KEY]',
    );
  });

  it('stays when it is one that must', () => {
    const kept = createRedactor({}, new Set([KNOWN]));
    const written = `${split(KNOWN, '\u200b')} ${KNOWN}`;
    expect(kept.text(written)).toBe(written);
  });

  it('leaves text with hidden characters and no secret as it is', () => {
    for (const [, hidden] of HIDDEN) expect(redactor.text(`a${hidden}b`)).toBe(`a${hidden}b`);
  });
});
