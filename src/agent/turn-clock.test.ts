import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TurnClock } from './turn-clock.js';

it('a model that sent something while the process was held up is not idle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-clock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sent = join(folder, 'sent');
  const model = spawn('sh', ['-c', 'echo here; touch "$0"; read line', sent]);
  const idleTimeoutMs = 100;
  const clock = new TurnClock({ timeoutMs: 3_600_000, idleTimeoutMs });
  clock.sawLife();
  const heard = once(
    model.stdout.on('data', () => clock.sawLife()),
    'data',
  );
  do Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * idleTimeoutMs);
  while (!existsSync(sent));
  await heard;
  clock.stop();
  model.stdin.end();
  expect(clock.cause).toBeUndefined();
});

it('a model that sends nothing is idle', async () => {
  const clock = new TurnClock({ timeoutMs: 3_600_000, idleTimeoutMs: 10 });
  clock.sawLife();
  await once(clock.signal, 'abort');
  clock.stop();
  expect(clock.cause).toBe('idle');
});
