import { expect, it } from 'vitest';
import { cookieOfKept, isSameSecret, Keys, newSecret } from './keys.js';

it('a secret is long, and no two are the same', () => {
  expect(newSecret()).toMatch(/^[\w-]{43}$/);
  expect(newSecret()).not.toBe(newSecret());
});

it('texts of any length are compared', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  expect(isSameSecret('ab', 'abc')).toBe(false);
  expect(isSameSecret('', 'abc')).toBe(false);
});

it('ten wrong tokens in a minute are enough: even the right one waits, the cookie does not', () => {
  let now = 0;
  const keys = new Keys('right', { now: () => now });
  for (let n = 0; n < 10; n += 1) expect(keys.admit({ token: `wrong-${n}` })).toEqual({ kind: 'unknown' });
  expect(keys.admit({ token: 'right' })).toEqual({ kind: 'wait', seconds: 60 });
  expect(keys.admit({ cookie: keys.cookie, token: 'wrong' })).toEqual({ kind: 'cookie' });
  now = 60_001;
  expect(keys.admit({ token: 'right' })).toEqual({ kind: 'token' });
});

it('who brings nothing, or a cookie from elsewhere, is not counted', () => {
  const keys = new Keys('right');
  for (let n = 0; n < 20; n += 1) expect(keys.admit({ cookie: 'old' })).toEqual({ kind: 'unknown' });
  expect(keys.admit({ token: 'right' })).toEqual({ kind: 'token' });
});

it('the cookie of a kept token stays the same, is another for another token, and does not show it', () => {
  const token = newSecret();
  expect(cookieOfKept(token)).toMatch(/^[\w-]{43}$/);
  expect(cookieOfKept(token)).toBe(cookieOfKept(token));
  expect(cookieOfKept(token)).not.toBe(token);
  expect(cookieOfKept(newSecret())).not.toBe(cookieOfKept(token));
  expect(new Keys(token, { cookie: cookieOfKept(token) }).admit({ cookie: cookieOfKept(token) })).toEqual({
    kind: 'cookie',
  });
  expect(new Keys(token).admit({ cookie: cookieOfKept(token) })).toEqual({ kind: 'unknown' });
});

it('the token is no cookie, and the cookie is no token', () => {
  const keys = new Keys(newSecret());
  expect(keys.admit({ cookie: keys.token })).toEqual({ kind: 'unknown' });
  expect(keys.admit({ token: keys.cookie })).toEqual({ kind: 'unknown' });
});
