import { describe, expect, it } from 'vitest';
import { readMatrix } from '../../fleet/read-matrix.js';
import type { SubmittedSpec } from '../../fleet/submitted-spec.js';
import { ConfigError, formatIssue, type Issue } from '../../model/errors.js';
import { refuseAll } from './submitted-issues.js';
import { submittedRuns } from './submitted-runs.js';

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
      't.jsonl:1 branch: "a b" cannot be the name of a branch',
      't.jsonl:2 labels: must be one word of at most 100 characters, not "a b"',
      't.jsonl:3: the prompt asks for {{ticket.nope}}, and there is no such key; there are id, prompt',
      't.jsonl:4 id: holds a NUL character, which the database cannot keep',
      't.jsonl:5 id: holds half of a character (a lone surrogate), which the database cannot keep',
      't.jsonl:6 id: holds what is a key by its format (github_token)',
      't.jsonl:7 labels: holds what is a key by its format (github_token)',
      't.jsonl:8 branch: holds what is a key by its format (github_token)',
      't.jsonl:9 prompt: holds what is a key by its format (github_token)',
      't.jsonl:11 prompt: holds what is a key by its format (github_token)',
    ]);
  });

  it('are not each refused for what is wrong with all of them', () => {
    expect(submit(`${KEY} {{ticket.id}}`, [{ id: 1 }, { id: 2 }]).issues).toEqual([]);
    expect(submit(undefined, [{ id: 1, prompt: 'x' }, { id: 2 }, { id: 3 }]).issues).toEqual([
      't.jsonl:2: there is no prompt here to put it into: give one with -p TEXT',
    ]);
    expect(submit('x', [{ id: 1, branch: 'main' }, { id: 2 }, { id: 3 }], { base: undefined }).issues).toEqual([
      '--branch: which branch? The one that the work starts from',
    ]);
  });

  it('that are larger than a run may be, or together than a submission, are refused', () => {
    const large = 'x'.repeat(6_000_000);
    expect(submit('{{ticket.a}}{{ticket.a}}{{ticket.a}}', [{ a: large }]).issues).toEqual([
      't.jsonl:1 prompt: has more than the 16,777,216 bytes allowed',
    ]);
    const lines = Array.from({ length: 40 }, (_, id) => ({ id }));
    expect(submit(large, lines).issues).toEqual([
      't.jsonl:34: up to here the runs have more than 200 MB together: submit them in parts',
    ]);
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
    expect(told[0]).toBe('t.jsonl:100 id: must be a text or a number');
    expect(told[1]).toBe('t.jsonl:150 labels: must be one word, not "[github_token]"');
    expect(told.at(-1)).toBe('and 81 more mistakes');
  }
});
