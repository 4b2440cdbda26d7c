import { expect, it } from 'vitest';
import { isUpgraded } from './installed-packages.js';

const lock = (version: string) =>
  JSON.stringify({ packages: { 'node_modules/expects': { version }, 'node_modules/b': {} } });
const manifest = (range: string) => JSON.stringify({ devDependencies: { expects: range } });
const none = { before: undefined, now: undefined };

it.each([
  ['another version in the lock file', { before: lock('1.0.0'), now: lock('1.1.0') }, none, true],
  ['the first lock file', { before: undefined, now: lock('1.1.0') }, none, true],
  ['a lock file that is about others', { before: lock('1.0.0'), now: `${lock('1.0.0')}\n` }, none, false],
  [
    'another range, which the lock file does not know',
    { before: lock('1.0.0'), now: lock('1.0.0') },
    { before: manifest('^1.0.0'), now: manifest('^2.0.0') },
    false,
  ],
  ['another range without a lock file', none, { before: manifest('^1.0.0'), now: manifest('^2.0.0') }, true],
  ['nothing', none, { before: manifest('^1.0.0'), now: manifest('^1.0.0') }, false],
  ['a manifest that cannot be read', none, { before: '{', now: '{' }, false],
])('%s makes a package that differs an upgrade: %#', (_, locks, manifests, isOne) => {
  expect(isUpgraded('node_modules/expects', locks, manifests)).toBe(isOne);
});

it('a package below the top is one of its own in the lock file', () => {
  const nested = JSON.stringify({
    packages: { 'node_modules/expects': { version: '1.0.0' }, 'a/node_modules/expects': {} },
  });
  const locks = { before: lock('1.0.0'), now: nested };
  expect(isUpgraded('a/node_modules/expects', locks, none)).toBe(false);
  const versions = nested.replace('{}', '{ "version": "2.0.0" }');
  expect(isUpgraded('a/node_modules/expects', { ...locks, now: versions }, none)).toBe(true);
});
