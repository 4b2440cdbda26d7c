import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { RunEvent } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-guarded-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

/** A tree whose tests are red until somebody tampers with them; the guard is on the folder of the tests. */
async function tamper(work: (tree: string) => void, more: Partial<LoopConfig> = {}, prepare?: (tree: string) => void) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  execFileSync('git', ['init', '-q'], { cwd: workingDir, env: environment });
  mkdirSync(join(workingDir, 'tests'));
  writeFileSync(join(workingDir, 'tests', 't.sh'), 'exit 1\n');
  writeFileSync(join(workingDir, '.gitignore'), 'tests/cache/\n');
  prepare?.(workingDir);
  const journal = memoryJournal();
  const runner = new LoopRunner(
    {
      workingDir,
      prompt: 'go',
      iterationDelay: 0,
      maxIterations: 2,
      tests: '[ -f tests/hook ] || sh tests/t.sh',
      stop: { failure: [{ protected_path_changed: ['tests/**'] }] },
      ...more,
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
    expect(result.reasons[0]?.message).toContain('tests/hook');
  });

  it.each(['.ralph', '.git'])('is not passed by a file in a folder named %s below the top', async (name) => {
    const { result, journal } = await tamper(
      (tree) => (mkdirSync(join(tree, 'tests', name)), writeFileSync(join(tree, 'tests', name, 'hook'), '')),
      { tests: `[ -f tests/${name}/hook ] || sh tests/t.sh` },
    );
    expect(result).toMatchObject({ class: 'veto', exitCode: 4 });
    expect(result.reasons[0]?.message).toContain(`tests/${name}/hook`);
    const files = journal.events.find((event) => event.type === 'iteration-ended')?.observation.files;
    expect([...(files?.created ?? []), ...(files?.incomplete ?? [])]).toEqual([`tests/${name}/hook`]);
  });

  it('stands also when changes are not tracked', async () => {
    expect((await tamper(hook, { trackFileChanges: false })).result).toMatchObject({ class: 'veto' });
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

  it('is not passed by a resume while the changed files are in place', async () => {
    const { journal, workingDir } = await tamper(hook, { maxIterations: 9 });
    const stop = { failure: [{ protected_path_changed: ['tests/**'] }] };
    const tests = '[ -f tests/hook ] || [ -f fixed ]';
    const resume = (work: () => void) => {
      const agent = scriptedAgent([{ work }]);
      const limits = { maxIterations: 9, stop, iterationDelay: 0, parseTests: false } as const;
      const config = { workingDir, prompt: 'go', tests, ...limits };
      const record = memoryJournal({ events: journal.events });
      return new LoopRunner(config, { agent, journal: record, environment }).run();
    };
    await expect(resume(() => undefined)).rejects.toMatchObject({
      code: 'ConfigError',
      message: expect.stringMatching(/tests\/hook .*iteration 1 .*restored/),
    });
    rmSync(join(workingDir, 'tests', 'hook'));
    expect(await resume(() => fix(workingDir))).toMatchObject({ class: 'goal' });
  });

  it('is not passed by changed files that come back after the resume', async () => {
    const { journal, workingDir } = await tamper(hook, { maxIterations: 9 });
    rmSync(join(workingDir, 'tests', 'hook'));
    const stop = { failure: [{ protected_path_changed: ['tests/**'] }] };
    const config = {
      workingDir,
      prompt: 'go',
      maxIterations: 9,
      stop,
      tests: '[ -f tests/hook ]',
      iterationDelay: 0,
    } as const;
    const agent = scriptedAgent([{ work: () => hook(workingDir) }]);
    const record = memoryJournal({ events: journal.events });
    const runner = new LoopRunner(config, { agent, journal: record, environment });
    expect(await runner.run()).toMatchObject({ class: 'veto' });
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

/** Red until `fixed` exists. The commands in `writes` are what the tests write each time they run. */
const testsThat = (...writes: string[]) => ({ tests: [...writes, '[ -f fixed ]'].join('; '), parseTests: false });
const fix = (tree: string) => writeFileSync(join(tree, 'fixed'), '');
const compile = 'mkdir -p tests/__pycache__; date +%N$$ > tests/__pycache__/t.cpython-312.pyc';

describe('what the tests themselves write does not veto an honest run', () => {
  it.each<[string, Partial<LoopConfig>]>([
    ['a bytecode cache', testsThat(compile)],
    ['a log that grows', testsThat('date +%N >> tests/run.log')],
    ['a log in a folder named .ralph', testsThat('mkdir -p tests/.ralph; date +%N >> tests/.ralph/run.log')],
    ['a report with a new name each time', testsThat('date > tests/report-$(date +%s%N).json')],
    ['a file that git ignores', testsThat('mkdir -p tests/cache; date +%N > tests/cache/results.js')],
    ['a log that is only written when the code works', testsThat('[ ! -f fixed ] || date +%N > tests/run.log')],
    ['a bytecode cache that a check writes', { ...testsThat(':'), checks: { lint: compile } }],
    ['a bytecode cache that a hook writes', { ...testsThat(':'), hooks: { beforeIteration: compile } }],
  ])('%s', async (_, config) => {
    const { result } = await tamper(fix, config);
    expect(result).toMatchObject({ class: 'goal', exitCode: 0 });
  });

  it('an agent that runs the tests itself', async () => {
    const writes = testsThat(compile, 'date +%N >> tests/run.log');
    const work = (tree: string) => (fix(tree), execFileSync('sh', ['-c', writes.tests], { cwd: tree }));
    expect((await tamper(work, writes)).result).toMatchObject({ class: 'goal' });
  });

  it('an agent that runs the tests itself and dies with its runner', async () => {
    const writes = testsThat(compile, 'date +%N >> tests/run.log');
    const { journal, workingDir } = await tamper(() => undefined, writes);
    const events = journal.events.slice(0, journal.events.findIndex((event) => event.type === 'agent-spawned') + 1);
    execFileSync('sh', ['-c', `${writes.tests}; touch fixed`], { cwd: workingDir });
    const resumed = memoryJournal({ events });
    const stop = { failure: [{ protected_path_changed: ['tests/**'] }] };
    const config = { workingDir, prompt: 'go', maxIterations: 3, stop, ...writes };
    const runner = new LoopRunner(config, { agent: scriptedAgent([{}]), journal: resumed, environment });
    expect(await runner.run()).toMatchObject({ class: 'goal' });
  });
});

describe('a guard is not passed while Pawl runs the tests', () => {
  it.each<[string, string]>([
    ['by a test that is rewritten', 'echo exit 0 > tests/t.sh'],
    ['by a test that is added', 'echo exit 0 > tests/more.sh'],
    ['by a test that is removed', 'rm -f tests/t.sh'],
    ['by settings that are added', 'echo > tests/pytest.ini'],
  ])('%s', async (_, attack) => {
    const { result } = await tamper(fix, testsThat(`[ ! -f fixed ] || ${attack}`));
    expect(result).toMatchObject({ class: 'veto' });
  });

  it('by bytecode that the agent has put in the place of a test', async () => {
    const cached = 'tests/__pycache__/t.cpython-312.pyc';
    const poison = (tree: string) => {
      mkdirSync(join(tree, 'tests', '__pycache__'), { recursive: true });
      writeFileSync(join(tree, cached), '');
    };
    const { result } = await tamper(poison, { tests: `[ -f ${cached} ]`, parseTests: false });
    expect(result).toMatchObject({ class: 'limit' });
  });

  it('and no bytecode is removed outside of the tree, where a link leads', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'pawl-outside-'));
    const cached = join(outside, '__pycache__', 't.cpython-312.pyc');
    mkdirSync(join(outside, '__pycache__'));
    const write = () => writeFileSync(cached, '');
    await tamper(write, {}, (tree) => symlinkSync(outside, join(tree, 'tests', 'linked')));
    expect(existsSync(cached)).toBe(true);
    rmSync(outside, { recursive: true });
  });

  it('by bytecode that git tracks', async () => {
    const cached = 'tests/__pycache__/t.cpython-312.pyc';
    const track = (tree: string) => {
      mkdirSync(join(tree, 'tests', '__pycache__'), { recursive: true });
      writeFileSync(join(tree, cached), 'old');
      execFileSync('git', ['add', '-f', cached], { cwd: tree, env: environment });
    };
    const { result } = await tamper((tree) => writeFileSync(join(tree, cached), 'new'), {}, track);
    expect(result.reasons[0]?.message).toContain(cached);
  });
});
