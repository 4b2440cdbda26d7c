import { describe, expect, it } from 'vitest';
import { readVerdict } from './audit-verdict.js';

const exit = (exitCode: number) => ({ exitCode, timedOut: false });

describe('the verdict of an audit', () => {
  it.each([
    [0, 'approved'],
    [1, 'retry'],
    [10, 'rejected'],
  ])('by its exit: %i is %s', (code, outcome) => {
    expect(readVerdict(exit(code), '')).toEqual({ outcome, reasons: [] });
    expect(readVerdict(exit(code), 'looks like that to me')).toEqual({ outcome, reasons: [] });
    // A line of JSON that is no verdict, such as of a log, decides nothing.
    expect(readVerdict(exit(code), '{"level":"info"}').outcome).toBe(outcome);
  });

  it('in JSON, with reasons, score and message', () => {
    const line = '{"verdict":"retry","reasons":["BLURRY",7,""],"score":0.7,"message":"too dark"}';
    expect(readVerdict(exit(0), line)).toEqual({
      outcome: 'retry',
      reasons: ['BLURRY'],
      score: 0.7,
      message: 'too dark',
    });
    expect(readVerdict(exit(0), '{"verdict":"rejected","reasons":"OFF_MODEL"}').reasons).toEqual(['OFF_MODEL']);
    expect(readVerdict(exit(1), '{"verdict":"rejected"}').outcome).toBe('rejected');
    expect(readVerdict(exit(0), '  {"verdict":"approved","score":1e999}  ')).toEqual({
      outcome: 'approved',
      reasons: [],
    });
  });

  it.each([
    ['half of a verdict', exit(0), '{"verdict":"app'],
    ['another word', exit(0), '{"verdict":"ok"}'],
    ['no word', exit(0), '{"verdict":true}'],
    ['approval with a bad exit', exit(1), '{"verdict":"approved"}'],
    ['an exit that means nothing', exit(2), ''],
    ['a signal', { signal: 'SIGKILL', timedOut: false }, ''],
    ['no start', { notStarted: 'no such program', timedOut: false }, ''],
  ])('that is %s is broken, and approves nothing', (_what, told, line) => {
    expect(readVerdict(told, line)).toMatchObject({ outcome: 'retry', reasons: ['AUDIT_BROKEN'] });
  });

  it('that did not come in time approves nothing, whatever was printed', () => {
    const told = { exitCode: 0, timedOut: true };
    expect(readVerdict(told, '{"verdict":"approved"}')).toMatchObject({
      outcome: 'retry',
      reasons: ['AUDIT_TIMED_OUT'],
    });
  });

  it('keeps a flood of reasons short', () => {
    const reasons = Array.from({ length: 1000 }, () => 'x'.repeat(1000));
    const read = readVerdict(exit(0), JSON.stringify({ verdict: 'retry', reasons, message: 'y'.repeat(1e5) }));
    expect(JSON.stringify(read).length).toBeLessThan(5000);
  });
});
