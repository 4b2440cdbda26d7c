import { expect, it } from 'vitest';
import { ConfigError, FileSystemError, InvalidState, JournalDamaged } from '../../../model/errors.js';
import { Refusal, refusalOf, UNEXPECTED } from './refusal.js';

const missing = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

it.each([
  [new ConfigError([{ path: 'stop', message: 'no', place: 'policy:3:5' }]), 400],
  [new InvalidState('stopped', 'pause'), 409],
  [new FileSystemError('open', '/a/journal.jsonl', missing), 404],
  [new FileSystemError('open', '/a/journal.jsonl', full), 503],
  [new JournalDamaged('/a/journal.jsonl', 7, 'it has no end'), 409],
  [new Refusal(413, 'too large'), 413],
])('%s has a status and a sentence', (error, status) => {
  const refusal = refusalOf(error);
  expect(refusal.status).toBe(status);
  expect(refusal.body.error).not.toBe('');
});

it('the place of an issue is told', () => {
  const { body } = refusalOf(new ConfigError([{ path: 'stop', message: 'no', place: 'policy:3:5' }]));
  expect(body).toEqual({ error: 'no', issues: [{ place: 'policy:3:5', message: 'no' }] });
});

it('what nobody expected tells nothing of the inside', () => {
  const { status, body } = refusalOf(new TypeError('secret is not a function'));
  expect({ status, body }).toEqual({ status: 500, body: { error: UNEXPECTED } });
});
