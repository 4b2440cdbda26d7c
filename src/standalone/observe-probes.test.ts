import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { StopCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import {
  allOf,
  anyOf,
  customScript,
  fileContains,
  fileCreated,
  goal,
  maxIterations,
  not,
  protectedPathChanged,
} from '../stop/conditions.js';
import { evaluateCondition, evaluateStopConditions } from './evaluate.js';
import { observeProbes } from './observe-probes.js';

const workingDir = mkdtempSync(join(tmpdir(), 'pawl-observe-probes-'));
afterAll(() => rmSync(workingDir, { recursive: true, force: true }));
writeFileSync(join(workingDir, 'DONE.md'), 'all done');
writeFileSync(join(workingDir, 'check.sh'), '#!/bin/sh\necho "$WORD of $1"\necho x >> calls\n', { mode: 0o755 });

const isDone: StopCondition = { type: 'function', name: 'isDone' };

describe('probes without a run', () => {
  it('[c5] scripts and functions are conditions, and what they answer is recorded by condition', async () => {
    const script = customScript('check.sh', ['four']);
    const probes = await observeProbes([script, isDone], {
      workingDir,
      environment: { PATH: process.env['PATH'], WORD: 'three' },
      context: { left: 2 },
      functions: { isDone: (context) => ({ met: (context as { left: number }).left === 0, reason: '2 left' }) },
    });
    expect(probes).toEqual({
      [conditionKey(script)]: { met: true, detail: 'three of four' },
      [conditionKey(isDone)]: { met: false, detail: '2 left' },
    });
    expect(evaluateStopConditions([isDone, script], { probes })).toMatchObject({ reason: 'three of four' });
    expect(evaluateCondition(isDone, { probes })).toMatchObject({ status: 'not-met', reason: '2 left' });
  });

  it('are found in all leaves, each looked at once, and nothing else is', async () => {
    rmSync(join(workingDir, 'calls'), { force: true });
    const once = customScript('check.sh');
    const conditions = [
      goal(allOf(fileCreated('DONE.md'), anyOf(once, not(fileContains('DONE.md', 'done'))))),
      once,
      { type: 'custom_script', script: 'check.sh' } as const,
      maxIterations(3),
      protectedPathChanged(['test/**']),
    ];
    const probes = await observeProbes(conditions, { workingDir });
    expect(Object.keys(probes)).toHaveLength(3);
    expect(await observeProbes([fileContains('calls', 'x\nx')], { workingDir })).toMatchObject({
      [conditionKey(fileContains('calls', 'x\nx'))]: { met: false },
    });
    expect(conditions.map((condition) => evaluateCondition(condition, { iteration: 1, probes }).status)).toEqual([
      'met',
      'met',
      'met',
      'not-met',
      'unknown',
    ]);
  });

  it('that cannot be told are unknown, and stop nothing', async () => {
    const conditions = [customScript('missing.sh'), fileCreated('/etc/passwd'), isDone];
    const probes = await observeProbes(conditions, { workingDir });
    expect(Object.values(probes).map(({ met }) => met)).toEqual([undefined, undefined, undefined]);
    expect(evaluateStopConditions(conditions, { probes })).toBeNull();
  });

  it('of conditions that are none reject with a clear error', async () => {
    const wrong = { type: 'file_created' } as unknown as StopCondition;
    await expect(observeProbes([wrong], { workingDir })).rejects.toMatchObject({ code: 'ConfigError' });
  });
});
