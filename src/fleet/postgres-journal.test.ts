import { openIteration } from '../model/phase.js';
import { randomUUID } from 'node:crypto';
import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, expect, it, type TestContext } from 'vitest';
import { realisticEvents } from '../../test/contract/realistic-events.js';
import { claimedAgain, queuedRun } from '../../test/support/fleet-run.js';
import { ownPostgres } from '../../test/support/postgres.js';
import { canonicalJson } from '../model/json.js';
import { reduceAll } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import { connectPostgres, type Database } from './connect-postgres.js';
import { openPostgresJournal, type PostgresJournalOptions } from './postgres-journal.js';
import { prepareSchema } from './schema.js';
import { type ClaimOfRun, sendEvents } from './send-events.js';
import { SupersededError } from './superseded-error.js';

const postgres = ownPostgres();
const toClose: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function connected(context: TestContext, url?: string): Promise<Database> {
  const database = await connectPostgres(url ?? (await postgres(context)).url, process.env, {
    applicationName: 'pawl-journal-test',
  });
  toClose.push(() => database.close());
  await prepareSchema(database);
  return database;
}

async function newRun(database: Database): Promise<string> {
  const runId = `run-${randomUUID()}`;
  await queuedRun(database, runId);
  return runId;
}

async function claim(database: Database, runId: string, options: Partial<PostgresJournalOptions> = {}) {
  return openPostgresJournal(database, { ...(await claimedAgain(database, runId)), ...options });
}

async function recordedIn(database: Database, runId: string): Promise<readonly RunEvent[]> {
  const rows = await database.query<{ line: string }>('select line from pawl.events where run = $1 order by seq', [
    runId,
  ]);
  return rows.map(({ line }) => {
    const { sum: _sum, ...event } = JSON.parse(line) as RunEvent & { sum: string };
    return event;
  });
}

/** Ends every other connection of the server, in the middle of whatever it does. */
async function killConnections(database: Database): Promise<void> {
  await database
    .query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl-journal-test'`)
    .catch(() => {});
}

it('a worker whose run was taken over records nothing, and its event is in nobody else’s record', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const old = await claim(database, runId);
  old.append({ type: 'paused', reason: 'before' }, 1);
  await old.synced();
  const next = await claim(database, runId);
  const told: unknown[] = [];
  old.onBroken((error) => told.push(error));
  old.append({ type: 'paused', reason: 'of the one before' }, 2);
  await expect(old.synced()).rejects.toThrow(SupersededError);
  expect(() => old.append({ type: 'tick' }, 3)).toThrow(/another worker has taken it over/);
  expect(told).toHaveLength(1);
  await expect(old.close()).rejects.toThrow(SupersededError);
  next.append({ type: 'paused', reason: 'after' }, 4);
  await next.close();
  const reasons = (await recordedIn(database, runId)).map((event) => (event.type === 'paused' ? event.reason : ''));
  expect(reasons).toEqual(['before', 'after']);
});

it('a run that somebody else has claimed since cannot be opened', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const old = await claimedAgain(database, runId);
  await claimedAgain(database, runId);
  await expect(openPostgresJournal(database, old)).rejects.toThrow(SupersededError);
  await expect(openPostgresJournal(database, { ...old, runId: 'nobody' })).rejects.toThrow('there is no run nobody');
});

it('a takeover in the middle of many events leaves a record without a gap that the next one goes on with', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const old = await claim(database, runId);
  const appended = realisticEvents(3000).map((event) => old.append(event, 1));
  const next = await claim(database, runId);
  await expect(old.synced()).rejects.toThrow(SupersededError);
  const kept = next.state.seq;
  next.append({ type: 'tick' }, 2);
  await next.close();
  const recorded = await recordedIn(database, runId);
  expect(recorded.map(({ seq }) => seq)).toEqual(Array.from({ length: kept + 1 }, (_, index) => index + 1));
  expect(recorded.slice(0, kept)).toEqual(appended.slice(0, kept));
});

it('connections that are killed in the middle lose no event and double none', async (context) => {
  const database = await connected(context);
  const killer = await connectPostgres((await postgres(context)).url, process.env, { applicationName: 'the-killer' });
  toClose.push(() => killer.close());
  const runId = await newRun(database);
  const retries: unknown[] = [];
  const journal = await claim(database, runId, { onRetry: (error) => retries.push(error) });
  for (let round = 0; round < 12 || retries.length === 0; round += 1) {
    for (const event of realisticEvents(200)) journal.append(event, 1);
    await killConnections(killer);
  }
  const { seq } = journal.state;
  await journal.close();
  const recorded = await recordedIn(killer, runId);
  expect(recorded.map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  expect(canonicalJson(reduceAll(recorded))).toBe(canonicalJson(journal.state));
});

it('events appended while Postgres is stopped or has crashed are recorded when it is back', async (context) => {
  const server = await postgres(context);
  const database = await connected(context);
  const runId = await newRun(database);
  const journal = await claim(database, runId);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    for (const event of realisticEvents(50)) journal.append(event, 1);
    await server.stop(signal);
    for (const event of realisticEvents(50)) journal.append(event, 1);
    await server.start();
  }
  await journal.synced();
  expect((await recordedIn(database, runId)).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  await journal.close();
});

it('10,000 events stand in their order, and the row of the run says how far it is', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const journal = await claim(database, runId);
  const appended = realisticEvents(10_000).map((event) => journal.append(event, 1));
  await journal.synced();
  expect(await recordedIn(database, runId)).toEqual(appended);
  const [row] = await database.query<object>('select last_seq, iteration, spent_usd from pawl.runs where id = $1', [
    runId,
  ]);
  const { iterations } = journal.state;
  const open = openIteration(journal.state);
  expect(row).toMatchObject({ last_seq: 10_000, iteration: open?.iteration ?? iterations });
  expect(row).toHaveProperty('spent_usd', expect.closeTo(0.01 * (iterations + (open === undefined ? 0 : 1)), 1));
  await journal.close();
});

it('whoever has lost the claim records nothing more, and is told at once', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const lost = new AbortController();
  const journal = await claim(database, runId, { giveUp: lost.signal });
  journal.append({ type: 'tick' }, 1);
  await journal.synced();
  const told: unknown[] = [];
  journal.onBroken((error) => told.push(error));
  lost.abort();
  expect(told).toHaveLength(1);
  expect(() => journal.append({ type: 'tick' }, 2)).toThrow(/lost its claim/);
  await journal.close();
  expect(await recordedIn(database, runId)).toHaveLength(1);
});

it('a database that never answers does not hold up close for ever', async (context) => {
  const { port, url } = await postgres(context);
  const proxy = await startProxy(port);
  toClose.push(proxy.close);
  const through = await connected(context, url.replace(`:${port}/`, `:${proxy.port}/`));
  const runId = await newRun(through);
  const journal = await claim(through, runId, { closeWithinMs: 200 });
  proxy.swallow();
  journal.append({ type: 'tick' }, 1);
  await expect(journal.close()).rejects.toThrow(/last events in time/);
  proxy.cut();
});

it('a statement whose answer is lost is sent again and recorded once', async (context) => {
  const { port, url } = await postgres(context);
  const proxy = await startProxy(port);
  toClose.push(proxy.close);
  const through = await connected(context, url.replace(`:${port}/`, `:${proxy.port}/`));
  const direct = await connected(context);
  const runId = await newRun(direct);
  const retries: unknown[] = [];
  const journal = await claim(through, runId, { onRetry: (error) => retries.push(error) });
  proxy.swallow('answers');
  journal.append({ type: 'paused', reason: 'once' }, 1);
  while ((await recordedIn(direct, runId)).length === 0);
  proxy.cut();
  await journal.synced();
  expect(retries).not.toHaveLength(0);
  expect(await recordedIn(direct, runId)).toHaveLength(1);
});

it('a line that somebody else has put under the same number is never taken for one’s own', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const journal = await claim(database, runId);
  await database.query('insert into pawl.events (run, seq, epoch, line) values ($1, 1, 1, $2)', [runId, 'of another']);
  journal.append({ type: 'tick' }, 1);
  await expect(journal.synced()).rejects.toThrow(SupersededError);
});

it('an event after one that the database lost in a fail-over is refused: the record has no gap and stays readable', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const journal = await claim(database, runId);
  journal.append({ type: 'paused', reason: 'kept' }, 1);
  journal.append({ type: 'paused', reason: 'lost' }, 2);
  await journal.synced();
  await database.query('delete from pawl.events where run = $1 and seq = 2', [runId]);
  await database.query('update pawl.runs set last_seq = 1 where id = $1', [runId]);
  journal.append({ type: 'paused', reason: 'after the gap' }, 3);
  await expect(journal.synced()).rejects.toThrow('the database has lost events');
  const next = await claim(database, runId);
  expect(next.state.seq).toBe(1);
  next.append({ type: 'tick' }, 4);
  await next.close();
  expect((await recordedIn(database, runId)).map(({ seq }) => seq)).toEqual([1, 2]);
});

const KNOWN = { spendUnknown: false, unknownIterations: 0, dearestUsd: undefined };

/** What becomes of lines that a worker sends after it has recorded the first two of a run. */
const FENCE: readonly {
  readonly sends: string;
  readonly lines: readonly [number, string][];
  readonly as?: (claim: ClaimOfRun, next: () => Promise<ClaimOfRun>) => ClaimOfRun | Promise<ClaimOfRun>;
  readonly refused?: RegExp;
  readonly recorded?: readonly string[];
}[] = [
  { sends: 'the next line', lines: [[3, 'c']], recorded: ['a', 'b', 'c'] },
  { sends: 'a line after a gap', lines: [[4, 'd']], refused: /lost events after number 2/ },
  { sends: 'its last line again', lines: [[2, 'b']] },
  {
    sends: 'all its lines again',
    lines: [
      [1, 'a'],
      [2, 'b'],
    ],
  },
  {
    sends: 'its last line again and one more',
    lines: [
      [2, 'b'],
      [3, 'c'],
    ],
    recorded: ['a', 'b', 'c'],
  },
  { sends: 'another line under a number of its own', lines: [[2, 'x']], refused: /another line is recorded/ },
  {
    sends: 'another line and one more',
    lines: [
      [2, 'x'],
      [3, 'c'],
    ],
    refused: /another line is recorded/,
  },
  {
    sends: 'the next line after another claim',
    lines: [[3, 'c']],
    as: async (own, next) => (await next(), own),
    refused: /another worker has taken it over/,
  },
  {
    sends: 'its last line again after another claim',
    lines: [[2, 'b']],
    as: async (own, next) => (await next(), own),
    refused: /another worker has taken it over/,
  },
  {
    sends: 'the next line as an older epoch',
    lines: [[3, 'c']],
    as: (own) => ({ ...own, epoch: own.epoch - 1 }),
    refused: /another worker has taken it over/,
  },
  {
    sends: 'the next line as the same epoch with the token of another claim',
    lines: [[3, 'c']],
    as: (own) => ({ ...own, claim: randomUUID() }),
    refused: /another worker has taken it over/,
  },
  {
    sends: 'lines of the claim before as its own',
    lines: [
      [2, 'b'],
      [3, 'c'],
    ],
    as: (_own, next) => next(),
    refused: /another line is recorded/,
  },
];

it.for(FENCE)('the fence of the record: a worker that sends $sends', async (row, context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const own = await claimedAgain(database, runId);
  const send = (claim: ClaimOfRun, lines: readonly (readonly [number, string])[]) =>
    sendEvents(
      database.query,
      claim,
      lines.map(([seq, line]) => ({ seq, line })),
      { iteration: 1, spentUsd: 1, ...KNOWN },
    );
  await send(own, [
    [1, 'a'],
    [2, 'b'],
  ]);
  const claim = (await row.as?.(own, () => claimedAgain(database, runId))) ?? own;
  const sent = send(claim, row.lines);
  if (row.refused === undefined) await sent;
  else {
    await expect(sent).rejects.toThrow(row.refused);
    await expect(sent).rejects.toBeInstanceOf(SupersededError);
  }
  const lines = await database.query<{ line: string }>('select line from pawl.events where run = $1 order by seq', [
    runId,
  ]);
  const recorded = row.recorded ?? ['a', 'b'];
  expect(lines.map(({ line }) => line)).toEqual(recorded);
  expect(await database.query('select last_seq from pawl.runs where id = $1', [runId])).toEqual([
    { last_seq: recorded.length },
  ]);
});

it('a worker whose claim a fail-over has lost records nothing under the epoch that another has now', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const old = await claim(database, runId);
  old.append({ type: 'paused', reason: 'lost' }, 1);
  await old.synced();
  // The standby that was promoted has neither the claim nor the line.
  await database.query('delete from pawl.events where run = $1', [runId]);
  await database.query(`update pawl.runs set state = 'queued', epoch = 0, claim = null, last_seq = 0 where id = $1`, [
    runId,
  ]);
  const next = await claim(database, runId);
  next.append({ type: 'paused', reason: 'of the next one' }, 1);
  await next.synced();
  old.append({ type: 'paused', reason: 'of the old one' }, 2);
  await expect(old.synced()).rejects.toThrow(SupersededError);
  await next.close();
  const reasons = (await recordedIn(database, runId)).map((event) => (event.type === 'paused' ? event.reason : ''));
  expect(reasons).toEqual(['of the next one']);
});

it('a statement that arrives late, after those that followed it, does not put the run back', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const run = await claimedAgain(database, runId);
  const [first, second] = [
    { seq: 1, line: 'one' },
    { seq: 2, line: 'two' },
  ];
  await sendEvents(database.query, run, [first], { iteration: 1, spentUsd: 1, ...KNOWN });
  await sendEvents(database.query, run, [second], { iteration: 2, spentUsd: 2, ...KNOWN, spendUnknown: true });
  await sendEvents(database.query, run, [first], { iteration: 1, spentUsd: 1, ...KNOWN });
  const found = await database.query(
    'select last_seq, iteration, spent_usd, spend_unknown from pawl.runs where id = $1',
    [runId],
  );
  expect(found).toEqual([{ last_seq: 2, iteration: 2, spent_usd: 2, spend_unknown: true }]);
});

it('a record with a missing or a changed line is not opened', async (context) => {
  const database = await connected(context);
  const runId = await newRun(database);
  const journal = await claim(database, runId);
  for (const event of realisticEvents(9)) journal.append(event, 1);
  await journal.close();
  await database.query('delete from pawl.events where run = $1 and seq = 9', [runId]);
  await expect(claim(database, runId)).rejects.toThrow(/ 9 .* 8 /);
  await database.query(`update pawl.events set line = replace(line, 'executing', 'exacuting') where run = $1`, [runId]);
  await expect(claim(database, runId)).rejects.toThrow('its checksum does not match');
});

it('however often a run is taken over, the record is what its workers were told is recorded', async (context) => {
  const database = await connected(context);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        worker: fc.nat(2),
        count: fc.integer({ min: 1, max: 40 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const), worker: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('sync' as const), worker: fc.nat(2) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const runId = await newRun(database);
      const journals = new Map<number, Awaited<ReturnType<typeof claim>>>();
      const promised: RunEvent[] = [];
      const appended = new Map<number, RunEvent[]>();
      for (const { worker, ...what } of steps) {
        const journal = journals.get(worker);
        if (what.kind === 'take') {
          journals.set(worker, await claim(database, runId));
          appended.set(worker, []);
        } else if (journal !== undefined && what.kind === 'append') {
          try {
            for (let index = 0; index < what.count; index += 1) {
              appended.get(worker)?.push(journal.append({ type: 'paused', reason: `${worker}-${randomUUID()}` }, 1));
            }
          } catch (error) {
            expect(error).toBeInstanceOf(SupersededError);
          }
        } else if (journal !== undefined) {
          const before = [...(appended.get(worker) ?? [])];
          await journal.synced().then(
            () => promised.push(...before),
            (error: unknown) => expect(error).toBeInstanceOf(SupersededError),
          );
        }
      }
      for (const journal of journals.values()) await journal.close().catch(() => {});
      const recorded = await recordedIn(database, runId);
      expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, index) => index + 1));
      const lines = new Set(recorded.map((event) => JSON.stringify(event)));
      expect(promised.filter((event) => !lines.has(JSON.stringify(event)))).toEqual([]);
      const last = await claim(database, runId);
      expect(canonicalJson(last.state)).toBe(canonicalJson(reduceAll(recorded)));
      await last.close();
    }),
    { numRuns: fc.readConfigureGlobal().numRuns ?? 25 },
  );
});

interface Proxy {
  readonly port: number;
  /** From now on nothing gets through, or no answer. */
  readonly swallow: (what?: 'answers') => void;
  /** Cuts what is connected; what is connected anew gets through. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

async function startProxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let swallowed: 'nothing' | 'answers' | 'everything' = 'nothing';
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => swallowed !== 'everything' && upstream.write(bytes));
    upstream.on('data', (bytes) => swallowed === 'nothing' && client.write(bytes));
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => {
    swallowed = 'nothing';
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    swallow: (what) => {
      swallowed = what ?? 'everything';
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
