import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metric } from '../model/conditions/metric.js';
import { processesWithCookie } from '../process/process-table.js';
import { observeProbe } from './probe.js';

let base: string;
let workingDir: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'pawl-probe-goals-'));
  workingDir = join(base, 'work');
  mkdirSync(workingDir);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const setting = (signal?: AbortSignal) => ({ workingDir, environment: process.env, cookie: randomUUID(), signal });
const list = (path = 'PLAN.md') => observeProbe({ type: 'checklist_done', path }, setting());
const write = (text: string) => writeFileSync(join(workingDir, 'PLAN.md'), text);

describe('the boxes of a file', () => {
  it('are counted, with what is left and a figure of the content', async () => {
    write('- [x] a\n- [ ] b\n');
    const seen = await list();
    expect(seen).toMatchObject({ met: false, detail: '1 of 2 boxes in PLAN.md are checked' });
    expect(seen.boxes).toMatchObject({ checked: 1, total: 2, open: ['b'] });
    write('- [x] a\n- [x] b\n');
    const done = await list();
    expect(done).toMatchObject({ met: true, boxes: { checked: 2, total: 2, open: [] } });
    expect(done.version).not.toBe(seen.version);
  });

  it('a file that is missing, empty, or a folder has none, and that is known', async () => {
    expect(await list()).toEqual({ met: false, detail: 'PLAN.md does not exist' });
    write('');
    expect(await list()).toMatchObject({ met: false, boxes: { total: 0 } });
    expect(await list('.')).toMatchObject({ met: false, detail: '. is a folder, not a file' });
  });

  it('a path or a link that is outside the working directory is unknown', async () => {
    writeFileSync(join(base, 'secret.md'), '- [x] a\n');
    symlinkSync('../secret.md', join(workingDir, 'PLAN.md'));
    const refused = (path: string) => ({ detail: `${path} is outside the working directory` });
    expect(await list()).toEqual(refused('PLAN.md'));
    expect(await list('../secret.md')).toEqual(refused('../secret.md'));
  });

  it('a link within the working directory is followed', async () => {
    writeFileSync(join(workingDir, 'real.md'), '- [x] a\n');
    symlinkSync('real.md', join(workingDir, 'PLAN.md'));
    expect(await list()).toMatchObject({ met: true });
  });

  it('a huge file is unknown, and is not read', async () => {
    write('- [x] a\n');
    truncateSync(join(workingDir, 'PLAN.md'), 200 * 1024 ** 3);
    expect(await list()).toEqual({ detail: 'PLAN.md is larger than 4 MB, so its boxes are not counted' });
  });

  it('of a long list the first items are recorded, and all are counted', async () => {
    write(Array.from({ length: 5000 }, (_, index) => `- [ ] ${index} ${'x'.repeat(200)}\n`).join(''));
    const { boxes } = await list();
    expect(boxes).toMatchObject({ checked: 0, total: 5000 });
    expect(boxes?.open).toHaveLength(20);
    expect(boxes?.open?.[0]).toHaveLength(80);
    expect(boxes?.digests).toHaveLength(500);
  });
});

describe('what a command measures', () => {
  const measured = (command: string, more: { timeout?: string } = {}, signal?: AbortSignal) =>
    observeProbe(metric(command, { better: 'lower', target: 1, ...more }), setting(signal));

  it('is the last number on its standard output', async () => {
    expect(await measured('echo p95; echo 120; echo 99 >&2')).toEqual({ value: 120 });
  });

  it.each([
    ['nothing', 'true', 'it printed no number'],
    ['NaN', 'echo 5; echo NaN', 'it printed NaN, which is not a finite number'],
    ['a number with a unit', 'echo 120ms', 'its last number is "120ms", not a plain number such as 1234.5'],
    ['a number and fails', 'echo 120; exit 3', 'it exited with 3'],
    ['a number and is killed', 'echo 120; kill -9 $$', 'it was killed by SIGKILL'],
    ['a number only as an error', 'echo 120 >&2', 'it printed no number'],
  ])('is unknown when it prints %s', async (_, command, detail) => {
    expect(await measured(command)).toEqual({ detail });
  });

  it('is unknown when it does not end in time, and nothing of it is left', async () => {
    const cookie = randomUUID();
    const condition = metric('echo 5; sleep 600', { better: 'lower', target: 1, timeout: '100ms' });
    const seen = await observeProbe(condition, { ...setting(), cookie });
    expect(seen).toEqual({ detail: 'it did not end within 100ms' });
    expect(processesWithCookie(cookie)).toEqual([]);
  });

  it('of a flood of output the end counts', async () => {
    expect(await measured('yes 1 | head -c 3000000; echo; echo 42')).toEqual({ value: 42 });
  });

  it('is unknown when it is interrupted', async () => {
    expect(await measured('echo 5', {}, AbortSignal.abort())).toEqual({ detail: 'it was interrupted' });
  });
});
