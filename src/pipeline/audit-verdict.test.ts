import { describe, expect, it } from 'vitest';
import { readVerdict as readLines } from './audit-verdict.js';

const readVerdict = (told: Parameters<typeof readLines>[0], output: string) => readLines(told, output.split('\n'));
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
    expect(readVerdict(exit(0), '  {"verdict":"approved","score":null}  ')).toEqual({
      outcome: 'approved',
      reasons: [],
    });
  });

  it('in JSON over several lines, as jq prints it', () => {
    const verdict = {
      verdict: 'retry',
      reasons: ['DARK', 'BLURRY'],
      parts: [{ a: {} }, { b: 1 }],
      message: 'a { in a text',
    };
    const pretty = JSON.stringify(verdict, undefined, 2);
    for (const output of [
      pretty,
      `some words {\n\n{"level":"info"}\n${pretty}\n\n`,
      `{\n${pretty}`,
      pretty.replaceAll('\n', '\r\n'),
    ]) {
      expect(readVerdict(exit(0), output)).toMatchObject({ outcome: 'retry', reasons: ['DARK', 'BLURRY'] });
    }
    // As on one line: what is followed by words is not the end.
    expect(readVerdict(exit(0), `${pretty}\nall looked at`).outcome).toBe('approved');
    expect(readVerdict(exit(10), JSON.stringify({ level: 'info' }, undefined, 2)).outcome).toBe('rejected');
    expect(readVerdict(exit(0), '{"level":"info"}\n"fox" is fine').outcome).toBe('approved');
    expect(readVerdict(exit(0), 'looked at {fox}').outcome).toBe('approved');
  });

  it('keeps a verdict that does not approve when its score is no number, and says so', () => {
    expect(readVerdict(exit(0), '{"verdict":"rejected","score":"high","message":"dark"}')).toEqual({
      outcome: 'rejected',
      reasons: [],
      message: 'dark; its score is no number: "high"',
    });
  });

  it.each([
    ['half of a verdict over several lines', exit(0), '{\n  "verdict": "retry",\n  "message": "x"'],
    ['a verdict over several lines that is not JSON', exit(0), "{\n  'verdict': 'retry'\n}"],
    ['the end of one', exit(0), '  "verdict": "retry"\n}'],
    ['two verdicts in one', exit(0), '{"verdict":"retry","verdict":"approved"}'],
    ['approval over several lines with a bad exit', exit(10), '{\n"verdict":"approved"\n}'],
    ['approval with a score that is no number', exit(0), '{"verdict":"approved","score":"0.9"}'],
    ['approval with a score without end', exit(0), '{"verdict":"approved","score":1e999}'],
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
