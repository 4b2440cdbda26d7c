import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { EventStream, message } from './event-stream.js';

const WAIT = { timeout: 60_000, interval: 20 };
const PIECE = 256 * 1024;
let server: Server;
let socket: Socket;
afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** Sends to a page that does not read, until it is told to. */
async function sendTo(feed: (stream: EventStream) => Promise<void>): Promise<void> {
  server = createServer((_, response) => void feed(new EventStream(response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
}

it('a page that reads nothing makes the sender wait, and gets everything when it reads', async () => {
  let sent = 0;
  await sendTo(async (stream) => {
    for (; sent < 200; sent += 1) {
      // oxlint-disable-next-line no-await-in-loop -- that is what is tested
      await stream.send('x'.repeat(PIECE));
    }
    stream.close();
  });
  await expect.poll(() => sent, WAIT).toBeGreaterThan(0);
  // By then a sender that does not wait has sent everything.
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBeLessThan(200);
  let received = 0;
  socket.on('data', (chunk: Buffer) => (received += chunk.length));
  socket.resume();
  await expect.poll(() => received, WAIT).toBeGreaterThan(200 * PIECE);
  expect(sent).toBe(200);
});

it('whoever waits for a page that goes away is let go', async () => {
  let isLetGo = false;
  let sending: EventStream | undefined;
  await sendTo(async (stream) => {
    sending = stream;
    // oxlint-disable-next-line no-await-in-loop -- that is what is tested
    while (!stream.signal.aborted) await stream.send('x'.repeat(PIECE));
    isLetGo = true;
  });
  await expect.poll(() => sending?.isBehind, WAIT).toBe(true);
  expect(isLetGo).toBe(false);
  socket.destroy();
  await expect.poll(() => isLetGo, WAIT).toBe(true);
});

it('no text can end a message or begin another', () => {
  const text = message('record', { text: 'a\n\nevent: gone\rdata: {}\u2028' }, 7);
  expect(text.split('\n')).toEqual(['id: 7', 'event: record', expect.stringMatching(/^data: \{[^]*\}$/), '', '']);
  expect(text).not.toContain('\r');
});
