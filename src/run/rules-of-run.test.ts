import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { NEWEST_RULES } from '../model/condition-catalog.js';
import { maxIterations } from '../stop/conditions.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-rules-of-run-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

it('a run records the versions of its rules, and a resume keeps them unless newer ones are asked for', async () => {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const agent = scriptedAgent([{}, {}, {}]);
  const run = new LoopRunner({ workingDir, prompt: 'go', iterationDelay: 0, maxIterations: 1 }, { agent, environment });
  await run.run();
  expect(run.runState.rules).toEqual(NEWEST_RULES);
  expect(run.runState.rules).toMatchObject({ test_failure_streak: 4 });

  const events: unknown[] = [];
  const resumed = await resumeRun({ workingDir, agent, environment });
  resumed.subscribe((event) => void (event.type === 'run-resumed' && events.push(event)));
  await resumed.run({ raise: [maxIterations(2)] });
  const again = await resumeRun({ workingDir, agent, environment });
  again.subscribe((event) => void (event.type === 'run-resumed' && events.push(event)));
  await again.run({ raise: [maxIterations(3)], newestRules: true });
  expect(again.runState.rules).toEqual(NEWEST_RULES);
  expect(events).toEqual([
    expect.not.objectContaining({ rules: expect.anything() }),
    expect.objectContaining({ rules: NEWEST_RULES }),
  ]);
});
