import { describe, expect, it } from 'vitest';
import { MessageGate } from './message-gate.js';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** What a gate that takes 100 bytes lets through and answers when it is sent these pieces. */
async function sent(...pieces: readonly (string | Buffer)[]) {
  const answers: { id: unknown; error: { code: number; message: string } }[] = [];
  const gate = new MessageGate({
    mostMessageBytes: 100,
    answer: async (line) => void answers.push(JSON.parse(line)),
    onRefused: () => undefined,
  });
  let passed = '';
  gate.on('data', (chunk) => (passed += String(chunk)));
  const ended = new Promise((resolve) => gate.on('end', resolve));
  for (const piece of pieces) gate.write(piece);
  gate.end();
  await ended;
  return { passed, answers: answers.map(({ id, error: { code } }) => [id, code]) };
}

describe('the gate before the server', () => {
  it('lets messages through, however they are cut into pieces', async () => {
    expect(await sent(PING.slice(0, 9), `${PING.slice(9)}\n${PING}`, '\r\n\n')).toEqual({
      passed: `${PING}\n${PING}\r\n`,
      answers: [],
    });
  });

  it.each([
    ['no JSON', 'what?', [null, -32700]],
    ['half a message', '{"jsonrpc":"2.0","id":', [null, -32700]],
    ['binary noise', Buffer.from([0, 255, 254, 128]), [null, -32700]],
    ['a list', '[]', [null, -32600]],
    ['a request without a method', '{"jsonrpc":"2.0","id":7}', [7, -32600]],
    ['a method that is no text', '{"jsonrpc":"2.0","id":"a","method":[]}', ['a', -32600]],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', [null, -32600]],
    ['too much', 'x'.repeat(101), [null, -32600]],
    [
      'too much with its id first',
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":"${'x'.repeat(5000)}"}`,
      [7, -32600],
    ],
    [
      'too much with its id last',
      `{"method":"ping","params":{"id":1,"x":"${'x'.repeat(5000)}"},"jsonrpc":"2.0","id":"a"}`,
      ['a', -32600],
    ],
    [
      'too much with an id only inside',
      `{"method":"ping","params":{"id":1,"x":"${'x'.repeat(5000)}","id":2}}`,
      [null, -32600],
    ],
  ])('%s is answered, and what follows is read', async (_, line, answer) => {
    expect(await sent(line, '\n', `${PING}\n`)).toEqual({ passed: `${PING}\n`, answers: [answer] });
  });

  it('a line without an end is answered at the end', async () => {
    expect(await sent('x'.repeat(60), 'x'.repeat(60))).toEqual({ passed: '', answers: [[null, -32600]] });
  });
});
