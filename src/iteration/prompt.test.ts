import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { baseline, begin, end, started, stateAfter } from '../../test/support/record.js';
import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { feedbackValues, loadPrompt, renderPrompt } from './prompt.js';
import { createPromptEcho } from './speech.js';

const NO_FEEDBACK = { iteration: '1', max_iterations: '25', feedback: '', failing_tests: '', last_summary: '' };
const NOTHING = { ...NO_FEEDBACK, left: '' };
const rendered = (...given: Parameters<typeof renderPrompt>) => renderPrompt(...given).prompt;

describe('a prompt', () => {
  it('has its known names replaced, and no other brace', () => {
    const template = 'Iteration {{iteration}} of {{ max_iterations }}: {{unknown}} {{#if}} {iteration}';
    expect(rendered(template, NOTHING, {})).toBe('Iteration 1 of 25: {{unknown}} {{#if}} {iteration}');
  });

  it('never replaces inside what was put in: an agent that writes {{feedback}} gets no echo', () => {
    const values = { ...NOTHING, last_summary: 'I saw {{iteration}} and $& and $1' };
    expect(rendered('Last: {{last_summary}}', values, {})).toBe('Last: I saw {{iteration}} and $& and $1');
  });

  it('gets feedback at its end when it has no place for it', () => {
    const values = { ...NOTHING, feedback: 'Tests: 1 of 2 fail.' };
    expect(rendered('Fix it.\n', values, {})).toBe('Fix it.\n\nTests: 1 of 2 fail.\n');
    expect(rendered('{{feedback}}\nFix it.', values, {})).toBe('Tests: 1 of 2 fail.\nFix it.');
    expect(rendered('Fix it.\n', NOTHING, {})).toBe('Fix it.\n');
  });

  it('gets what is left after the feedback when it has no place for it', () => {
    const values = { ...NOTHING, feedback: 'Tests: 1 of 2 fail.', left: 'Iteration 1 of 25.' };
    expect(rendered('Fix it.\n', values, {})).toBe(
      'Fix it.\n\nTests: 1 of 2 fail.\n\n## What is left\n\nIteration 1 of 25.\n',
    );
    expect(rendered('Fix it. {{left}}', values, {})).toBe('Fix it. Iteration 1 of 25.\n\nTests: 1 of 2 fail.\n');
    expect(rendered('Fix it. {{ left }} {{feedback}}', values, {})).toBe(
      'Fix it. Iteration 1 of 25. Tests: 1 of 2 fail.',
    );
  });

  it('ends with the request for a status line, after everything else, and only where it is to be read', () => {
    const values = { ...NOTHING, feedback: 'Tests: 1 of 2 fail.' };
    const spec = { statusLine: true };
    expect(rendered('Fix it.\n', values, spec)).toBe(`Fix it.\n\nTests: 1 of 2 fail.\n\n${STATUS_LINE_PROMPT}\n`);
    expect(rendered('{{feedback}}\nFix it.', values, spec)).toBe(
      `Tests: 1 of 2 fail.\nFix it.\n\n${STATUS_LINE_PROMPT}\n`,
    );
    expect(rendered('Fix it.\n', NOTHING, { statusLine: false })).toBe('Fix it.\n');
  });
});

describe('a prompt file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-prompt-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is read anew each time', async () => {
    const promptPath = join(folder, 'PROMPT.md');
    writeFileSync(promptPath, 'one');
    expect(loadPrompt({ promptPath, workingDir: folder })).toBe('one');
    writeFileSync(promptPath, 'two');
    expect(loadPrompt({ promptPath, workingDir: folder })).toBe('two');
  });

  it.each([
    ['missing', join(folder, 'gone.md'), 'no such file'],
    ['a folder', folder, 'not a regular file'],
    ['a device that never ends', '/dev/zero', 'not a regular file'],
  ])('that is %s is an error that names it', async (_, promptPath, why) => {
    expect(() => loadPrompt({ promptPath, workingDir: folder })).toThrow(
      expect.objectContaining({
        code: 'PromptLoadFailed',
        message: expect.stringContaining(why),
      }),
    );
  });

  it('that became a link to a file outside the working directory is not read', async () => {
    const workingDir = mkdtempSync(join(folder, 'tree-'));
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'a key');
    writeFileSync(join(workingDir, 'real.md'), 'the task');
    const promptPath = join(workingDir, 'PROMPT.md');
    symlinkSync('real.md', promptPath);
    expect(loadPrompt({ promptPath, workingDir })).toBe('the task');
    rmSync(promptPath);
    symlinkSync(secret, promptPath);
    expect(() => loadPrompt({ promptPath, workingDir })).toThrow(
      expect.objectContaining({
        code: 'PromptLoadFailed',
        message: expect.stringMatching(new RegExp(`${secret}, outside the working directory`)),
      }),
    );
    // Where it led there when the run started, somebody has confirmed it.
    expect(loadPrompt({ promptPath, workingDir, promptPlace: secret })).toBe('a key');
    writeFileSync(join(folder, 'other.txt'), 'another key');
    rmSync(promptPath);
    symlinkSync(join(folder, 'other.txt'), promptPath);
    expect(() => loadPrompt({ promptPath, workingDir, promptPlace: secret })).toThrow('outside');
  });

  it('that is empty is an error', async () => {
    const promptPath = join(folder, 'empty.md');
    writeFileSync(promptPath, ' \n');
    expect(() => loadPrompt({ promptPath, workingDir: folder })).toThrow('it is empty');
  });
});

describe('feedback', () => {
  const tests = {
    source: 'harness',
    exitCode: 1,
    passed: 1,
    failed: 2,
    details: [
      { name: 'adds', status: 'passed' },
      { name: 'subtracts', status: 'failed', error: 'expected 1\n  got 2' },
      { name: 'divides', status: 'error' },
    ],
  } as const;

  it('is nothing before the first iteration', () => {
    expect(feedbackValues(stateAfter(started(), baseline()), 1)).toEqual({
      ...NO_FEEDBACK,
      max_iterations: 'unlimited',
    });
  });

  it('names failing tests, failed checks and what the operator said', () => {
    const state = stateAfter(
      started({ limits: [{ type: 'max_iterations', count: 7 }] }),
      begin(1),
      end(1, { observation: { tests, checks: { lint: { passed: false, output: 'line 3: no' } }, summary: 'tried' } }),
      { type: 'command-received', command: { type: 'steer', text: 'mind the zero' }, by: 'code' },
    );
    const values = feedbackValues(state, 2);
    expect(values).toMatchObject({
      iteration: '2',
      max_iterations: '7',
      failing_tests: 'subtracts\ndivides',
      last_summary: 'tried',
    });
    expect(values.feedback).toBe(
      '## Feedback from the runner\n\nThe operator says: mind the zero\n\nTests: 2 of 3 fail.\n- subtracts: expected 1 got 2\n- divides\n\nThe check lint fails:\nline 3: no',
    );
  });

  it('repeats what the last real iteration showed after a refused try', () => {
    const failed = end(1, { outcome: 'failed', error: 'it broke', observation: { tests, summary: 'tried' } });
    const refused = end(2, { outcome: 'limited', error: 'busy', observation: { summary: 'You hit your limit' } });
    const values = feedbackValues(stateAfter(started(), begin(1), failed, begin(2), refused), 2);
    expect(values).toMatchObject({ last_summary: 'tried', failing_tests: 'subtracts\ndivides' });
    expect(values.feedback).toContain('Iteration 1 failed: it broke');
    expect(values.feedback).toContain('Tests: 2 of 3 fail.');
  });

  it.each([
    ['an orderly stop', 'operator', []],
    [
      'an iteration that was cut off',
      'operator',
      [begin(2), end(2, { outcome: 'interrupted', interruption: 'operator' })],
    ],
    ['a crash', 'crash', [begin(2), end(2, { outcome: 'interrupted', interruption: 'crash' })]],
  ] as const)('still names the failing tests after %s and a resume, and says how old they are', (_, cause, cut) => {
    const goal = { type: 'all_tests_pass' } as const;
    const drafts = [started({ success: [goal] }), begin(1), end(1, { observation: { tests } }), ...cut];
    const resumed = stateAfter(
      ...drafts,
      { type: 'run-ended', state: 'stopped', reasons: [] },
      { type: 'run-resumed', cause },
    );
    const state = { ...resumed, verdict: evaluateRun(resumed) };
    const { feedback, failing_tests } = feedbackValues(state, 3);
    expect(failing_tests).toBe('subtracts\ndivides');
    expect(feedback).toMatch(/tests were last run after iteration 1\./);
    expect(feedback).toContain('Tests: 2 of 3 fail.\n- subtracts: expected 1 got 2');
    expect(feedback).not.toContain('not run');
    expect(state.verdict.judgements).toMatchObject([{ status: 'unknown' }]);
  });

  it('has what a review misses, however much the tests print', () => {
    const details = Array.from({ length: 20 }, (_, n) => {
      return { name: `${n} ${'x'.repeat(300)}`, status: 'failed', error: 'y'.repeat(400) } as const;
    });
    const about = { iteration: 1, cause: 'every', reviewer: 'r', evidence: 'e', durationMs: 1 } as const;
    const state = stateAfter(
      started(),
      begin(1),
      end(1, { observation: { tests: { ...tests, passed: 0, failed: 20, details, output: 'z'.repeat(2000) } } }),
      { type: 'review-ended', ...about, opinion: { answer: 'not_done', reasons: ['the docs are missing'] } },
    );
    const { feedback } = feedbackValues(state, 2);
    expect(feedback).toContain('- the docs are missing');
    expect(feedback).toContain('Tests: 20 of 20 fail.');
  });

  it('names the tests of the next iteration once they are run', () => {
    const state = stateAfter(
      started(),
      begin(1),
      end(1, { observation: { tests } }),
      { type: 'run-ended', state: 'stopped', reasons: [] },
      { type: 'run-resumed', cause: 'operator' },
      begin(2),
      end(2, { observation: { tests: { ...tests, failed: 1, passed: 2 } } }),
    );
    const { feedback } = feedbackValues(state, 3);
    expect(feedback).toContain('Tests: 1 of 3 fail.');
    expect(feedback).not.toContain('last run');
  });

  it('tells why the last iteration did not get to its end', () => {
    const state = stateAfter(started(), begin(1), end(1, { outcome: 'timed-out', error: 'it took too long' }));
    expect(feedbackValues(state, 2).feedback).toMatch(/Iteration 1 .*: it took too long/);
  });

  it('is cut to 8 KB, the operator first', () => {
    const output = 'x'.repeat(50_000);
    const state = stateAfter(
      started(),
      begin(1),
      end(1, { observation: { checks: { lint: { passed: false, output } } } }),
      { type: 'command-received', command: { type: 'steer', text: 'STEER' }, by: 'code' },
    );
    const { feedback } = feedbackValues(state, 2);
    expect(feedback.length).toBeLessThanOrEqual(8192);
    expect(feedback).toContain('STEER');
  });

  it('delivers every word of the operator, however many steers there are', () => {
    const texts = Array.from({ length: 30 }, (_, index) => `note ${index} ${'y'.repeat(250)} end`);
    const checks = { lint: { passed: false, output: 'x'.repeat(50_000) } };
    const steers = texts.map(
      (text) => ({ type: 'command-received', command: { type: 'steer', text }, by: 'me' }) as const,
    );
    const { feedback } = feedbackValues(
      stateAfter(started(), begin(1), end(1, { observation: { checks } }), ...steers),
      2,
    );
    for (const text of texts) expect(feedback).toContain(text);
    expect(feedback).toContain('The check lint fails');
    expect(feedback.length).toBeLessThan(12_000);
  });

  it('repeats a steer until an iteration has heard it', () => {
    const steer = { type: 'command-received', command: { type: 'steer', text: 'left' }, by: 'code' } as const;
    const limited = stateAfter(started(), steer, begin(1), end(1, { outcome: 'limited' }));
    expect(feedbackValues(limited, 1).feedback).toContain('left');
    const heard = stateAfter(started(), steer, begin(1), end(1));
    expect(feedbackValues(heard, 2).feedback).not.toContain('left');
  });
});

describe('an echo of the prompt', () => {
  const PROMPT = 'Do the work.\nSay DONE when all is well.\n';
  const WHOLE = `Do it, then say DONE.\n\n## What is left\n\nIteration 1.\n\n${STATUS_LINE_PROMPT}\n`;
  const own = (lines: readonly string[]): string[] => {
    const echo = createPromptEcho(PROMPT);
    return [...lines.flatMap((line) => echo.filter(line)), ...echo.end()];
  };

  it.each<[string, string[], string[]]>([
    ['is left out whole', ['Do the work.', 'Say DONE when all is well.', 'hello'], ['hello']],
    [
      'is left out after other lines, with other spaces',
      ['agent 1.0', '> '.trim(), '  Do the work.', 'Say DONE when all is well.  ', 'ok'],
      ['agent 1.0', '>', 'ok'],
    ],
    ['that breaks off is no echo', ['Do the work.', 'DONE'], ['Do the work.', 'DONE']],
    ['of one line only is no echo', ['Say DONE when all is well.'], ['Say DONE when all is well.']],
    ['that begins twice', ['Do the work.', 'Do the work.', 'Say DONE when all is well.'], ['Do the work.']],
    ['that never ends is given back', ['x', 'Do the work.'], ['x', 'Do the work.']],
    ['is left out each time', [...PROMPT.trim().split('\n'), 'a', ...PROMPT.trim().split('\n'), 'DONE'], ['a', 'DONE']],
  ])('%s', (_, lines, expected) => expect(own(lines)).toEqual(expected));

  it.each<[string, string[], string[]]>([
    ['of the own part alone, as a title', ['Do it, then say DONE.', 'hello'], ['hello']],
    ['of the whole after a title', ['Do it, then say DONE.', ...WHOLE.trim().split('\n'), 'hello'], ['hello']],
    ['of the request for a status line', ['> `PAWL: DONE` if everything asked for is finished', 'hello'], ['hello']],
  ])('%s is left out where Pawl has added to the prompt', (_, lines, expected) => {
    const echo = createPromptEcho(WHOLE, 'Do it, then say DONE.');
    expect([...lines.flatMap((line) => echo.filter(line)), ...echo.end()]).toEqual(expected);
    const report = createPromptEcho(WHOLE, 'Do it, then say DONE.');
    expect([...report.filter('PAWL: DONE'), ...report.end()]).toEqual(['PAWL: DONE']);
  });

  it('that begins within what looked like one is left out', () => {
    const echo = createPromptEcho('a\nb\na\nb\nc');
    expect(['a', 'b', 'a', 'b', 'a', 'b', 'c', 'd'].flatMap((line) => echo.filter(line))).toEqual(['a', 'b', 'd']);
    expect(echo.end()).toEqual([]);
  });

  it('is found as it is by looking at every line anew, whatever repeats in it', () => {
    const line = fc.constantFrom('a', 'b');
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 7 }), fc.array(line, { maxLength: 40 }), (wanted, said) => {
        const echo = createPromptEcho(wanted.join('\n'));
        const released = [...said.flatMap((text) => echo.filter(text)), ...echo.end()];
        expect(released).toEqual(withoutEchoes(wanted, said));
      }),
    );
  });
});

/** Slow and plain: whenever the last lines are the prompt, they go. */
function withoutEchoes(wanted: readonly string[], said: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let since = 0;
  for (const line of said) {
    kept.push(line);
    const from = kept.length - wanted.length;
    if (from < since || !wanted.every((text, index) => kept[from + index] === text)) continue;
    kept.splice(from);
    since = from;
  }
  return kept;
}
