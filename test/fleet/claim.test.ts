import { describe, expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { wishFor } from '../../src/fleet/commands.js';
import type { Database } from '../../src/fleet/database.js';
import { claimRun, releaseRun } from '../../src/fleet/engine/claim.js';
import type { ClaimedRun } from '../../src/fleet/engine/engine.js';
import { batchSpend } from '../../src/fleet/batch-budget.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();

const limit = (database: Database, kind: string, key: string, most: number) =>
  database.query('insert into pawl.limits (kind, key, most) values ($1, $2, $3)', [kind, key, most]);

const ENDED = { state: 'ended', outcome: { status: 'done' } } as const;

describe('claiming', () => {
  it('workers that claim at once never get the same run', async (context) => {
    const { database } = await fleet(context);
    const runs = Array.from({ length: 40 }, () => aRun());
    await submitRuns(database, runs);
    const claimed: ClaimedRun[] = [];
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => {
        const worker = await aWorker(database, id);
        for (let run = await claimRun(database, worker); run !== undefined; run = await claimRun(database, worker)) {
          claimed.push(run);
        }
      }),
    );
    expect(claimed.map(({ id }) => id).sort()).toEqual(runs.map(({ id }) => id).sort());
    expect(claimed.every(({ epoch, wasLeft }) => epoch === 1 && !wasLeft)).toBe(true);
  });

  it('eight claimers at once exceed no limit of a repository, a key group or a label', async (context) => {
    const { database } = await fleet(context);
    await limit(database, 'repository', '*', 2);
    await limit(database, 'repository', 'wide', 5);
    await limit(database, 'key_group', 'key', 3);
    await limit(database, 'label', 'gpu', 1);
    const runs = Array.from({ length: 48 }, (_, index) =>
      aRun({
        repository: ['wide', 'narrow', 'other'][index % 3] ?? '',
        labels: index % 4 === 0 ? ['gpu'] : [],
        ...(index % 2 === 0 ? { keyGroup: 'key' } : {}),
      }),
    );
    await submitRuns(database, runs);
    const exceeded: unknown[] = [];
    let left = runs.length;
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const worker = await aWorker(database, `w${index}`, ['gpu']);
        while (left > 0) {
          const run = await claimRun(database, worker);
          if (run === undefined) continue;
          exceeded.push(...(await database.query(TOO_MANY)));
          left -= 1;
          await releaseRun(database, run, ENDED);
        }
      }),
    );
    expect(exceeded).toEqual([]);
    expect(await database.query(`select 1 from pawl.runs where state <> 'ended'`)).toEqual([]);
  });

  it('a limit of 0 holds everything of its kind back, and a run without a limit is not held up by it', async (context) => {
    const { database } = await fleet(context);
    await limit(database, 'repository', 'held', 0);
    const [held, free] = [aRun({ repository: 'held' }), aRun({ repository: 'free' })];
    await submitRuns(database, [held, free]);
    const worker = await aWorker(database, 'a');
    expect((await claimRun(database, worker))?.id).toBe(free.id);
    expect(await claimRun(database, worker)).toBeUndefined();
  });

  it('a run whose labels a worker lacks is left for another', async (context) => {
    const { database } = await fleet(context);
    const [picky, plain] = [aRun({ labels: ['linux', 'gpu'] }), aRun()];
    await submitRuns(database, [picky, plain]);
    const [poor, rich] = [
      await aWorker(database, 'poor', ['linux']),
      await aWorker(database, 'rich', ['gpu', 'linux']),
    ];
    expect((await claimRun(database, poor))?.id).toBe(plain.id);
    expect(await claimRun(database, poor)).toBeUndefined();
    expect(await claimRun(database, rich)).toMatchObject({ id: picky.id, labels: ['linux', 'gpu'], spec: picky.spec });
  });

  it('what an agent has said cannot keep a run from being released', async (context) => {
    const { database } = await fleet(context);
    await submitRuns(database, [aRun()]);
    const run = await claimRun(database, await aWorker(database, 'a'));
    const outcome = { status: 'error', error: 'a\0b\uD800c', reasons: ['😀\uDC00'] };
    expect(await releaseRun(database, run as ClaimedRun, { state: 'ended', outcome })).toBe(true);
    const [row] = await database.query('select outcome from pawl.runs');
    expect(row).toEqual({ outcome: { status: 'error', error: 'a\uFFFDb\uFFFDc', reasons: ['😀\uFFFD'] } });
  });

  it('a run that is cancelled needs no worker with its labels', async (context) => {
    const { database } = await fleet(context);
    const picky = aRun({ labels: ['gpu'] });
    await submitRuns(database, [picky]);
    const worker = await aWorker(database, 'plain');
    expect(await claimRun(database, worker)).toBeUndefined();
    await wishFor(database, [picky.id], 'cancel');
    expect(await claimRun(database, worker)).toMatchObject({ id: picky.id, wish: 'cancel' });
  });

  it('a paused run is not handed out, and a cancelled one is in spite of limit and time', async (context) => {
    const { database } = await fleet(context);
    await limit(database, 'repository', '*', 1);
    const [first, paused, cancelled] = [aRun(), aRun(), aRun()];
    await submitRuns(database, [first, paused, cancelled]);
    await wishFor(database, [paused.id], 'pause');
    const worker = await aWorker(database, 'a');
    expect((await claimRun(database, worker))?.id).toBe(first.id);
    expect(await claimRun(database, worker)).toBeUndefined();
    await wishFor(database, [cancelled.id], 'cancel');
    expect(await claimRun(database, worker)).toMatchObject({ id: cancelled.id, wish: 'cancel' });
    expect(await claimRun(database, worker)).toBeUndefined();
  });

  it('a run that waits is handed out when its time has come, before those that were submitted later', async (context) => {
    const { database } = await fleet(context);
    const [run, later] = [aRun(), aRun()];
    await submitRuns(database, [run]);
    const worker = await aWorker(database, 'a');
    const claimed = await claimRun(database, worker);
    if (claimed === undefined) throw new Error('nothing was handed out');
    await releaseRun(database, claimed, { state: 'waiting', notBefore: new Date(Date.now() + 3_600_000) });
    expect(await claimRun(database, worker)).toBeUndefined();
    await database.query('update pawl_jobs.job set start_after = now()');
    await submitRuns(database, [later]);
    expect(await claimRun(database, worker)).toMatchObject({ id: run.id, epoch: 2 });
  });
});

describe('releasing', () => {
  it('an old epoch changes nothing of a run that another works on', async (context) => {
    const { database } = await fleet(context);
    await submitRuns(database, [aRun()]);
    const worker = await aWorker(database, 'a');
    const old = await claimRun(database, worker);
    if (old === undefined) throw new Error('nothing was handed out');
    await releaseRun(database, old, { state: 'queued' });
    const now = await claimRun(database, worker);
    expect(now).toMatchObject({ epoch: 2, wasLeft: true });
    expect(await releaseRun(database, old, ENDED)).toBe(false);
    expect(await database.query('select state, worker, epoch from pawl.runs')).toEqual([
      { state: 'running', worker: 'a', epoch: 2 },
    ]);
  });

  it('asked again because the answer was lost, it answers the same', async (context) => {
    const { database } = await fleet(context);
    await submitRuns(database, [aRun()]);
    const run = await claimRun(database, await aWorker(database, 'a'));
    if (run === undefined) throw new Error('nothing was handed out');
    expect(await releaseRun(database, run, ENDED)).toBe(true);
    expect(await releaseRun(database, run, ENDED)).toBe(true);
    expect(await releaseRun(database, run, { state: 'queued' })).toBe(false);
    const rows = await database.query('select state, worker, outcome, ended_at is not null as over from pawl.runs');
    expect(rows).toEqual([{ state: 'ended', worker: null, outcome: { status: 'done' }, over: true }]);
  });
});

describe('the spend of a batch', () => {
  it('counts all its runs and no other, and an unknown batch is not one that spent nothing', async (context) => {
    const { database } = await fleet(context);
    await submitRuns(database, [aRun(), aRun()], { batch: { id: 'tickets', maxCostUsd: 5 } });
    await submitRuns(database, [aRun()]);
    await database.query('update pawl.runs set spent_usd = 1.25');
    expect(await batchSpend(database, 'tickets')).toEqual({ spentUsd: 2.5, maxCostUsd: 5 });
    expect(await batchSpend(database, 'nobody')).toBeUndefined();
  });
});

const TOO_MANY = `
  select repository, count(*)::int as runs from pawl.runs where state = 'running' group by repository
    having count(*) > case repository when 'wide' then 5 else 2 end
  union all
  select key_group, count(*)::int from pawl.runs where state = 'running' and key_group is not null group by key_group having count(*) > 3
  union all
  select 'gpu', count(*)::int from pawl.runs where state = 'running' and 'gpu' = any(labels) having count(*) > 1`;
