import { describe, expect, it } from 'vitest';
import { formatIssue } from '../model/errors.js';
import { asksForTicket, forgottenName, keysAskedFor, promptFor, readMatrix, type Ticket } from './read-matrix.js';

function problemsOf(text: string): readonly string[] {
  return readMatrix(text, 't.jsonl').issues.map(formatIssue);
}

const ticket = (values: Record<string, unknown>): Ticket => ({ place: 't.jsonl:3', values });

describe('a matrix', () => {
  it('is read with Windows line ends, blank lines and a mark at its beginning, and lines count as an editor counts', () => {
    const { tickets, issues } = readMatrix(
      '\uFEFF{"id":1}\r\n\r\n{"id":"1","branch":"next","labels":["a"]}\r\n',
      't.jsonl',
    );
    expect(issues).toEqual([]);
    const [first, second] = tickets;
    expect(first).toMatchObject({ place: 't.jsonl:1', values: { id: 1 } });
    expect(second).toMatchObject({ place: 't.jsonl:3', branch: 'next', labels: ['a'] });
  });

  it('names all its mistakes at once, each with its line, and keeps the tickets that are right', () => {
    const lines = [
      '{"id":1}',
      '[1]',
      'null',
      '{',
      '{"id":1}',
      '{"id":{}}',
      '{"labels":[1]}',
      '{"prompt":" "}',
      '{"id":12345678901234567890}',
      '{"id":2,"id":3}',
      '{"id":"a"} {}',
      '{"far":1e999}',
    ];
    expect(problemsOf(lines.join('\n'))).toEqual([
      't.jsonl:2: must be an object, such as {"id": 1}',
      't.jsonl:3: must be an object, such as {"id": 1}',
      't.jsonl:4:2: is not valid JSON: it ends too early',
      't.jsonl:5: the id 1 already exists, at t.jsonl:1',
      't.jsonl:6 id: must be a text or a number',
      't.jsonl:7 labels: must be a list of texts',
      't.jsonl:8 prompt: must be a text that is not empty',
      't.jsonl:9 id: is a number with more digits than can be kept: write it as a text',
      't.jsonl:10:9: the key "id" is written twice',
      't.jsonl:11:12: is not valid JSON: unexpected "{"',
      't.jsonl:12 far: is a number with more digits than can be kept: write it as a text',
    ]);
    expect(readMatrix(lines.join('\n'), 't.jsonl').tickets.map(({ place }) => place)).toEqual([
      't.jsonl:1',
      't.jsonl:5',
    ]);
  });

  it('shows nothing of a line that is no JSON: there may be a key in it', () => {
    const key = `ghp_${'a1'.repeat(20)}`;
    for (const line of [`{"token": ${key}}`, `{"token": "${key}`, `{"token": "\\q${key}"}`, key]) {
      expect(problemsOf(line).join('\n')).not.toContain('a1a1');
    }
  });

  it.each(['', '\n\n', '\uFEFF'])('that is %j has nothing to submit', (text) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^t\.jsonl: .*nothing to submit/)]);
  });
});

describe('a prompt', () => {
  it('gets the values of its ticket once, and keeps every other brace', () => {
    const values = { id: 7, title: '{{ticket.id}} $& $1', 'a b': true, __proto__x: null };
    const prompt = promptFor(
      '{{ticket.id}} {{ ticket.title }} {{ticket.a b}} {{ticket.__proto__x}} {{feedback}} {x}',
      ticket(values),
    );
    expect(prompt).toBe('7 {{ticket.id}} $& $1 true null {{feedback}} {x}');
  });

  it('that asks for what a ticket does not have is refused, also for what every object has', () => {
    expect(() => promptFor('{{ticket.titel}}', ticket({ title: 'x' }))).toThrow(
      /^t\.jsonl:3: .*\{\{ticket\.titel\}\}.* title; .*"title"/,
    );
    const many = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`key${index}`, 1]));
    expect(() => promptFor('{{ticket.x}}', ticket(many))).toThrow(/there are key0, key1, .*, key19 and 3 more$/);
    expect(() => promptFor('{{ticket.toString}}', ticket({}))).toThrow('{{ticket.toString}}');
    expect(() => promptFor('{{ticket.text}}', ticket({ text: ' ' }))).toThrow('t.jsonl:3: the prompt is empty');
  });

  it.each(['{{ticket.a b}}', '{{ ticket.a b }}', '{{   ticket.a b}}'])('may write %s', (braces) => {
    expect(promptFor(`x ${braces} y`, ticket({ 'a b': 'v' }))).toBe('x v y');
    expect(keysAskedFor(`${braces} ${braces}`)).toEqual(['a b']);
  });

  it.each([
    ['{{title}}', 'title'],
    ['{{ item.title }}', 'title'],
    ['{{ticket.id}} {{tickets.title}}', 'title'],
    ['{{ticket.title}}', undefined],
    ['{{feedback}} {title} title', undefined],
  ])('%s has forgotten a word before %s, or none', (template, key) => {
    expect(forgottenName(template, ticket({ id: 1, title: 'x' }))?.key).toBe(key);
  });

  it('tells whether it asks for anything of a ticket', () => {
    expect(['{{ticket.id}}', '{{ticket.}}', '{{item.id}}', 'ticket.id'].map(asksForTicket)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
