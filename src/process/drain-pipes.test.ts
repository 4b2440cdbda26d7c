import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { drainPipes } from './drain-pipes.js';

it('what a process printed last is read, even when the runner was too busy to read it in time', async () => {
  const child = spawn('head', ['-c', '300000', '/dev/zero'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // A runner that has other work for each piece.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  });
  const drained = once(child, 'spawn').then(() => drainPipes(child));
  await drained;
  expect(bytes).toBe(300_000);
});
