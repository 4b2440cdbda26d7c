import { afterAll, describe, expect, it } from 'vitest';
import { AttackedRun } from '../../test/support/attacked-run.js';
import type { NewEvent } from '../model/run-event.js';
import { reportSpend } from '../model/report-spend.js';
import { EMPTY_ACCOUNT, type SpendAccount } from '../model/spend-account.js';
import { Overspend } from './live-run.js';

const runs: AttackedRun[] = [];
afterAll(() => {
  for (const run of runs) run.remove();
});

function scratch(): AttackedRun {
  const run = new AttackedRun();
  runs.push(run);
  return run;
}

type Report = Extract<NewEvent, { readonly type: 'usage-reported' }>;

function report(costUsd: number | undefined, more: Partial<Report> = {}): Report {
  const spend = { inputTokens: 10, outputTokens: 5, totalTokens: 15, costUsd };
  return { type: 'usage-reported', scope: 'request', id: 'a', model: 'm', spend, ...more };
}

function booked(account: SpendAccount, event: Report): SpendAccount {
  return reportSpend(account, { ...event, v: 1, seq: 1, at: '2026-03-01T12:00:00.000Z', activeMs: 0 });
}

describe('an agent that was told to end because of what it spends', () => {
  const crossed = booked(EMPTY_ACCOUNT, report(2));
  it.each<[string, Report, boolean]>([
    ['asks anew', report(0.4, { id: 'b' }), true],
    ['asks anew without naming its request', report(0.4, { id: undefined }), true],
    ['asks a model without a price', report(undefined, { id: 'b' }), true],
    ['has spent more in its whole session', report(5, { scope: 'session-total', id: undefined, session: 's' }), true],
    [
      'is refused',
      report(0, { id: 'b', spend: { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0 } }),
      false,
    ],
    ['ends the request that was under way', report(2.5), false],
    ['sums up its turn', report(3, { scope: 'turn', id: undefined }), false],
  ])('%s', (_name, event, isSpentOn) => {
    expect(new Overspend(crossed).isSpentOn(event, booked(crossed, event))).toBe(isSpentOn);
  });
});

describe.concurrent('the grace of an agent that is over its budget', () => {
  const deaf = { iterationTimeout: '40s' } as const;
  const after = (run: AttackedRun, isOver: (costUsd: number, activeMs: number) => boolean): number => {
    let costUsd = 0;
    return run.of('usage-reported').filter(({ spend, activeMs }) => {
      costUsd += spend.costUsd ?? 0;
      return isOver(costUsd, activeMs);
    }).length;
  };

  it('ends with the next request: it is killed, with all that it started, and the record says so', async () => {
    const run = scratch();
    await run.run(['spends-deaf'], { ...deaf, stop: { limits: [{ max_cost: 0.1 }] } });
    expect(run.of('run-ended')[0]).toMatchObject({ state: 'stopped', class: 'limit' });
    const [ended] = run.ended();
    expect(ended).toMatchObject({
      outcome: 'interrupted',
      interruption: 'limit',
      ending: { cause: 'aborted', spentOn: true, survivors: 0 },
      observation: { signal: 'SIGKILL' },
    });
    // What was printed until the signal was there, on a busy machine, too; its whole grace would be a hundred.
    expect(after(run, (costUsd) => costUsd > 0.1001)).toBeLessThan(60);
    await run.expectWholeRecord();
  });

  it('holds for tokens, too', async () => {
    const run = scratch();
    await run.run(['spends-deaf'], { ...deaf, stop: { limits: [{ max_tokens: 100 }] } });
    expect(run.ended()[0]?.ending).toMatchObject({ spentOn: true });
  });

  it('is left to one that only ends the request that was under way', async () => {
    const run = scratch();
    await run.run(['ends-its-request'], { ...deaf, stop: { limits: [{ max_cost: 0.04 }] } });
    expect(run.ended()[0]).toMatchObject({ outcome: 'interrupted', ending: { cause: 'aborted' } });
    expect(run.ended()[0]?.ending?.spentOn).toBeUndefined();
    expect(run.said()).toBe('it was let finish');
  });

  it('is left to one whose time is up, whatever it spends in it', async () => {
    const run = scratch();
    await run.run(['spends-deaf'], { ...deaf, stop: { limits: [{ max_duration: '1s' }] } });
    expect(run.ended()[0]).toMatchObject({ outcome: 'interrupted', ending: { cause: 'aborted' } });
    expect(run.ended()[0]?.ending?.spentOn).toBeUndefined();
    expect(after(run, (_costUsd, activeMs) => activeMs > 1500)).toBeGreaterThan(20);
  });
});
