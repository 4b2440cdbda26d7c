import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeDeadSockets } from './control-place.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-dead-'));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string, ending = '.sock') => join(folder, `${name.padEnd(16, '0')}-1${ending}`);

async function listenAt(at: string): Promise<Server> {
  const server = createServer().listen(at);
  servers.push(server);
  await once(server, 'listening');
  return server;
}

/** What kill -9 leaves: a socket at which nobody listens. */
async function deadAt(at: string): Promise<string> {
  const server = await listenAt(`${at}.made`);
  renameSync(`${at}.made`, at);
  await new Promise((resolve) => server.close(resolve));
  return at;
}

const age = (at: string) => utimesSync(at, 1, 1);

describe('sockets that a kill -9 leaves behind', () => {
  it('do not pile up: dead ones go, those of live runs, young ones and other files stay', async () => {
    const [dead, young, other] = await Promise.all([path('a'), path('b'), path('c', '.other')].map(deadAt));
    const [live, file] = [path('d'), path('e')];
    await listenAt(live);
    writeFileSync(file, '');
    for (const old of [dead, other, live, file]) age(old ?? '');
    await removeDeadSockets(folder);
    expect([dead, young, other, live, file].map((each) => existsSync(each ?? ''))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  it('hold nobody up: a folder that is gone is no problem', async () => {
    await expect(removeDeadSockets(join(folder, 'gone'))).resolves.toBeUndefined();
  });
});
