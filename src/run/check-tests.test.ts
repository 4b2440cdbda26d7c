import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-check-tests-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

function scene(tests: string, more: LoopConfig = {}) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  writeFileSync(join(workingDir, 'plain.sh'), 'exit 0\n');
  let worked = 0;
  const agent = scriptedAgent([{ work: () => void (worked += 1) }]);
  const config: LoopConfig = { workingDir, prompt: 'go', iterationDelay: 0, maxIterations: 1, tests, ...more };
  const resume = () => resumeRun({ workingDir, agent, environment });
  return { workingDir, make: () => new LoopRunner(config, { agent, environment }), resume, worked: () => worked };
}

it.each(['no-such-runner --all', './no-such-file', './plain.sh'])(
  'tests whose program cannot be run, %j, are refused before anything is begun',
  (tests) => {
    const { make } = scene(tests);
    expect(make).toThrow(/^tests: .*(?:no-such-runner|no-such-file|plain\.sh)/);
  },
);

it('tests whose program is missing behind other words are refused before the first paid iteration', async () => {
  const { make, worked } = scene('cd . && no-such-runner');
  await expect(make().run()).rejects.toMatchObject({
    code: 'ConfigError',
    message: expect.stringMatching(/cannot be run \(exit code 127\).*no-such-runner/),
  });
  expect(worked()).toBe(0);
});

it('a resume of a run whose tests could not be run refuses as long as they cannot be run', async () => {
  const { workingDir, make, resume, worked } = scene('cd . && no-such-runner');
  await expect(make().run()).rejects.toThrow('no-such-runner');
  await expect((await resume()).run()).rejects.toThrow(/cannot be run \(exit code 127\).*no-such-runner/);
  expect(worked()).toBe(0);
  mkdirSync(join(workingDir, 'bin'));
  writeFileSync(join(workingDir, 'bin/no-such-runner'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const later = await resumeRun({
    workingDir,
    agent: scriptedAgent([{}]),
    environment: { ...environment, PATH: `${workingDir}/bin:${environment.PATH}` },
  });
  await later.run();
  expect(later.runState.baseline?.tests).toMatchObject({ exitCode: 1 });
});

it.each(['false', 'exit 1', 'test -e nothing', 'if true; then exit 3; fi', 'CI=1 false'])(
  'tests that merely fail, %j, are no reason not to start',
  async (tests) => {
    const { make, worked } = scene(tests);
    await make().run();
    expect(worked()).toBe(1);
  },
);

it('a hook that runs before the iteration may still install the program', async () => {
  const { make, worked } = scene('no-such-runner', { hooks: { beforeIteration: 'true' } });
  await make().run();
  expect(worked()).toBe(1);
});
