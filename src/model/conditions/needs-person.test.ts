import { describe, expect, it } from 'vitest';
import { line } from '../../../test/support/facts.js';
import type { Facts } from '../judging/facts.js';

const requests = (count: number, lastRequest: object): Partial<Facts> =>
  ({ streaks: { requests: count, lastRequest: { kind: 'request', sentence: 'A or B?', ...lastRequest } } }) as never;
const missing = (text: string, count = 3, more: Partial<Facts> = {}): Partial<Facts> => ({
  newContent: false,
  streaks: { requests: 0, withoutProgress: count, toolFailures: { x: { count, weight: count, text } } },
  ...more,
});

describe('an agent that depends on a person', () => {
  it('and keeps asking counts as stuck after five requests, whatever it writes beside them', () => {
    const stuck = { changedNothing: false, isStuck: true };
    expect(line('needs_person', requests(5, stuck))).toMatch(/^met.*"A or B\?"/);
    expect(line('needs_person', requests(4, stuck))).toMatch(/^not-met: .*still changes files/);
    expect(line('needs_person', requests(9, { changedNothing: false }))).toMatch(/^not-met: .*still changes files/);
    expect(line('needs_person', requests(9, { changedNothing: false, isStuck: false }))).toMatch(/^not-met/);
  });

  it('is not stopped by that in a run of version 1', () => {
    const stuck = requests(9, { changedNothing: false, isStuck: true });
    expect(line('needs_person', { ...stuck, rules: {} })).toMatch(/^not-met/);
    expect(line('needs_person', { ...stuck, rules: { needs_person: 2 } })).toMatch(/^met/);
    expect(line('needs_person', { claims: { blocked: 'no key' }, rules: {} })).toMatch(/^met.*"no key"/);
  });

  it('and asked by a question that is waited for is not stopped by what it says meanwhile', () => {
    const blocked = { claims: { blocked: 'which key?' } };
    expect(line('needs_person', { ...blocked, isAnswerExpected: true })).toMatch(/^not-met: .*waits for the answer$/);
    expect(line('needs_person', { ...blocked, isAnswerExpected: false })).toMatch(/^met/);
  });

  it('is unknown where nothing of the request is known', () => {
    expect(line('needs_person', { streaks: { requests: 2 } })).toMatch(/^unknown/);
  });

  it('counts attempts in a pipeline', () => {
    const { streaks } = requests(1, { changedNothing: true });
    expect(line('needs_person', { streaks: streaks ?? {}, pipeline: {} as never })).toMatch(/1 of 2 attempts/);
  });

  it.each([
    'sh: 1: docker: not found',
    'bash: terraform: command not found',
    'playwright is not installed',
    'chromium has not been installed',
    "'az' is not recognized as an internal or external command",
    'You are not logged in',
    'please log in first',
    'Error: login required',
    'authentication failed',
    'HTTP 401 from the registry',
    'Unauthorised',
    'credentials are missing',
    'no valid API key',
    'git@example.com: Permission denied (publickey)',
    'fatal: could not read Username for https://example.com',
    'npm error code E401',
    'npm error code ENEEDAUTH',
    'npm error Unable to authenticate, your authentication token seems to be invalid.',
    'error: You must be logged in to the server (Unauthorized)',
    'fatal error: Unable to locate credentials',
    'Error: No valid credential sources found',
    'An error occurred (ExpiredToken): the security token included in the request is expired',
    'denied: requested access to the resource is denied',
    'ERROR 1045 (28000): Access denied for user app@localhost',
    'remote: HTTP Basic: Access denied',
    'Error: Incorrect API key provided: sk-***.',
    'ERROR: Please run `az login` to setup account.',
    'To get started with GitHub CLI, please run: gh auth login',
  ])('that misses a program or a login again and again is stopped, with its words: %s', (text) => {
    expect(line('needs_person', missing(text))).toBe(`met 1: a program or a login is missing: "${text}"`);
  });

  it('is not stopped by a lack beside its work: all of these iterations have to be without progress', () => {
    const facts = missing('bash: eslint: command not found', 5);
    const worked = { ...facts, streaks: { ...facts.streaks, withoutProgress: 2 } };
    expect(line('needs_person', worked)).toMatch(/^not-met/);
    expect(
      line('needs_person', { ...worked, streaks: { ...worked.streaks, withoutProgress: undefined } as never }),
    ).toMatch(/^not-met/);
    expect(line('needs_person', { ...worked, rules: { needs_person: 2 } })).toMatch(/^met/);
  });

  it('misses in a run of version 2 what its rule names', () => {
    const rules = { needs_person: 2 };
    expect(line('needs_person', missing('npm error code E401', 3, { rules }))).toMatch(/^not-met/);
    expect(line('needs_person', missing('HTTP 401 from the registry', 3, { rules }))).toMatch(/^met/);
  });

  it('is not stopped by a lack that it has not met often, that is none, or that leaves it work to do', () => {
    const text = 'bash: terraform: command not found';
    expect(line('needs_person', missing(text, 2))).toMatch(/^not-met/);
    const seldom = missing(text, 2);
    expect(line('needs_person', { ...seldom, streaks: { ...seldom.streaks, withoutProgress: 9 } })).toMatch(/^not-met/);
    for (const other of [
      'String to replace not found',
      'npm error code E404',
      'EACCES: permission denied',
      'login.test.ts',
    ])
      expect(line('needs_person', missing(other, 9))).toMatch(/^not-met/);
    expect(line('needs_person', missing(text, 3, { newContent: true }))).toMatch(/^not-met/);
    expect(line('needs_person', missing(text, 3, { newContent: undefined }))).toMatch(/^not-met/);
    expect(line({ needs_person: 3 }, missing(text, 3))).toMatch(/^not-met/);
    expect(line({ needs_person: 3 }, missing(text, 4))).toMatch(/^met/);
  });

  it.each(['PAWL: NEEDS', '**pawl: blocked**', 'pawl need.'])(
    'and does not say what it needs is not quoted: %s',
    (said) => {
      expect(line('needs_person', { claims: { blocked: said } })).toMatch(/^met 1: .*does not say what$/);
    },
  );

  it.each(['PAWL: NEEDS the key', 'my pawl: needs', 'pawl'])('and says what it needs is quoted: %s', (said) => {
    expect(line('needs_person', { claims: { blocked: said } })).toBe(`met 1: the agent needs you: "${said}"`);
  });
});
