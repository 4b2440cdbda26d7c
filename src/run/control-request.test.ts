import { describe, expect, it } from 'vitest';
import type { ClaimReport } from './agent-reports.js';
import { MOST_TEXT_BYTES } from '../model/loop-command.js';
import { parseRequest } from './control-request.js';

const request = (command: unknown, more: object = {}) => JSON.stringify({ run: 'loop_x', command, by: 'me', ...more });
const parsed = (command: unknown) => parseRequest(request(command)) as { command?: unknown };
const claimed = (claim: unknown, more: object = {}) =>
  JSON.stringify({ run: 'loop_x', claim, cookie: 'loop_x.1.1', by: 'me', ...more });

describe('a request through the control socket', () => {
  it.each([
    [{ type: 'pause' }],
    [{ type: 'resume' }],
    [{ type: 'skip' }],
    [{ type: 'approve' }],
    [{ type: 'reboot' }],
    [{ type: 'stop' }],
    [{ type: 'stop', now: true }],
    [{ type: 'steer', text: 'look' }],
    [{ type: 'reject', text: 'no' }],
    [{ type: 'extend', limit: { type: 'max_iterations', count: 9 } }],
    [{ type: 'extend', limit: { type: 'circuit_breaker', attempts: 9 } }],
  ])('%j is taken as it is', (command) => expect(parsed(command).command).toEqual(command));

  it('a limit may be written in short', () => {
    expect(parsed({ type: 'extend', limit: { max_cost: 20 } }).command).toEqual({
      type: 'extend',
      limit: { type: 'max_cost', usd: 20 },
    });
    expect(parsed({ type: 'stop', now: false }).command).toEqual({ type: 'stop' });
  });

  it.each([
    ['garbage', 'one line of JSON'],
    ['', 'one line of JSON'],
    ['null', 'an object'],
    ['[]', 'an object'],
    ['"stop"', 'an object'],
    ['['.repeat(60_000), 'one line of JSON'],
    [JSON.stringify({ command: { type: 'stop' } }), 'names its run'],
    [request({ type: 'stop' }, { run: 7 }), 'names its run'],
    [request({ type: 'stop' }, { by: {} }), 'by is a text'],
    [request({ type: 'stop' }, { more: 1 }), 'no field "more"'],
    [request(undefined), 'an object with a type'],
    [request('stop'), 'an object with a type'],
    [request({}), 'an object with a type'],
    [request({ type: 'stpo' }), 'did you mean'],
    [request({ type: 'constructor' }), 'unknown command'],
    [request({ type: '__proto__' }), 'unknown command'],
    [request({ type: 'x'.repeat(50_000) }), 'unknown command'],
    [request({ type: 'pause', now: true }), 'pause has no field "now"'],
    [request({ type: 'stop', now: 'yes' }), 'true or false'],
    [request({ type: 'stop', now: null }), 'true or false'],
    [request({ type: 'steer' }), 'not empty'],
    [request({ type: 'steer', text: ' \n' }), 'not empty'],
    [request({ type: 'steer', text: ['a'] }), 'not empty'],
    [request({ type: 'answer', text: '\u001b[A' }), 'not empty'],
    [request({ type: 'answer', text: '\u001bOA \u001b[1;5C' }), 'not empty'],
    [request({ type: 'answer', text: '\u001b[2J\u0007\u0000' }), 'not empty'],
    [request({ type: 'answer', text: '\u202e\u200b\u2028' }), 'not empty'],
    [request({ type: 'reject', text: 'ä'.repeat(MOST_TEXT_BYTES / 2 + 1) }), '8192 are allowed'],
    [request({ type: 'extend' }), 'limit'],
    [request({ type: 'extend', limit: { max_cost: -1 } }), 'above 0'],
    [request({ type: 'extend', limit: { max_cost: Infinity } }), 'above 0'],
    [request({ type: 'extend', limit: 'all_tests_pass' }), 'takes a limit'],
    [request({ type: 'extend', limit: { type: 'max_cost', usd: 1, class: 'goal' } }), 'takes a limit'],
    [request({ type: 'extend', limit: { any: [{ custom_script: 'rm -rf x' }] } }), 'takes a limit'],
    [request({ type: 'extend', limit: { type: 'function', name: 'f' } }), 'takes a limit'],
    [request({ type: 'extend', limit: { retry_rate: 0.5 } }), 'takes a limit'],
    [claimed({ claim: 'won', evidence: 'x' }), 'done or blocked'],
    [claimed({ claim: 'done' }), 'evidence that is not empty'],
    [claimed({ claim: 'done', evidence: ' ' }), 'evidence that is not empty'],
    [claimed({ claim: 'done', evidence: 'x', sure: true }), 'no field "sure"'],
    [claimed('done'), 'an object with claim and evidence'],
    [claimed({ claim: 'done', evidence: 'x' }, { cookie: 7 }), 'the cookie of its iteration'],
    [claimed({ claim: 'done', evidence: 'x' }, { key: 7 }), 'the key of a claim is a text'],
    [claimed({ claim: 'done', evidence: 'x' }, { command: { type: 'stop' } }), 'no field "command"'],
  ])('%.60s is refused in words', (line, why) => {
    expect(() => parseRequest(line)).toThrow(expect.objectContaining({ code: 'ConfigError' }));
    expect(() => parseRequest(line)).toThrow(new RegExp(why, 'i'));
  });

  it('a text of 8 KB is taken', () => {
    const text = 'x'.repeat(MOST_TEXT_BYTES);
    expect(parsed({ type: 'steer', text }).command).toEqual({ type: 'steer', text });
  });

  it('what an agent reports is no command, and its evidence is cut between characters', () => {
    const evidence = '😀'.repeat(MOST_TEXT_BYTES);
    const { report } = parseRequest(claimed({ claim: 'done', evidence })) as { report?: ClaimReport };
    expect(report).toMatchObject({ claim: { claim: 'done' }, cookie: 'loop_x.1.1' });
    expect(report?.claim.evidence).toMatch(/^(?:😀)+…$/u);
    expect(Buffer.byteLength(report?.claim.evidence ?? '')).toBeLessThanOrEqual(MOST_TEXT_BYTES);
    const whole = 'x'.repeat(MOST_TEXT_BYTES);
    expect(parseRequest(claimed({ claim: 'done', evidence: whole }))).toMatchObject({
      report: { claim: { evidence: whole } },
    });
  });

  it('who asks is shown in terminals: one short line, nothing that moves the cursor or the order of letters', () => {
    const by = (text: unknown) => parseRequest(request({ type: 'stop' }, { by: text })).by;
    expect(by('pawl stop (pid 123)')).toBe('pawl stop (pid 123)');
    expect(by('a\u001b[31m\nb\u202ec\u0000')).toBe('a [31m b c');
    expect(by('  ')).toBe('a client');
    expect(by(undefined)).toBe('a client');
    expect(Array.from(by('😀'.repeat(200)))).toHaveLength(80);
  });
});
