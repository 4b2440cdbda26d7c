/** Whether work is done is decided by the tests of the start, in real folders with real tests. */
import { execFileSync } from 'node:child_process';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { listRuns } from '../journal/list-runs.js';
import { endOf } from '../model/phase.js';
import { summariseRun } from '../stop/run-summary.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';
import {
  CONFIRMED,
  NODE,
  originalsScene,
  rejected,
  RUNNER,
  START,
  type Write,
} from '../../test/support/play-originals.js';

const { environment, play } = originalsScene();

const AGREES = { command: ['sh', '-c', `cat > /dev/null; echo '{"answer": "done", "reasons": []}'`] };

describe('a run whose tests pass is rejected when the agent', () => {
  it.each<[string, (write: Write) => void, LoopConfig?]>([
    ['weakened a test', (write) => write('test/cases/b', 'one')],
    ['weakened a test, and a review agrees', (write) => write('test/cases/b', 'one'), { review: AGREES }],
    ['replaced a failing test by another', (write) => (write('test/cases/b', undefined), write('test/cases/c', 'one'))],
    ['changed what runs the tests', (write) => write('test/run.sh', 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2\n')],
    [
      'changed the script that the test command names',
      (write) => write('package.json', '{ "scripts": { "test": "printf \'ok 1 - a\\\\nok 2 - b\\\\n1..2\\\\n\'" } }\n'),
      { tests: 'npm test --silent' },
    ],
  ])('%s, and what the agent wrote stays as it is', async (_, cheat, config) => {
    const { end, agent, state } = await play([cheat], config);
    expect(end).toMatchObject(rejected);
    expect(end?.reasons[0]?.message).toMatch(/original test/);
    expect(state.iterations).toBe(2);
    expect(agent.tasks[1]?.prompt).toMatch(/original test/);
  });
});

describe('a run whose tests pass is done when the agent', () => {
  it.each<[string, (write: Write) => void]>([
    ['changed no test', (write) => write('code.txt', 'one\ntwo\n')],
    ['added a test', (write) => (write('code.txt', 'one\ntwo\nthree\n'), write('test/cases/c', 'three'))],
    [
      'renamed a test',
      (write) => {
        write('code.txt', 'one\ntwo\n');
        write('test/cases/b', undefined);
        write('test/cases/second', 'two');
      },
    ],
    [
      'added a dependency',
      (write) => {
        write('code.txt', 'one\ntwo\n');
        write('package.json', START['package.json'].replace('{}', '{ "left-pad": "1" }'));
      },
    ],
  ])('did the work, and %s', async (_, work) => {
    const { end, state } = await play([work]);
    expect(end).toMatchObject({ class: 'goal' });
    expect(state.iterations).toBe(1);
  });

  it('changed a test that may change', async () => {
    const { end } = await play([(write) => write('test/cases/b', 'one')], { testsMayChange: ['test/cases/**'] });
    expect(end).toMatchObject({ class: 'goal' });
  });
});

it('an unchanged suite costs no further run, and a changed one two', async () => {
  const honest = await play([(write) => write('code.txt', 'one\ntwo\n')]);
  expect(honest.runs()).toBe(2);
  const added = await play([(write) => (write('code.txt', 'one\ntwo\n'), write('test/cases/c', 'one'))]);
  // The runs in the clean room count outside of it, too: the counter is beside the working directory.
  expect(added.runs()).toBe(4);
  const confirmed = await play([(write) => (write('code.txt', 'one\ntwo\n'), write('test/cases/c', 'one'))], {
    stop: { success: ['all_tests_pass'], confirm: 2 },
  });
  expect(confirmed.runs()).toBe(4);
});
it('a helper that only tests load is put back, whatever it is called', async () => {
  const { end } = await play(
    [(write) => write('tools/same.mjs', 'export const same = () => {};\n')],
    CONFIRMED,
    {},
    NODE,
  );
  expect(end).toMatchObject(rejected);
  expect(end?.reasons[0]?.message).toMatch(/1 original test does not pass: adds/);
});

it('a test that was changed, compiled and changed back is compiled from its source', async () => {
  const start = { ...START, 'test/run.sh': RUNNER, '.gitignore': 'built.sh\n' };
  const cheat = (write: Write, workingDir: string) => {
    write('test/run.sh', RUNNER);
    write('built.sh', 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2\n');
    for (const [path, ageSeconds] of [
      ['test/run.sh', 200],
      ['built.sh', 100],
    ] as const) {
      const seconds = Date.now() / 1000 - ageSeconds;
      utimesSync(join(workingDir, path), seconds, seconds);
    }
  };
  const tests = '[ built.sh -nt test/run.sh ] || cp test/run.sh built.sh; sh built.sh';
  const { end } = await play([cheat], { tests }, {}, start);
  expect(end).toMatchObject(rejected);
});

it('what the original tests write is discarded', async () => {
  const { end, read } = await play(
    [
      (write) => {
        write('code.txt', 'one\ntwo\n');
        write('test/cases/c', 'one');
      },
    ],
    { tests: 'echo "$(cat seen.log 2>/dev/null)x" > seen.log; sh test/run.sh' },
  );
  expect(end).toMatchObject({ class: 'goal' });
  expect(read('seen.log').trim()).toBe('xx');
});

it('the changed tests of a rejected run can be accepted, and the run is done without another iteration', async () => {
  const { end, id, workingDir, read } = await play([
    (write) => {
      write('test/cases/b', 'one');
      write('.npmrc', 'fund=false\n');
    },
  ]);
  expect(end).toMatchObject(rejected);
  const agent = scriptedAgent([{}]);
  const resumed = await resumeRun({ workingDir, run: id, agent, environment });
  await resumed.run({ acceptTests: true });
  expect(agent.tasks).toHaveLength(0);
  expect(resumed.state()).toBe('completed');
  expect(read('test/cases/b')).toBe('one');
});

it('a room that cannot be used is reported as unknown, and twice ends the run as one that needs a person', async () => {
  // The tests depend on being outside of a clean room.
  const tests =
    'if [ -e /proc/self/mountinfo ] && grep -q "overlay.* $PWD " /proc/self/mounts; then exit 1; fi; sh test/run.sh';
  const { end, state } = await play([(write) => (write('code.txt', 'one\ntwo\n'), write('test/cases/c', 'one'))], {
    tests,
  });
  expect(end).toMatchObject({ class: 'blocked', reasons: [expect.objectContaining({ path: 'tests.original' })] });
  expect(state.iterations).toBe(2);
});

/** Each line of code.txt is a test in itself, as in a language whose sources contain their tests. */
const INLINE = `n=0; while read -r name; do n=$((n + 1)); echo "ok $n - $name"; done < code.txt; echo "1..$n"`;

describe('tests that are missing by name', () => {
  it('in a source file are refused, although as many run, and the agent learns which', async () => {
    const { end, agent } = await play([(write) => write('code.txt', 'other\n')], {
      tests: INLINE,
      stop: { success: ['all_tests_pass'], atLeast: 1 },
    });
    expect(end).toMatchObject(rejected);
    expect(end?.reasons[0]?.message).toMatch(/^1 test .*: one; new: other$/);
    expect(agent.tasks[1]?.prompt).toMatch(/^.*\b1 test .*: one\b/m);
  });

  it('are not missed where the user lets fewer tests run', async () => {
    const { end } = await play([(write) => write('code.txt', 'other\n')], {
      tests: INLINE,
      stop: { success: [{ all_tests_pass: { fewer_tests: 'allow' } }], atLeast: 1 },
    });
    expect(end).toMatchObject({ class: 'goal' });
  });

  it('are not missed where names differ from run to run: then the number counts', async () => {
    const tests = 'date +"ok 1 - at %s%N"; echo 1..1';
    const { end, state, runs } = await play([(write) => write('code.txt', 'one\ntwo\n')], {
      tests: `echo run >> ../runs-$(basename "$PWD"); ${tests}`,
      stop: { success: ['all_tests_pass'], confirm: 2, atLeast: 1 },
    });
    expect(end).toMatchObject({ class: 'goal' });
    expect(state.latest.observation.tests).toMatchObject({ grade: 'counted' });
    // The start, and three for the goal.
    expect(runs()).toBe(4);
  });

  it('are compared in a suite of 800, also after a resume', async () => {
    const suite =
      'read -r prefix < prefix; i=0; while [ $i -lt 800 ]; do i=$((i + 1)); echo "ok $i - $prefix $i"; done; echo 1..800';
    const { end, id, workingDir, write } = await play([() => undefined], {
      tests: `[ -e prefix ] || echo case > prefix; ${suite}`,
      maxIterations: 1,
      stop: { success: ['all_tests_pass'], atLeast: 2 },
    });
    expect(end).toMatchObject({ class: 'limit' });
    const resumed = await resumeRun({
      workingDir,
      run: id,
      agent: scriptedAgent([{ work: () => write('prefix', 'other') }]),
      environment,
    });
    await resumed.run({ raise: [{ type: 'max_iterations', count: 2 }] });
    const { tests } = resumed.runState.latest.observation;
    expect(tests).toMatchObject({ grade: 'named', changes: { missing: { count: 800 }, added: { count: 800 } } });
    expect(tests).not.toHaveProperty('names');
    expect(endOf(resumed.runState)).not.toMatchObject({ class: 'goal' });
  });
});

describe('tests of which none can be counted', () => {
  const config: LoopConfig = { tests: 'grep -q two code.txt', maxIterations: 9 };

  it('end the run when their exit code is all that a goal lacks, with the way out, and no iteration more', async () => {
    const { end, state, id, workingDir } = await play([(write) => write('code.txt', 'one\ntwo\n')], config);
    expect(end).toMatchObject({ class: 'blocked', reasons: [{ path: 'tests.uncounted' }] });
    expect(end?.reasons[0]?.message).toMatch(/none of them could be counted; `parse_tests: false`/);
    expect(state.iterations).toBe(1);
    const resumed = await resumeRun({ workingDir, run: id, agent: scriptedAgent([{}]), environment });
    await resumed.run({ acceptTests: true });
    expect(endOf(resumed.runState)).toMatchObject({ class: 'goal' });
    expect(resumed.runState.iterations).toBe(1);
  });

  it('let the agent work until it has settled, where the goal asks for that', async () => {
    const work = (write: Write) => write('code.txt', 'one\ntwo\n');
    const more = (write: Write) => write('code.txt', 'one\ntwo\nthree\n');
    const goal = { ...config, stop: { success: [{ all: ['all_tests_pass', 'settled'] }] } };
    const { end, state } = await play([work, more], goal, { 1: 'All done.\n\nPAWL: DONE' });
    expect(end).toMatchObject({ class: 'blocked', reasons: [{ path: 'tests.uncounted' }] });
    expect(state.iterations).toBe(2);
  });

  it('are judged by their exit code where the user says so', async () => {
    const { end } = await play([(write) => write('code.txt', 'one\ntwo\n')], { ...config, parseTests: false });
    expect(end).toMatchObject({ class: 'goal' });
  });
});

describe('the report of a run that is done says', () => {
  const notes = async (work: (write: Write) => void, config?: LoopConfig) =>
    summariseRun((await play([work], config)).state).notes.join(' ');
  const repair = (write: Write) => write('code.txt', 'one\ntwo\n');

  it('that tests were compared by number, where not all of them have names', async () => {
    const tests =
      'grep -q two code.txt && { echo "=== 2 passed in 0.1s ==="; exit 0; }; echo "=== 1 failed, 1 passed in 0.1s ==="; exit 1';
    expect(await notes(repair, { tests })).toContain('compared by number, not by name');
    expect(await notes(repair)).not.toContain('by name');
  });

  it('which tests of the start have other names', async () => {
    const renamed = (write: Write) => (
      repair(write), write('test/cases/b', undefined), write('test/cases/second', 'two')
    );
    expect(await notes(renamed)).toMatch(/name: b; new: second/);
  });
});

describe('a run in a folder where the last one was rejected', () => {
  const cheat = (write: Write) => write('test/cases/b', 'one');
  const git = (workingDir: string, ...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
      cwd: workingDir,
      env: environment,
    });

  /** A rejected run, something in between, and another run. */
  async function playTwice(
    between: (first: Awaited<ReturnType<typeof play>>) => unknown,
    work: (write: Write) => void,
  ) {
    const first = await play([cheat], {}, {}, START, (workingDir) => {
      git(workingDir, 'init', '--quiet');
      git(workingDir, 'add', '--all');
      git(workingDir, 'commit', '--quiet', '-m', 'a');
    });
    expect(first.end).toMatchObject(rejected);
    await between(first);
    const agent = scriptedAgent([{ work: () => work(first.write) }]);
    const second = new LoopRunner({ ...first.settings, maxIterations: 2 }, { agent, environment });
    await second.run();
    return { first, agent, state: second.runState, end: endOf(second.runState) };
  }

  it('starts from the tests of that run: they do not pass, and the run is not done at once', async () => {
    const { first, agent, state, end } = await playTwice(
      () => undefined,
      () => undefined,
    );
    expect(state.baseline?.earlier).toMatchObject({ run: first.id, tree: first.state.baseline?.tree });
    expect(agent.tasks.length).toBeGreaterThan(0);
    expect(end?.class).not.toBe('goal');
  });

  it('is done when the work is', async () => {
    const { end, agent } = await playTwice(
      () => undefined,
      (write) => write('code.txt', 'one\ntwo\n'),
    );
    expect(agent.tasks).toHaveLength(1);
    expect(end).toMatchObject({ class: 'goal' });
  });

  it.each<[string, (first: Awaited<ReturnType<typeof play>>) => unknown]>([
    [
      'a person has accepted its tests',
      async ({ workingDir, id }) => {
        const resumed = await resumeRun({ workingDir, run: id, agent: scriptedAgent([{}]), environment });
        await resumed.run({ acceptTests: true });
      },
    ],
    ['a person has changed the tests since', ({ write }) => write('test/cases/b', 'on')],
    ['the work was committed', ({ workingDir }) => git(workingDir, 'commit', '--quiet', '--all', '-m', 'b')],
    ['another branch was checked out', ({ workingDir }) => git(workingDir, 'checkout', '--quiet', '-b', 'other')],
    [
      'its record is damaged',
      ({ workingDir, id }) => {
        const { folder } = listRuns(workingDir, environment).find(({ runId }) => runId === id) ?? { folder: '' };
        writeFileSync(join(folder, 'state.json'), 'x');
      },
    ],
  ])('starts from the tests as they are when %s', async (_, between) => {
    const { state } = await playTwice(between, () => undefined);
    expect(state.baseline?.earlier).toBeUndefined();
  });
});
