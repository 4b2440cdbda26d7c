import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { DayLedger, dayOf } from './day-ledger.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-ledger-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const DAY = '2026-03-01';
function place(): { home: string; file: string; spent: (run?: string) => unknown } {
  const home = mkdtempSync(join(base, 'home-'));
  const folder = join(home, 'pawl', 'spend', DAY);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { home, file: join(folder, 'one.json'), spent: () => new DayLedger(home, 'other').others(DAY) };
}

describe('the day of the budget', () => {
  it.each(['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles'])('is the same for a process with TZ=%s', (zone) => {
    vi.stubEnv('TZ', zone);
    try {
      expect(dayOf(Date.parse('2026-03-01T00:30:00Z'))).toBe('2026-03-01');
      expect(dayOf(Date.parse('2026-03-01T23:30:00Z'))).toBe('2026-03-01');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('what a run notes of its spend', () => {
  it('takes the place of what it noted before, whichever is longer', () => {
    const { home, spent } = place();
    const ledger = new DayLedger(home, 'one');
    for (const costUsd of [0.1, 12.3456789, 3]) {
      ledger.note(DAY, costUsd);
      expect(spent()).toEqual({ usd: costUsd });
    }
    ledger.note(DAY, undefined, { why: 'because '.repeat(100) });
    expect(spent()).toHaveProperty('problem', expect.stringContaining('because because'));
    ledger.note(DAY, 4);
    expect(spent()).toEqual({ usd: 4 });
  });

  it('leaves nothing of what somebody wrote there by hand', () => {
    const { home, file, spent } = place();
    writeFileSync(file, `{"costUsd": 7}${' '.repeat(1000)}`);
    new DayLedger(home, 'one').note(DAY, 0.5);
    expect(spent()).toEqual({ usd: 0.5 });
  });

  it('is not written through a link, and does not hang on a pipe', () => {
    const { home, file, spent } = place();
    const secret = join(home, 'secret');
    writeFileSync(secret, 'x'.repeat(256));
    symlinkSync(secret, file);
    new DayLedger(home, 'one').note(DAY, 0.5);
    expect(readFileSync(secret, 'utf8')).toBe('x'.repeat(256));
    rmSync(file);
    execFileSync('mkfifo', [file]);
    new DayLedger(home, 'one').note(DAY, 0.75);
    expect(lstatSync(file).isFile()).toBe(true);
    expect(spent()).toEqual({ usd: 0.75 });
  });
});
