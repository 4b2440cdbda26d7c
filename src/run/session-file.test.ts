import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  mkdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { SessionConfig } from '../config/loop-config.js';
import { deleteRun } from '../journal/delete-run.js';
import { locateRun } from '../journal/list-runs.js';
import { maxIterations } from '../stop/conditions.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './loop-runner.js';
import { resumeRun } from './resume-run.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-session-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let workingDir: string;
beforeEach(() => {
  workingDir = mkdtempSync(join(base, 'tree-'));
});

const opens = (id: string) => ({ events: [{ kind: 'session', id }] as const });

function loop(session: SessionConfig, steps = [opens('s1')], limit = 1) {
  const agent = scriptedAgent(steps, { canResume: true });
  const warnings: string[] = [];
  const options = {
    agent,
    control: false,
    environment: { ...process.env, XDG_STATE_HOME: join(base, 'state') },
    onWarning: (message: string) => warnings.push(message),
  };
  const config = { workingDir, prompt: 'go', iterationDelay: 0, session, maxIterations: limit } as const;
  const resume = async (count: number) => {
    const run = await resumeRun({ workingDir, ...options });
    return run.run({ raise: [maxIterations(count)] });
  };
  return { runner: new LoopRunner(config, options), agent, warnings, resume };
}

const sessionFile = (runId: string, folder = '.ralph/sessions') => join(workingDir, folder, `${runId}.json`);

describe('the session of a run', () => {
  it('[c60] is continued by a restart, and its name is in the folder of the sessions', async () => {
    const { runner, agent, resume } = loop({});
    await runner.run();
    const kept = JSON.parse(readFileSync(sessionFile(runner.id), 'utf8')) as unknown;
    expect(kept).toMatchObject({ runId: runner.id, agent: 'scripted', session: 's1', workingDir });
    await resume(2);
    expect(agent.tasks.map(({ session }) => session)).toEqual([undefined, 's1']);
  });

  it('[c60] that is not to persist is continued within a process only, and leaves no file', async () => {
    const { runner, agent, resume } = loop({ persist: false }, [opens('s1')], 2);
    await runner.run();
    await resume(3);
    expect(agent.tasks.map(({ session }) => session)).toEqual([undefined, 's1', undefined]);
    expect(existsSync(join(workingDir, '.ralph', 'sessions'))).toBe(false);
  });

  it('[c60] is kept in the folder that state_dir names, which is no work of the agent', async () => {
    const { runner } = loop({ stateDir: 'kept/sessions' }, [opens('s1'), opens('s2'), {} as never], 3);
    await runner.run();
    expect(JSON.parse(readFileSync(sessionFile(runner.id, 'kept/sessions'), 'utf8'))).toMatchObject({ session: 's2' });
    expect(existsSync(join(workingDir, '.ralph', 'sessions'))).toBe(false);
    expect(runner.runState.recent.map(({ madeProgress }) => madeProgress)).not.toContain(true);
  });

  it('that is given up is not in the folder any more', async () => {
    const { runner } = loop({}, [opens('s1'), { events: [], end: { exitCode: 1 } } as never], 2);
    await runner.run();
    expect(readdirSync(join(workingDir, '.ralph', 'sessions'))).toEqual([]);
  });

  it('that an earlier process kept and this one gives up is not in the folder any more', async () => {
    const { runner, resume } = loop({}, [opens('s1'), { events: [], end: { exitCode: 1 } } as never]);
    await runner.run();
    await resume(2);
    expect(readdirSync(join(workingDir, '.ralph', 'sessions'))).toEqual([]);
  });

  it('is forgotten with the record of its run', async () => {
    const { runner } = loop({ stateDir: 'kept' });
    await runner.run();
    const environment = { XDG_STATE_HOME: join(base, 'state') };
    deleteRun(locateRun(workingDir, runner.id, environment), workingDir, environment);
    expect(readdirSync(join(workingDir, 'kept'))).toEqual([]);
  });

  it('that cannot be kept is a warning, and the run goes on', async () => {
    mkdirSync(join(workingDir, 'elsewhere'));
    symlinkSync('elsewhere', join(workingDir, 'link'));
    const { runner, warnings } = loop({ stateDir: 'link' }, [opens('s1')], 2);
    expect(await runner.run()).toMatchObject({ status: 'stopped', state: { iterations: 2 } });
    expect(warnings).toEqual([expect.stringContaining('session.state_dir')]);
    expect(readdirSync(join(workingDir, 'elsewhere'))).toEqual([]);
  });
});
