import { describe, expect, it } from 'vitest';
import { AuditReader } from './audit-verdict.js';

function readVerdict(told: Parameters<AuditReader['verdict']>[0], output: string, errors = '') {
  const reader = new AuditReader();
  for (const line of output.split('\n')) reader.add(line);
  const stderr = new AuditReader();
  for (const line of errors.split('\n')) stderr.add(line);
  return reader.verdict(told, stderr);
}
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
    expect(readVerdict(exit(0), `${pretty}\nall checked`).outcome).toBe('retry');
    expect(readVerdict(exit(10), JSON.stringify({ level: 'info' }, undefined, 2)).outcome).toBe('rejected');
    expect(readVerdict(exit(0), '{"level":"info"}\n"fox" is fine').outcome).toBe('approved');
    expect(readVerdict(exit(0), 'looked at {fox}').outcome).toBe('approved');
  });

  const rejected = '{"verdict":"rejected","reasons":["DARK"]}';
  it.each([
    ['with a line after it', `${rejected}\nchecked 1 file`],
    ['with a word before it', `verdict: ${rejected}`],
    ['with words on both sides', `the model says ${rejected}, in 3 s`],
    ['in colour', `\u001b[31m${rejected}\u001b[0m`],
    ['with colour inside', `{"verdict":\u001b[32m"rejected"\u001b[39m,"reasons":["DARK"]}`],
    ['in a code block', `\`\`\`json\n${rejected}\n\`\`\`\nDone.`],
    ['after an open brace in prose', `looks like { to me\n${rejected}\nok`],
    ['inside another object', `{"result":${rejected}}`],
    ['before a flood of lines', `${rejected}\n${'a line of a log\n'.repeat(20_000)}`],
    ['before a flood inside an open brace', `${rejected}\n{\n${'a line of a log\n'.repeat(20_000)}`],
    ['before one that approves', `${rejected}\n{"verdict":"approved"}`],
    ['after one that approves', `{"verdict":"approved"}\n${rejected}`],
    ['before one that asks for a retry', `${rejected} {"verdict":"retry"}`],
    ['before one that is cut off', `${rejected}\n{"verdict":"app`],
  ])('that rejects, %s, is never approved by exit code 0', (_where, output) => {
    expect(readVerdict(exit(0), output)).toMatchObject({ outcome: 'rejected', reasons: ['DARK'] });
  });

  it.each([
    ['by itself', rejected],
    ['over several lines', JSON.stringify(JSON.parse(rejected), undefined, 2)],
    ['in a line of a log', `INFO the model says ${rejected}`],
  ])('that rejects on stderr, %s, is never approved by exit code 0 or by stdout', (_where, errors) => {
    for (const output of ['', 'checked 1 file', '{"verdict":"approved"}', '{"verdict":"retry"}']) {
      expect(readVerdict(exit(0), output, errors)).toMatchObject({ outcome: 'rejected', reasons: ['DARK'] });
    }
  });

  it('on stderr counts only as a complete JSON object', () => {
    for (const errors of ['{"verdict":', "{'verdict': 'rejected'}", '+ grep "verdict": file', '  a: 1\n}', '{"a":']) {
      expect(readVerdict(exit(0), '', errors).outcome).toBe('approved');
    }
    expect(readVerdict(exit(1), '', '{"verdict":"approved"}').reasons).toEqual(['AUDIT_BROKEN']);
    expect(readVerdict(exit(0), '', '{"verdict":"fail"}').reasons).toEqual(['AUDIT_BROKEN']);
  });

  it.each([
    ['a lone brace', '}'],
    ['a line of code', 'export function f() {\n  return 1;\n}'],
    ['half an object without a verdict', '{"level":"info",\n"at":"'],
    ['an object that is not JSON', "{ level: 'info' }"],
  ])('is not suspected in an output that ends with %s', (_what, output) => {
    expect(readVerdict(exit(0), output)).toEqual({ outcome: 'approved', reasons: [] });
  });

  it('of the outer object counts when it holds the verdicts of single checks', () => {
    const checks = [{ verdict: 'pass' }, { verdict: 'retry' }];
    expect(readVerdict(exit(0), JSON.stringify({ verdict: 'approved', checks })).outcome).toBe('approved');
    expect(readVerdict(exit(0), JSON.stringify({ checks })).outcome).toBe('retry');
    expect(readVerdict(exit(0), JSON.stringify({ checks: checks.slice(0, 1) })).outcome).toBe('approved');
  });

  it('may be quoted in a text when it is also printed by itself', () => {
    const quoted = JSON.stringify({ result: 'I say {"verdict":"retry"}' });
    expect(readVerdict(exit(0), `${quoted}\n{"verdict":"approved"}`).outcome).toBe('approved');
    expect(readVerdict(exit(0), quoted)).toMatchObject({ outcome: 'retry', reasons: ['AUDIT_BROKEN'] });
  });

  it('is not a sentence about one', () => {
    expect(readVerdict(exit(0), 'verdict: approved').outcome).toBe('approved');
    expect(readVerdict(exit(0), 'no verdict yet, retry later').outcome).toBe('approved');
  });

  it('keeps a verdict that does not approve when its score is no number, and says so', () => {
    expect(readVerdict(exit(0), '{"verdict":"rejected","score":"high","message":"dark"}')).toEqual({
      outcome: 'rejected',
      reasons: [],
      message: expect.stringMatching(/^dark; .*score.*"high"$/),
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
    ['half of a verdict with lines after it', exit(0), '{"verdict":"rej\nchecked'],
    ['a dictionary as Python prints it', exit(0), "{'verdict': 'rejected'}\nchecked"],
    ['an object as Node.js prints it', exit(0), "{ verdict: 'rejected' }\nchecked"],
    ['an object as Node.js prints it over several lines', exit(0), "{\n  verdict: 'rejected',\n  a: 1\n}\nchecked"],
    ['an object as Node.js prints it, with an unknown word', exit(0), "{ verdict: 'fail' }"],
    ['the same over several lines', exit(0), "{\n  verdict: 'fail'\n}"],
    [
      'a verdict that cannot be read, before one that approves',
      exit(0),
      '{"verdict":rejected}\n{"verdict":"approved"}',
    ],
    ['approval by a verdict anywhere with a bad exit', exit(1), '{"verdict":"approved"}\nchecked'],
    ['an unknown word with lines after it', exit(0), '{"verdict":"fail"}\nchecked'],
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

  it('takes time in proportion to its length, however deep it is nested', () => {
    const deep = `${'{"a":'.repeat(50_000)}{"verdict":"approved"}${'}'.repeat(50_000)}`;
    expect(readVerdict(exit(10), deep).outcome).not.toBe('approved');
  });

  it('keeps a flood of reasons short', () => {
    const reasons = Array.from({ length: 1000 }, () => 'x'.repeat(1000));
    const read = readVerdict(exit(0), JSON.stringify({ verdict: 'retry', reasons, message: 'y'.repeat(1e5) }));
    expect(JSON.stringify(read).length).toBeLessThan(5000);
  });
});
