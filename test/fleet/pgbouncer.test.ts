import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { sendCommand, wishFor } from '../../src/fleet/commands.js';
import { connectPostgres } from '../../src/fleet/connect-postgres.js';
import { openFleet } from '../../src/fleet/open-fleet.js';
import { PASSWORD } from '../support/test-postgres.js';
import { eventsOf, fleetWorkers, hasEnded, runOf, silence } from '../support/fleet-workers.js';

const { sceneOf, start, atEnd } = fleetWorkers();
const NOBODY = 65534;

let bouncer: ChildProcess | undefined;
let folder = '';
afterEach(async () => {
  if (bouncer !== undefined && bouncer.exitCode === null) {
    bouncer.kill('SIGINT');
    await once(bouncer, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Each transaction gets any of three connections. Returns the URL of the same database through it. */
async function throughBouncer(url: string): Promise<string> {
  const port = await freePort();
  folder = mkdtempSync(join(tmpdir(), 'pawl-bouncer-'));
  chmodSync(folder, 0o755);
  const settings = join(folder, 'pgbouncer.ini');
  const { port: to } = new URL(url);
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${to} user=postgres password=${PASSWORD}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
  ];
  writeFileSync(settings, `${lines.join('\n')}\n`);
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  bouncer = spawn('pgbouncer', ['--quiet', settings], { ...asNobody, stdio: ['ignore', 'ignore', 'inherit'] });
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) break;
    await pause(20);
  }
  return url.replace(`:${to}/`, `:${port}/`);
}

it('a fleet works through PgBouncer in transaction mode: runs, commands, wishes and takeovers', async (context) => {
  const scene = await sceneOf(context);
  const url = await throughBouncer(scene.url);
  const database = await openFleet(await connectPostgres(url, process.env, { connections: 4 }), { isWorker: true });
  atEnd(() => database.close());
  const slow = { environment: { STEP_SECONDS: '0.3' } };
  const ids = await scene.submit([3, 3, 3, 9], slow);
  const [steered = '', , , cancelled = ''] = ids;
  start(scene, { database, slots: 4 });
  await runOf(scene, ({ id, iteration }) => id === steered && iteration > 0);
  await sendCommand(database, steered, { type: 'steer', text: 'mind the pool' }, 'ann');
  await wishFor(database, [cancelled], 'cancel');
  for (const id of ids) {
    const { outcome } = await runOf(scene, (run) => run.id === id && hasEnded(run));
    expect(outcome).toMatchObject({ class: id === cancelled ? 'operator' : 'goal' });
  }
  expect((await eventsOf(scene, steered)).filter(({ type }) => type === 'command-received')).toHaveLength(1);
  const [late = ''] = await scene.submit([6], slow);
  await runOf(scene, ({ id, iteration }) => id === late && iteration > 1);
  await silence(scene);
  const taken = await runOf(scene, (run) => run.id === late && hasEnded(run));
  expect(taken).toMatchObject({ outcome: { class: 'goal' } });
  expect(taken.epoch).toBeGreaterThan(1);
});
