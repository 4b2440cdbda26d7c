import { describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { asksForTicket, promptFor, readMatrix, type Ticket } from './read-matrix.js';

function problemsOf(text: string): readonly string[] {
  try {
    readMatrix(text, 't.jsonl');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const ticket = (values: Record<string, unknown>): Ticket => ({ place: 't.jsonl:3', values });

describe('a matrix', () => {
  it('is read with Windows line ends, blank lines and a mark at its beginning, and lines count as an editor counts', () => {
    const [first, second] = readMatrix(
      '\uFEFF{"id":1}\r\n\r\n{"id":"1","branch":"next","labels":["a"]}\r\n',
      't.jsonl',
    );
    expect(first).toMatchObject({ place: 't.jsonl:1', values: { id: 1 } });
    expect(second).toMatchObject({ place: 't.jsonl:3', branch: 'next', labels: ['a'] });
  });

  it('names all its mistakes at once, each with its line', () => {
    const text = ['{"id":1}', '[1]', 'null', '{', '{"id":1}', '{"id":{}}', '{"labels":[1]}', '{"prompt":" "}'].join(
      '\n',
    );
    expect(problemsOf(text).map((line) => line.replace(/JSON: .*/, 'JSON'))).toEqual([
      't.jsonl:2: must be an object, such as {"id": 1}',
      't.jsonl:3: must be an object, such as {"id": 1}',
      't.jsonl:4: is not JSON',
      't.jsonl:5: the id 1 is there already, at t.jsonl:1',
      't.jsonl:6 id: must be a text or a number',
      't.jsonl:7 labels: must be a list of texts',
      't.jsonl:8 prompt: must be a text that is not empty',
    ]);
  });

  it.each(['', '\n\n', '\uFEFF'])('that is %j has nothing to submit', (text) => {
    expect(problemsOf(text)).toEqual(['t.jsonl: there is no line in it: nothing to submit']);
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
      't.jsonl:3: the prompt asks for {{ticket.titel}}, and there is no such key; did you mean "title"?',
    );
    expect(() => promptFor('{{ticket.toString}}', ticket({}))).toThrow('{{ticket.toString}}');
    expect(() => promptFor('{{ticket.text}}', ticket({ text: ' ' }))).toThrow('t.jsonl:3: the prompt is empty');
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
