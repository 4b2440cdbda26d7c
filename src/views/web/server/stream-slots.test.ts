import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Refusal } from './refusal.js';
import { StreamSlots } from './stream-slots.js';

const WAIT = { timeout: 60_000, interval: 20 };
let server: Server;
let slots: StreamSlots;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  slots = new StreamSlots();
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function ask(): { readonly close: () => void } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return { close: () => void socket.destroy() };
}

it('a page that has gone before its turn takes no slot for ever, though nobody who feeds it ends', async () => {
  let taken = 0;
  answer = (response) => {
    response.once('close', () => {
      slots.take(response);
      taken += 1;
    });
    response.destroy();
  };
  for (let n = 0; n < 120; n += 1) ask();
  await expect.poll(() => taken, WAIT).toBe(120);
});

it('the hundredth page is the last, until one of them goes', async () => {
  const answers: string[] = [];
  answer = (response) => {
    try {
      slots.take(response);
      answers.push('taken');
    } catch (error) {
      answers.push(error instanceof Refusal ? String(error.status) : 'another error');
      response.end();
    }
  };
  const pages = Array.from({ length: 100 }, ask);
  await expect.poll(() => answers.length, WAIT).toBe(100);
  ask();
  await expect.poll(() => answers.at(-1), WAIT).toBe('503');
  pages[7]?.close();
  await expect
    .poll(() => {
      ask();
      return answers.at(-1);
    }, WAIT)
    .toBe('taken');
});
