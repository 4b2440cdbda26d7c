import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { reapCrashed } from './end-crashed.js';

it('an agent that was just being started when its runner died is ended once it bears its cookie', async () => {
  const runId = `starting-${process.pid}`;
  const script = `sleep 0.1; PAWL_COOKIE=${runId}.1.1 exec sleep 30`;
  const child = spawn('sh', ['-c', script], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const { killed, left } = await reapCrashed(runId, { agoMs: 0 }, 2000);
  if (killed === 0) child.kill('SIGKILL');
  expect({ killed, left }).toEqual({ killed: 1, left: [] });
  expect((await exited)[1]).toBe('SIGKILL');
});
