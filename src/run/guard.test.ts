import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './loop-runner.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-guarded-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

/** A tree whose tests are red until somebody tampers with them; the guard is on the folder of the tests. */
async function tamper(work: (tree: string) => void, tracking = true) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  execFileSync('git', ['init', '-q'], { cwd: workingDir, env: environment });
  mkdirSync(join(workingDir, 'tests'));
  writeFileSync(join(workingDir, 'tests', 't.sh'), 'exit 1\n');
  const journal = memoryJournal();
  const runner = new LoopRunner(
    {
      workingDir,
      prompt: 'go',
      iterationDelay: 0,
      trackFileChanges: tracking,
      maxIterations: 2,
      tests: '[ -f tests/hook ] || sh tests/t.sh',
      stop: { failure: [{ protected_path_changed: ['tests/**'] }] },
    },
    { agent: scriptedAgent([{ work: () => work(workingDir) }]), journal, environment },
  );
  return { result: await runner.run(), journal, workingDir };
}

const hook = (tree: string) => writeFileSync(join(tree, 'tests', 'hook'), '');

describe('a guard', () => {
  it.each<[string, (tree: string) => void]>([
    ['in the open', hook],
    [
      'under an ignore rule of its own',
      (tree) => (writeFileSync(join(tree, '.gitignore'), 'tests/hook\n'), hook(tree)),
    ],
    [
      'under a rule in .git',
      (tree) => (appendFileSync(join(tree, '.git', 'info', 'exclude'), 'tests/hook\n'), hook(tree)),
    ],
  ])('is not passed by a file that is made %s', async (_, work) => {
    const { result } = await tamper(work);
    expect(result).toMatchObject({ class: 'veto', exitCode: 4 });
    expect(result.reasons[0]?.message).toBe('tests/hook changed');
  });

  it('stands also when changes are not tracked', async () => {
    expect((await tamper(hook, false)).result).toMatchObject({ class: 'veto' });
  });

  it('still sees after a crash what was done before it', async () => {
    const { journal, workingDir } = await tamper(() => undefined);
    const events = journal.events.slice(0, journal.events.findIndex((event) => event.type === 'agent-spawned') + 1);
    hook(workingDir);
    const resumed = memoryJournal({ events });
    const { spec } = resumed.state;
    const config = { workingDir, prompt: 'go', tests: spec?.tests?.command ?? '', maxIterations: 2 };
    const stop = { failure: [{ protected_path_changed: ['tests/**'] }] };
    const runner = new LoopRunner({ ...config, stop }, { agent: scriptedAgent([{}]), journal: resumed, environment });
    expect(await runner.run()).toMatchObject({ class: 'veto' });
  });

  it.each(['a limit', 'a stop'] as const)('lets a run complete that was ended by %s and resumed', async (ending) => {
    const workingDir = mkdtempSync(join(base, 'tree-'));
    mkdirSync(join(workingDir, 'tests'));
    const finish = () => writeFileSync(join(workingDir, 'done'), '');
    const stop = () => void (ending === 'a stop' && runner.send({ type: 'stop' }));
    const runner = new LoopRunner(
      {
        workingDir,
        prompt: 'go',
        iterationDelay: 0,
        maxIterations: ending === 'a limit' ? 1 : 5,
        tests: 'test -e done',
        parseTests: false,
        stop: { failure: [{ protected_path_changed: ['tests/**'] }] },
      },
      { agent: scriptedAgent([{ work: stop }, { work: finish }]), environment },
    );
    expect(await runner.run()).toMatchObject({ status: 'stopped' });
    expect(await runner.run({ raise: [{ type: 'max_iterations', count: 4 }] })).toMatchObject({ class: 'goal' });
    expect(runner.stats().iterations).toBe(2);
  });

  it('sees what was done in the first iteration after a resume, also after a crash in it', async () => {
    const { journal, workingDir } = await tamper(() => undefined);
    const resumed: RunEvent[] = [];
    const run = (events: readonly RunEvent[]) => {
      const record = memoryJournal({ events });
      const stop = { failure: [{ protected_path_changed: ['tests/**'] }] };
      const config = { workingDir, prompt: 'go', tests: 'exit 1', maxIterations: 3, stop, iterationDelay: 0 } as const;
      const runner = new LoopRunner(config, { agent: scriptedAgent([{}]), journal: record, environment });
      return { record, result: runner.run({ raise: [{ type: 'max_iterations', count: 3 }] }) };
    };
    const again = run(journal.events);
    await again.result;
    const spawned = again.record.events.findLastIndex((event) => event.type === 'agent-spawned');
    resumed.push(...again.record.events.slice(0, spawned + 1));
    hook(workingDir);
    expect(await run(resumed).result).toMatchObject({ class: 'veto' });
  });
});
