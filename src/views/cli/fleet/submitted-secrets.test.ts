import { describe, expect, it } from 'vitest';
import { formatIssue } from '../../../model/errors.js';
import { issuesWith, type SubmittedWords } from './submitted-secrets.js';
import type { SubmittedText } from './submitted-text.js';

const KEY = `ghp_${'a1B2'.repeat(10)}`;
const OTHER = `sk-ant-api03-${'Zz9_'.repeat(8)}`;

function told(texts: readonly SubmittedText[], more: Partial<SubmittedWords> = {}): readonly string[] {
  const issues = issuesWith({
    texts,
    config: { place: 'pawl.yaml', spec: {} },
    agentEnvironment: {},
    placeOf: () => undefined,
    environment: {},
    ...more,
  }).map(formatIssue);
  for (const secret of [KEY, OTHER, 'hunter2-hunter2']) expect(issues.join('\n')).not.toContain(secret);
  return issues.map((issue) => issue.replace(/: the database would keep it.*/, ''));
}

describe('a key that is known by its format', () => {
  it.each([
    [{ place: '-p', text: `Use ${KEY}.` }, '-p: contains what looks like a key (github_token)'],
    [
      { place: 'PROMPT.md', text: `one\ntwo ${KEY}\n`, isFile: true as const },
      'PROMPT.md:2:5: contains what looks like a key (github_token)',
    ],
    [
      { place: 't.jsonl:3', path: 'title', text: OTHER },
      't.jsonl:3 title: contains what looks like a key (anthropic_key)',
    ],
    [
      { place: 'PAWL_TESTS', text: 'DB=postgres://app:hunter2-hunter2@db.example.org/x npm test' },
      'PAWL_TESTS: contains what looks like a key (url_password)',
    ],
  ])('is refused with its place: %j', (submitted, issue) => {
    expect(told([submitted])).toEqual([issue]);
  });

  it('is told once in each text, also when it is there twice', () => {
    const texts = [
      { place: 'a', text: `${KEY} ${OTHER} ${KEY}` },
      { place: 'b', text: KEY },
    ];
    expect(told(texts)).toEqual([
      expect.stringMatching(/^a: .*github_token/),
      expect.stringMatching(/^a: .*anthropic_key/),
      expect.stringMatching(/^b: .*github_token/),
    ]);
  });

  it('is found in what a config comes to when its text hides it', () => {
    const spec = { tests: { command: `TOKEN=${KEY} npm test` }, list: [OTHER] };
    expect(told([{ place: 'pawl.yaml', text: OTHER, isFile: true }], { config: { place: 'pawl.yaml', spec } })).toEqual(
      [expect.stringMatching(/^pawl\.yaml:1:1: .*anthropic_key/), expect.stringMatching(/^pawl\.yaml: .*github_token/)],
    );
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('is none that opens anything when it is for %s alone', (host) => {
    expect(told([{ place: '-p', text: `postgres://app:secret@${host}:5432/test` }])).toEqual([]);
    expect(told([{ place: '-p', text: `postgres://app:secret@${host}.example.org/test` }])).toHaveLength(1);
  });
});

it('the value of a secret variable is told by the name of the variable, and not as a key, too', () => {
  const environment = { SERVICE_TOKEN: 'hunter2-hunter2', GITHUB_TOKEN: KEY };
  const text = `a\n b hunter2-hunter2 and ${KEY}`;
  expect(told([{ place: 'f', text, isFile: true }], { environment })).toEqual([
    'f:2:4: holds the value of $SERVICE_TOKEN',
    'f:2:24: holds the value of $GITHUB_TOKEN',
  ]);
});

it('a variable of the agent is told with its own place, and not again of the text that it stands in', () => {
  const agentEnvironment = { SOME_API_KEY: 'hunter2-hunter2', LOG: KEY, LEVEL: 'debug' };
  const text = `agent: { env: { SOME_API_KEY: hunter2-hunter2, LOG: ${KEY} } }`;
  const given = { agentEnvironment, placeOf: (name: string) => `pawl.yaml:1:${name.length}` };
  expect(told([{ place: 'pawl.yaml', text, isFile: true }], given)).toEqual([
    'pawl.yaml:1:12 agent.env.SOME_API_KEY: is a secret',
    'pawl.yaml:1:3 agent.env.LOG: is a secret',
  ]);
});

it.each([
  ['a\0b', 'f:1:2: holds a NUL character, which the database cannot keep'],
  ['ok\nhalf \ud83d', 'f:2:6: holds half of a character (a lone surrogate), which the database cannot keep'],
])('what Postgres cannot keep is refused where it stands: %j', (text, issue) => {
  expect(told([{ place: 'f', text, isFile: true }])).toEqual([issue]);
  expect(told([{ place: 'f', text: 'whole \u{1f600} and \\u0000' }])).toEqual([]);
});
