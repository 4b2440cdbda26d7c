import { describe, expect, it } from 'vitest';
import { readMatrix } from '../../../fleet/read-matrix.js';
import type { SubmittedSpec } from '../../../fleet/submitted-spec.js';
import { ConfigError, formatIssue, type Issue } from '../../../model/errors.js';
import { refuseAll, submittedRuns } from './submitted-runs.js';

const KEY = `ghp_${'a1B2'.repeat(10)}`;
const COMMON = { repository: '/a', base: 'main', labels: ['x'] };

function submit(prompt: string | undefined, lines: readonly unknown[], common: object = {}) {
  const { tickets, issues: found } = readMatrix(lines.map((line) => JSON.stringify(line)).join('\n'), 't.jsonl');
  const issues: Issue[] = [...found];
  const template = prompt === undefined ? undefined : { place: '-p', text: prompt };
  const config = { flags: { model: 'm' }, text: '', prompt: template };
  const runs = submittedRuns({ config, common: { ...COMMON, ...common }, tickets, secrets: [] }, issues);
  return { runs, issues: issues.map((issue) => formatIssue(issue).replace(/: the database would keep it.*/, '')) };
}

describe('the runs of a matrix', () => {
  it('have the prompt, branch and labels of their lines', () => {
    const lines = [{ id: 1 }, { id: 2, branch: 'next', labels: ['x', 'gpu'], prompt: 'Only {{ ticket.id }}' }];
    const { runs, issues } = submit('Fix {{ticket.id}}', lines);
    expect(issues).toEqual([]);
    expect(runs.map(({ base, labels, spec }) => [base, labels, (spec as SubmittedSpec).flags])).toEqual([
      ['main', ['x'], { model: 'm', prompt: 'Fix 1' }],
      ['next', ['x', 'gpu'], { model: 'm', prompt: 'Only 2' }],
    ]);
  });

  it('are refused with every line and key that is wrong', () => {
    const lines = [
      { id: 1, branch: 'a b' },
      { id: 2, labels: ['a b'] },
      { id: 3, prompt: '{{ticket.nope}}' },
      { id: 'a\0b' },
      { id: 'half \ud83d' },
      { id: KEY },
      { id: 7, labels: [KEY] },
      { id: 8, branch: KEY },
      { id: 9, prompt: KEY },
      { id: 10, unused: KEY },
      { id: KEY.slice(4) },
    ];
    expect(submit('{{ticket.id}} ghp_{{ ticket.id }}', lines).issues).toEqual([
      expect.stringMatching(/^t\.jsonl:1 branch: .*"a b"/),
      expect.stringMatching(/^t\.jsonl:2 labels: .*100 characters.*"a b"/),
      expect.stringMatching(/^t\.jsonl:3: .*\{\{ticket\.nope\}\}.* id, prompt$/),
      expect.stringMatching(/^t\.jsonl:4 id: .*NUL/),
      expect.stringMatching(/^t\.jsonl:5 id: .*surrogate/),
      expect.stringMatching(/^t\.jsonl:6 id: .*github_token/),
      expect.stringMatching(/^t\.jsonl:7 labels: .*github_token/),
      expect.stringMatching(/^t\.jsonl:8 branch: .*github_token/),
      expect.stringMatching(/^t\.jsonl:9 prompt: .*github_token/),
      expect.stringMatching(/^t\.jsonl:11 prompt: .*github_token/),
    ]);
  });

  it('are not each refused for what is wrong with all of them', () => {
    expect(submit(`${KEY} {{ticket.id}}`, [{ id: 1 }, { id: 2 }]).issues).toEqual([]);
    expect(submit(undefined, [{ id: 1, prompt: 'x' }, { id: 2 }, { id: 3 }]).issues).toEqual([
      expect.stringMatching(/^t\.jsonl:2: .*no prompt.*-p TEXT/),
    ]);
    expect(submit('x', [{ id: 1, branch: 'main' }, { id: 2 }, { id: 3 }], { base: undefined }).issues).toEqual([
      expect.stringMatching(/^--branch: missing: give the branch/),
    ]);
  });

  it('that are larger than a run may be, or together than a submission, are refused', () => {
    const large = 'x'.repeat(6_000_000);
    expect(submit('{{ticket.a}}{{ticket.a}}{{ticket.a}}', [{ a: large }]).issues).toEqual([
      expect.stringMatching(/^t\.jsonl:1 prompt: .*16,777,216 bytes/),
    ]);
    const lines = Array.from({ length: 40 }, (_, id) => ({ id }));
    expect(submit(large, lines).issues).toEqual([expect.stringMatching(/^t\.jsonl:34: .*200 MB/)]);
  });
});

it('of many mistakes the first lines are told and the number of the others, and never a secret', () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => ({ id: index % 100 === 99 ? [index] : index }));
  const issues: Issue[] = [{ path: '', place: 't.jsonl:150 labels', message: `must be one word, not "${KEY}"` }];
  issues.unshift(...readMatrix(lines.map((line) => JSON.stringify(line)).join('\n'), 't.jsonl').issues);
  const refused = (): never => refuseAll([...issues, ...issues], { HUNTER_TOKEN: 'hunter2-hunter2' });
  expect(refused).toThrow(ConfigError);
  try {
    refused();
  } catch (error) {
    const told = error instanceof ConfigError ? error.issues.map(formatIssue) : [];
    expect(told).toHaveLength(21);
    expect(told[0]).toMatch(/^t\.jsonl:100 id: /);
    expect(told[1]).toBe(`t.jsonl:150 labels: ${issues.at(-1)?.message.replace(KEY, '[github_token]')}`);
    expect(told.at(-1)).toBe('and 81 more mistakes');
  }
});
