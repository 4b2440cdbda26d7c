import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPatience } from './cli-agent.js';

it('an agent that printed something while the runner was held up is not idle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-patience-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const printed = join(folder, 'printed');
  const agent = spawn('sh', ['-c', 'echo here; touch "$0"; read line', printed]);
  const endings: string[] = [];
  const idleTimeoutMs = 100;
  const patience = createPatience({ idleTimeoutMs, onEnd: (cause) => endings.push(cause) });
  const heard = once(
    agent.stdout.on('data', () => patience.sawLife()),
    'data',
  );
  do stall(2 * idleTimeoutMs);
  while (!existsSync(printed));
  await heard;
  patience.end();
  agent.stdin.end();
  expect(endings).toEqual([]);
});

/** Holds up the whole process, as a busy machine or Ctrl-Z does. */
function stall(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}
