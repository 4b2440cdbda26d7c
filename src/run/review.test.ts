/** A second opinion, by real programs in real folders. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { AgentEvent } from '../model/agent-event.js';
import { endOf } from '../model/phase.js';
import { reasonsText } from '../model/review.js';
import type { EventOf, RunEvent } from '../model/run-event.js';
import { reviewSpend } from '../model/spend-lanes.js';
import { totalSpend } from '../model/spend-account.js';
import { replay } from '../replay/replay.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';
import { isRunning } from '../../test/support/is-running.js';
import { baseline, iteration, record, started, stateAfter, trees } from '../../test/support/record.js';
import { parseCondition } from '../model/parse-condition.js';
import { reduce } from '../model/reduce.js';
import type { RunSpec } from '../model/run-spec.js';
import { evaluateRun, reviewDue } from '../stop/evaluate-policy.js';
import { summariseRun } from '../stop/run-summary.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-review-test-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

/** Gives its answers one after the other, and keeps what it was asked. A line that begins with `!` is run. */
const REVIEWER = `#!/bin/sh
count=$(ls "$SCENE" | grep -c '^asked-')
cat > "$SCENE/asked-$count"
pwd > "$SCENE/folder-$count"; ls -A > "$SCENE/files-$count"
line=$(sed -n "$((count + 1))p" "$SCENE/answers")
[ -z "$line" ] && line=$(tail -n 1 "$SCENE/answers")
case "$line" in '!'*) eval "\${line#!}" ;; *) printf '%s\\n' "$line" ;; esac
`;
const DONE = '{"answer": "done", "reasons": ["the diff does it"]}';
const NOT_DONE = '{"answer": "not_done", "reasons": ["the docs are missing", "no test for quotes"]}';

const TESTS = 'grep -q one code.txt && echo "ok 1 - a" || echo "not ok 1 - a"; echo 1..1; grep -q one code.txt\n';
const INIT = { success: [{ all: ['all_tests_pass', 'review_approves'] }], confirm: 2 } as const;

type Write = (path: string, text: string | undefined) => void;
interface Call {
  readonly work?: (write: Write) => void;
  readonly events?: readonly AgentEvent[];
}
interface Given {
  readonly answers: readonly string[];
  readonly calls: readonly Call[];
  readonly config?: LoopConfig;
  readonly review?: object;
  readonly begin?: (scene: string) => void;
  readonly reviewer?: ReturnType<typeof scriptedAgent>;
}

const says = (text: string): AgentEvent => ({ kind: 'text', text });
const add = (text: string): Call => ({
  work: (write) => write('code.txt', text),
  events: [says('I did it.\n\nPAWL: DONE')],
});
const idle: Call = { events: [says('PAWL: DONE')] };

function repositoryIn(scene: string): void {
  mkdirSync(join(scene, 'tree'));
  execFileSync('git', ['init', '--quiet'], { cwd: join(scene, 'tree') });
}

async function play({ answers, calls, config, review, begin, reviewer }: Given) {
  const scene = mkdtempSync(join(base, 'scene-'));
  begin?.(scene);
  const workingDir = join(scene, 'tree');
  const write: Write = (path, text) => {
    if (text === undefined) return rmSync(join(workingDir, path), { force: true });
    mkdirSync(dirname(join(workingDir, path)), { recursive: true });
    writeFileSync(join(workingDir, path), text);
  };
  write('code.txt', 'one\n');
  write('own-review.sh', `#!/bin/sh\necho '${NOT_DONE}'\n`);
  chmodSync(join(workingDir, 'own-review.sh'), 0o755);
  write('test.sh', TESTS);
  writeFileSync(join(scene, 'review.sh'), REVIEWER, { mode: 0o755 });
  writeFileSync(join(scene, 'answers'), `${answers.join('\n')}\n`);
  const agent = scriptedAgent(
    calls.map(({ work, events }) => ({ events, work: () => work?.(write) })),
    { usage: 'live' },
  );
  const settings: LoopConfig = {
    workingDir,
    prompt: 'Handle quotes.',
    iterationDelay: 0,
    tests: 'sh test.sh',
    maxIterations: 4,
    review: reviewer === undefined ? { command: [join(scene, 'review.sh')], env: { SCENE: scene }, ...review } : {},
    ...config,
  };
  const runner = new LoopRunner(settings, { agent, environment, reviewer });
  const events: RunEvent[] = [];
  // Nobody waits in a test.
  runner.subscribe((event) => {
    events.push(event);
    if (event.type === 'waiting-started') setImmediate(() => void runner.send({ type: 'resume' }));
  });
  const run = runner.run();
  const seen = (kind: string) =>
    readdirSync(scene)
      .filter((name) => name.startsWith(kind))
      .sort();
  const read = (name: string) => readFileSync(join(scene, name), 'utf8');
  return {
    runner,
    scene,
    workingDir,
    agent,
    run,
    write,
    events,
    asked: () => seen('asked-').map(read),
    read,
    reviews: () => events.filter((event): event is EventOf<'review-ended'> => event.type === 'review-ended'),
    ended: async () => {
      await run;
      return endOf(runner.runState);
    },
  };
}

describe('a review of work whose checks pass', () => {
  it('is what makes a goal of it, and is recorded with its reasons', async () => {
    const scene = await play({ answers: [DONE], calls: [add('one two\n')] });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.agent.tasks).toHaveLength(1);
    expect(scene.reviews()).toMatchObject([
      {
        iteration: 1,
        cause: 'goal',
        opinion: { answer: 'done', reasons: ['the diff does it'] },
        reviewer: 'review.sh',
      },
    ]);
    expect(endOf(scene.runner.runState)?.reasons[0]?.message).toContain('the review agrees: "the diff does it"');
  });

  it('shows the task, the diff, the tests and the last message on stdin, in an empty folder', async () => {
    const scene = await play({ answers: [DONE], calls: [add('one two\n')] });
    await scene.run;
    const [asked = ''] = scene.asked();
    for (const part of ['Handle quotes.', '+one two', 'tests-before', 'passed: 1', 'I did it.']) {
      expect(asked).toContain(part);
    }
    expect(scene.read('folder-0')).not.toContain('tree');
    expect(scene.read('files-0')).toBe('');
  });

  it('shows the whole last message, and marks what it leaves out of a long one', async () => {
    const long = (words: string) => ({
      ...add('one two\n'),
      events: [says(`## Summary\nShort.\n## Details\n${words}`)],
    });
    const whole = await play({ answers: [DONE], calls: [long(`${'y '.repeat(4000)}the middle ${'z '.repeat(1000)}`)] });
    await whole.run;
    expect(whole.asked()[0]).toContain('the middle');
    expect(whole.asked()[0]).not.toContain('[cut:');
    const cut = await play({ answers: [DONE], calls: [long(`${'y '.repeat(9000)}the end`)] });
    await cut.run;
    expect(cut.asked()[0]).toMatch(/Short\.[^]*\[cut: [\d,]+ characters\][^]*the end\n/);
  });

  it('refuses with reasons, which are in the next prompt, and the run continues', async () => {
    const scene = await play({ answers: [NOT_DONE, DONE], calls: [add('one two\n'), add('one two three\n')] });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.agent.tasks).toHaveLength(2);
    expect(scene.agent.tasks[1]?.prompt).toContain('- the docs are missing\n- no test for quotes');
    expect(scene.agent.tasks[0]?.prompt).not.toContain('reviewer');
  });

  it('ends a run that confirms its goals, as the config of init does', async () => {
    const stop = { success: [{ all: ['all_tests_pass', 'settled'] }], confirm: 2 };
    const scene = await play({
      answers: [NOT_DONE, DONE],
      calls: [add('one two\n'), add('one two three\n')],
      config: { stop },
    });
    const end = await scene.ended();
    expect(end).toMatchObject({ class: 'goal' });
    expect(end?.reasons[0]?.message).toContain('(checked 2 times)');
    expect(scene.agent.tasks).toHaveLength(2);
    expect(scene.asked()).toHaveLength(2);
  });

  it.each([
    ['a file', { file_created: 'DONE.md' }],
    ['a list', { checklist_done: 'DONE.md' }],
    ['a check', { check_passes: 'there' }],
  ])('%s that is looked at twice counts at once when the review agrees after it has refused', async (_what, goal) => {
    const finish = (text: string): Call => ({
      work: (write) => write('DONE.md', `- [x] all\n${text}`),
      events: [says('PAWL: DONE')],
    });
    const stop = { success: [goal], confirm: 2 } as NonNullable<LoopConfig['stop']>;
    const scene = await play({
      answers: [NOT_DONE, DONE],
      calls: [finish('one'), finish('two')],
      config: { stop, checks: { there: 'test -e DONE.md' } },
    });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.agent.tasks).toHaveLength(2);
    expect(scene.asked()).toHaveLength(2);
  });

  it('tests that only their exit code decides need you, as without a review', async () => {
    const scene = await play({ answers: [DONE], calls: [add('one two\n')], config: { tests: 'grep -q one code.txt' } });
    expect(await scene.ended()).toMatchObject({ class: 'blocked', reasons: [{ path: 'tests.uncounted' }] });
  });

  it.each([
    ['once', 'code', undefined],
    ['twice, as the config of init does', 'code', INIT],
    ['twice, and were changed', 'code and tests', INIT],
  ] as const)(
    'that are checked %s: does not review the same tree twice, and rejects an agent that insists',
    async (_often, changes, stop) => {
      const config = stop === undefined ? {} : { stop };
      const work: Call = {
        work: (write) => {
          write('code.txt', 'one two\n');
          write('test.sh', `${TESTS}# more to come\n`);
        },
        events: [says('PAWL: DONE')],
      };
      const scene = await play({
        answers: [NOT_DONE],
        calls: [changes === 'code' ? add('one two\n') : work, idle],
        config,
      });
      const end = await scene.ended();
      expect(end).toMatchObject({ class: 'veto', reasons: [{ path: 'review' }] });
      expect(end?.reasons[0]?.message).toContain('the docs are missing; no test for quotes');
      expect(scene.asked()).toHaveLength(1);
      expect(scene.agent.tasks).toHaveLength(2);
    },
  );

  it('an agent that says more work is left is not rejected, and not reviewed', async () => {
    const goesOn: Call = { events: [says('PAWL: CONTINUE')] };
    const scene = await play({ answers: [NOT_DONE, DONE], calls: [add('one two\n'), goesOn, add('one two x\n')] });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.asked()).toHaveLength(2);
  });

  it('a goal met on the last permitted iteration is still reviewed, and a success', async () => {
    const scene = await play({ answers: [DONE], calls: [add('one two\n')], config: { maxIterations: 1 } });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
  });

  it('refused on the last permitted iteration, it is the iteration limit', async () => {
    const scene = await play({ answers: [NOT_DONE], calls: [add('one two\n')], config: { maxIterations: 1 } });
    expect(await scene.ended()).toMatchObject({ class: 'limit' });
  });

  it('red tests and an unchanged folder cost no review', async () => {
    const red: Call = { work: (write) => write('code.txt', 'two\n'), events: [says('PAWL: DONE')] };
    const scene = await play({ answers: [DONE], calls: [{}, red, red], config: { maxIterations: 3 } });
    await scene.run;
    expect(scene.asked()).toHaveLength(0);
  });

  it('a goal that a person wrote counts only with the agreement, too', async () => {
    const config: LoopConfig = { stop: { success: [{ file_created: 'DONE.md' }] } };
    const calls = [{ work: (write: Write) => write('DONE.md', 'x') }, { work: (write: Write) => write('b', 'x') }];
    const scene = await play({ answers: [NOT_DONE, DONE], calls, config });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.agent.tasks).toHaveLength(2);
  });

  it('a goal in words is shown to the reviewer, and decides alone where there are no tests', async () => {
    const goal = 'the docs say so';
    const config = { tests: undefined } as unknown as LoopConfig;
    const scene = await play({ answers: [DONE], calls: [add('one two\n')], review: { goal }, config });
    expect(await scene.ended()).toMatchObject({ class: 'goal', reasons: [{ condition: { type: 'review_approves' } }] });
    expect(scene.asked()[0]).toMatch(/goal\nthe docs say so\n/);
    expect(scene.agent.tasks[0]?.prompt).toContain('A reviewer judges whether this goal is reached: the docs say so');
    expect(summariseRun(scene.runner.runState).notes.join('\n')).toContain(
      'Goal, judged by the review and not verified: "the docs say so".',
    );
  });

  it.each([
    ['in a snapshot is shown as it was at the start', '', / task\nHandle quotes\.\n/],
    [
      'in no snapshot is marked, with what it began with',
      'PROMPT.md\n',
      / task\n\[PROMPT\.md is in no snapshot: .* may have changed it\. At the start it began: "Handle quotes\."\]\nChange a line\.\n/,
    ],
  ])('a task that the agent has rewritten, in a file %s', async (_where, ignored, task) => {
    const rewrite: Call = {
      work: (write) => {
        write('code.txt', 'one two\n');
        write('PROMPT.md', 'Change a line.');
      },
      events: [says('PAWL: DONE')],
    };
    const scene = await play({
      answers: [DONE],
      calls: [rewrite],
      begin: (folder) => {
        mkdirSync(join(folder, 'tree'));
        writeFileSync(join(folder, 'tree', '.gitignore'), ignored);
        writeFileSync(join(folder, 'tree', 'PROMPT.md'), 'Handle quotes.');
      },
      config: { prompt: undefined, promptPath: 'PROMPT.md' } as unknown as LoopConfig,
    });
    await scene.run;
    expect(scene.asked()[0]).toMatch(task);
  });

  it('what the agent writes for git hides no change', async () => {
    const hide: Call = {
      work: (write) => {
        write('code.txt', 'one two\n');
        write('.gitattributes', '* -diff -text binary\ncode.txt diff=hidden\n');
        write('.git/info/attributes', '* -diff\n');
        write('.git/config', '[diff]\nexternal = true\n[diff "hidden"]\ncommand = true\ntextconv = true\n');
      },
      events: [says('PAWL: DONE')],
    };
    const scene = await play({ answers: [DONE], calls: [hide], begin: repositoryIn });
    await scene.run;
    expect(scene.asked()[0]).toContain('-one\n+one two');
  });

  it('a goal in words next to tests is judged and verified', async () => {
    const scene = await play({ answers: [DONE], calls: [add('one two\n')], review: { goal: 'the docs say so' } });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(summariseRun(scene.runner.runState).notes.join('\n')).toContain(
      'Goal, judged by the review: "the docs say so".',
    );
  });

  it('blocked needs you, with the question', async () => {
    const answers = ['{"answer": "blocked", "reasons": ["no key"], "question": "Which API key is to be used?"}'];
    const scene = await play({ answers, calls: [add('one two\n')] });
    const end = await scene.ended();
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toContain('Which API key is to be used?');
  });

  it.each([
    ['blocked', 'with the files changed', [add('one two three\n')]],
    ['blocked', 'with the same files', [idle]],
    ['not_done', 'with the same files', [idle]],
  ] as const)(
    'after %s, a resume with an answer continues, %s: the agent and the reviewer read it',
    async (answer, _how, more) => {
      const asks = answer === 'blocked' ? ', "question": "Which key?"' : '';
      const answers = [`{"answer": "${answer}", "reasons": ["no key"]${asks}}`, DONE];
      const scene = await play({
        answers,
        calls: [add('one two\n'), ...(answer === 'blocked' ? [] : [idle]), ...more],
      });
      expect(await scene.ended()).toMatchObject({ class: answer === 'blocked' ? 'blocked' : 'veto' });
      const { workingDir, runner, agent } = scene;
      const before = agent.tasks.length;
      const resumed = await resumeRun({ workingDir, run: runner.id, environment, agent });
      await resumed.run({ steer: 'Take the key of the team.' });
      expect(endOf(resumed.runState)).toMatchObject({ class: 'goal' });
      expect(agent.tasks).toHaveLength(before + 1);
      expect(agent.tasks.at(-1)?.prompt).toContain('The operator says: Take the key of the team.');
      expect(agent.tasks.at(-1)?.prompt).toContain('- no key');
      if (answer === 'blocked') expect(agent.tasks.at(-1)?.prompt).toContain('- It asks a person: Which key?');
      expect(scene.asked()).toHaveLength(2);
      expect(scene.asked()[0]).not.toContain('Take the key');
      expect(scene.asked()[1]).toMatch(/ user-words\n- Take the key of the team\.\n/);
    },
  );

  it('stuck is no reason to give up where the checks pass', async () => {
    const answers = ['{"answer": "stuck", "reasons": ["it is odd"]}', DONE];
    const scene = await play({ answers, calls: [add('one two\n'), add('one two three\n')] });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
  });
});

describe('a review that cannot be made', () => {
  it('rate-limited, it is waited for and asked again, without an iteration', async () => {
    const limited = `!echo '{"pawl":"limit","message":"usage limit reached","limit":"usage-limit"}'; exit 1`;
    const scene = await play({
      answers: [limited, DONE],
      calls: [add('one two\n')],
    });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.agent.tasks).toHaveLength(1);
    expect(scene.reviews().map(({ problem, opinion }) => problem?.kind ?? opinion?.answer)).toEqual(['limit', 'done']);
    expect(scene.events.some(({ type }) => type === 'waiting-ended')).toBe(true);
  });

  it('rate-limited for longer than max_wait, the run needs you', async () => {
    const limited = `!echo '{"pawl":"limit","message":"usage limit reached","limit":"usage-limit"}'; exit 1`;
    const scene = await play({
      answers: [limited],
      calls: [add('one two\n')],
      config: { maxWait: '50ms' },
    });
    const end = await scene.ended();
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toMatch(
      /^no review for 50ms \(the max_wait limit\): the review could not be made/,
    );
    expect(scene.agent.tasks).toHaveLength(1);
  });

  it.each([
    ['garbage', 'I think it is fine', /no answer 3 times: it did not answer in JSON: "I think it is fine"/],
    ['an answer in prose', `I say: ${DONE}`, /no answer 3 times/],
    ['an unknown answer', '{"answer": "yes", "reasons": []}', /its answer is "yes", not one of done, not_done/],
    ['a refusal without reasons', '{"answer": "not_done"}', /it answered not_done without a reason/],
    ['nothing', '!true', /it said nothing/],
    ['a failure', '!echo boom >&2; exit 3', /no answer 3 times: boom/],
    ['a failure after an answer', `!echo '${DONE}'; exit 1`, /no answer 3 times: it failed with exit code 1/],
    ['two answers', `!echo '${NOT_DONE}'; echo '${DONE}'`, /no answer 3 times: it did not answer in JSON/],
    [
      'a refusal far above an answer',
      `!echo 'Not done.'; yes '' | head -n 20000; echo '${DONE}'`,
      /no answer 3 times: it did not answer in JSON: "Not done\./,
    ],
    ['a flood', `!yes | head -c 200000; echo '${DONE}'`, /no answer 3 times: it said more than 64 KB/],
  ])('%s is no answer: after three tries the run needs you', async (_what, answer, message) => {
    const scene = await play({ answers: [answer], calls: [add('one two\n')] });
    const end = await scene.ended();
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toMatch(message);
    expect(scene.agent.tasks).toHaveLength(1);
    expect(scene.asked()).toHaveLength(3);
  });

  it('one that hangs is ended after its timeout', async () => {
    const scene = await play({
      answers: ['!sleep 300', DONE],
      calls: [add('one two\n')],
      review: { timeout: '300ms' },
    });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    expect(scene.reviews()[0]?.problem?.message).toBe('it did not answer within 300ms');
  });

  it('leaves no process behind', async () => {
    const left = (name: string) => `echo $$ > "$SCENE/left-${name}"; exec sleep 300`;
    const below = `sh -c '${left('below')}' & setsid nohup sh -c '${left('detached')}' >/dev/null 2>&1 &`;
    const begun = 'until [ -s "$SCENE/left-below" ] && [ -s "$SCENE/left-detached" ]; do sleep 0.01; done';
    const scene = await play({ answers: [`!${below} ${begun}; echo '${DONE}'`], calls: [add('one two\n')] });
    expect(await scene.ended()).toMatchObject({ class: 'goal' });
    const pids = ['below', 'detached'].map((name) => Number(scene.read(`left-${name}`)));
    expect(pids.filter((pid) => isRunning(pid))).toEqual([]);
  });

  it('a login that is refused needs you at once', async () => {
    const answers = [`!echo '{"pawl":"error","message":"invalid api key","kind":"auth"}'; exit 1`];
    const scene = await play({ answers, calls: [add('one two\n')] });
    const end = await scene.ended();
    expect(end?.reasons[0]?.message).toMatch(/^the review could not be made: .*invalid api key/);
    expect(scene.asked()).toHaveLength(1);
  });

  it('a program that is gone needs you at once', async () => {
    let folder = '';
    const leave: Call = {
      work: (write) => {
        write('code.txt', 'one two\n');
        rmSync(join(folder, 'review.sh'));
      },
      events: [says('PAWL: DONE')],
    };
    const scene = await play({ answers: [DONE], calls: [leave], begin: (made) => (folder = made) });
    const end = await scene.ended();
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toMatch(/^the review could not be made: .*review\.sh is not a program/);
  });

  it('a reviewer in the tree that the agent has changed is not trusted', async () => {
    const scene = await play({
      answers: [DONE],
      calls: [
        {
          work: (write) => {
            write('own-review.sh', `#!/bin/sh\necho '${DONE}'\n`);
            write('code.txt', 'one two\n');
          },
          events: [says('PAWL: DONE')],
        },
      ],
      review: { command: './own-review.sh' },
    });
    const end = await scene.ended();
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toMatch(/own-review\.sh .*changed/);
  });

  it('at a resume by a person it is asked before another iteration is paid for', async () => {
    const auth = `!echo '{"pawl":"error","message":"invalid api key","kind":"auth"}'; exit 1`;
    const scene = await play({ answers: [auth, DONE], calls: [add('one two\n')] });
    await scene.run;
    const resumed = await resumeRun({
      workingDir: scene.workingDir,
      run: scene.runner.id,
      environment,
      agent: scene.agent,
    });
    await resumed.run();
    expect(endOf(resumed.runState)?.class).toBe('goal');
    expect(scene.agent.tasks).toHaveLength(1);
  });
});

describe('a reviewer that cannot be asked', () => {
  const start = (review: LoopConfig['review']) => () =>
    new LoopRunner(
      { workingDir: base, prompt: 'go', ...(review === undefined ? {} : { review }) },
      { agent: scriptedAgent([{}]), environment },
    );

  it.each([
    ['mine', /review\.agent: "mine" cannot review: use claude, .*copilot, .*or `command` with your own program$/],
    ['claud', /review\.agent: "claud" cannot review: .*; did you mean "claude"\?/],
    [{ command: './missing.sh' }, /review\.command: .*missing\.sh cannot be run/],
    [{ maxCost: 1 }, /review: no reviewer is configured: add `review: \{ agent: claude \}`/],
  ])('%o is refused at the start', (review, message) => {
    expect(start(review)).toThrow(message);
  });
});

it.each([
  [[], ''],
  [['no docs', 'no test'], 'no docs; no test'],
  [['There are no docs.', 'Is it tested?', 'no test.'], 'There are no docs. Is it tested? no test.'],
])('reasons %j are one line', (reasons, line) => {
  expect(reasonsText(reasons)).toBe(line);
});

describe('what reviews cost', () => {
  const paid = (answer: string, usd: number) =>
    `!echo '{"pawl":"usage","cost_usd":${usd},"input_tokens":100,"output_tokens":10}'; echo '${answer}'`;

  it('is counted in the run, and apart', async () => {
    const uses: AgentEvent = { kind: 'usage', scope: 'turn', spend: { inputTokens: 1, outputTokens: 1, costUsd: 0.5 } };
    const worker: Call = { ...add('one two\n'), events: [uses, says('PAWL: DONE')] };
    const second: Call = { ...add('one two three\n'), events: [uses, says('PAWL: DONE')] };
    const scene = await play({ answers: [paid(NOT_DONE, 0.02), paid(DONE, 0.03)], calls: [worker, second] });
    await scene.run;
    const { spend } = scene.runner.runState;
    expect(reviewSpend(spend)?.costUsd).toBeCloseTo(0.05);
    expect(totalSpend(spend).costUsd).toBeCloseTo(1.05);
    expect(scene.reviews().map(({ costUsd }) => costUsd)).toEqual([expect.closeTo(0.02), expect.closeTo(0.03)]);
  });

  it('over its own budget, the run needs you, and no review is started', async () => {
    const scene = await play({
      answers: [paid(NOT_DONE, 0.6)],
      calls: [add('one two\n'), add('one two three\n')],
      review: { maxCost: 0.5 },
    });
    const end = await scene.ended();
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toContain('review.max_cost');
    expect(scene.asked()).toHaveLength(1);
  });

  it('the budget of the run ends it in the middle of a review', async () => {
    const scene = await play({
      answers: [`!echo '{"pawl":"usage","cost_usd":5}'; sleep 300`],
      calls: [
        {
          ...add('one two\n'),
          events: [{ kind: 'usage', scope: 'turn', spend: { costUsd: 0.1 } }, says('PAWL: DONE')],
        },
      ],
      review: { maxCost: 50 },
      config: { stop: { limits: [{ max_cost: 1 }] } },
    });
    expect(await scene.ended()).toMatchObject({ class: 'limit' });
  });
});

describe('a review under way', () => {
  const answer: AgentEvent = { kind: 'text', text: DONE };
  const request: AgentEvent = {
    kind: 'usage',
    scope: 'request',
    model: 'new-1',
    spend: { inputTokens: 9, outputTokens: 1 },
  };
  const turn: AgentEvent = { ...request, scope: 'turn', spend: { inputTokens: 9, outputTokens: 1, costUsd: 0.02 } };
  const work = {
    ...add('one two\n'),
    events: [{ kind: 'usage', scope: 'turn', spend: { costUsd: 0.1 } } as const, says('BOOM\nPAWL: DONE')],
  };
  const reviewed = async (events: readonly AgentEvent[], config: LoopConfig) => {
    const reviewer = scriptedAgent([{ events }], { usage: 'live' });
    const scene = await play({ answers: [], calls: [work], config, reviewer });
    return { end: await scene.ended(), asked: reviewer.tasks.length, scene };
  };

  it('is not ended because its price is known only at its end', async () => {
    const { end, asked, scene } = await reviewed([request, turn, answer], {
      maxIterations: 2,
      stop: { limits: [{ max_cost: 5 }] },
    });
    expect(end).toMatchObject({ class: 'goal' });
    expect(asked).toBe(1);
    expect(reviewSpend(scene.runner.runState.spend)?.costUsd).toBeCloseTo(0.02);
  });

  it('without any price leaves the cost unknown once it has ended', async () => {
    const refused: AgentEvent = { kind: 'text', text: NOT_DONE };
    const { end, asked } = await reviewed([request, refused], { stop: { limits: [{ max_cost: 5 }] } });
    expect(end?.class).toBe('blocked');
    expect(end?.reasons[0]?.message).toContain('no price is known for new-1');
    expect(asked).toBe(1);
  });

  it('is not ended by a failure that it comes before', async () => {
    const config: LoopConfig = { stop: { failure: [{ output_pattern: 'BOOM' }], limits: [{ max_cost: 5 }] } };
    const { end, asked, scene } = await reviewed([{ ...request, spend: { costUsd: 0.02 } }, answer], config);
    expect(end).toMatchObject({ class: 'goal' });
    expect(asked).toBe(1);
    expect(scene.events.filter(({ type }) => type === 'verdict-reached').length).toBeLessThan(5);
  });

  it('that is cut short again and again needs you, whatever cuts it short', () => {
    const policy = { success: [parseCondition('review_approves')] };
    const spec = { session: {}, review: { when: 'goal', maxCostUsd: 1, timeoutMs: 1 } } as unknown as RunSpec;
    const cut = { iteration: 1, tree: 'b', cause: 'goal', reviewer: 'r', evidence: 'e', durationMs: 1 } as const;
    const after = (times: number) =>
      stateAfter(
        started(policy, { spec }),
        baseline({ tree: 'a' }),
        ...iteration(1, trees('a', 'b')),
        ...Array.from({ length: times }, () => ({ type: 'review-ended', ...cut }) as const),
      );
    expect([reviewDue(after(2)), evaluateRun(after(2)).stop]).toEqual(['goal', false]);
    expect(evaluateRun(after(3))).toMatchObject({
      class: 'blocked',
      reasons: [{ message: 'the review gave no answer 3 times: it was cut short' }],
    });
  });
});

describe('a review of work that does not advance', () => {
  const ALIVE = '{"answer": "not_done", "reasons": ["the parser grows"], "alive": true}';
  const STUCK = '{"answer": "stuck", "reasons": ["it repeats itself"]}';
  const busy: Call = { events: [says('still reading')] };
  const stuck = (answers: readonly string[], more: LoopConfig = {}) =>
    play({
      answers,
      calls: [busy],
      review: { when: 'stuck' },
      config: { maxIterations: 20, stop: { failure: [{ no_progress: 4 }] }, ...more },
    });

  it('is asked once, when half of the streak is used up, and gives up early', async () => {
    const scene = await stuck([STUCK]);
    const end = await scene.ended();
    expect(end).toMatchObject({ class: 'failure', reasons: [{ condition: { type: 'review_says' } }] });
    expect(end?.reasons[0]?.message).toContain('it repeats itself');
    expect(scene.agent.tasks).toHaveLength(2);
  });

  it('a person who resumes a run that was given up early is not given up on again', async () => {
    const scene = await stuck([STUCK]);
    await scene.run;
    const { workingDir, runner, agent } = scene;
    const resumed = await resumeRun({ workingDir, run: runner.id, environment, agent });
    await resumed.run();
    expect(agent.tasks.length).toBeGreaterThan(2);
  });

  it('alive restores the streak to its full length, once', async () => {
    const scene = await stuck([ALIVE]);
    expect(await scene.ended()).toMatchObject({ class: 'failure', reasons: [{ condition: { type: 'no_progress' } }] });
    expect(scene.agent.tasks).toHaveLength(6);
    expect(scene.asked()).toHaveLength(1);
  });

  it('not done, and not alive, leaves the streak as it is', async () => {
    const scene = await stuck([NOT_DONE]);
    await scene.run;
    expect(scene.agent.tasks).toHaveLength(4);
  });

  it('that cannot be made does not hold a run up', async () => {
    const scene = await stuck([`!echo '{"pawl":"limit","message":"usage limit reached"}'; exit 1`]);
    expect(await scene.ended()).toMatchObject({ class: 'failure' });
    expect(scene.asked()).toHaveLength(1);
    expect(scene.events.some(({ type }) => type === 'waiting-started')).toBe(false);
  });

  it('every 2 iterations, where the files have changed', async () => {
    let n = 0;
    const red: Call = { work: (write) => write('code.txt', `two ${(n += 1)}\n`) };
    const scene = await play({
      answers: [NOT_DONE],
      calls: [red],
      review: { every: 2 },
      config: { maxIterations: 5, stop: { failure: [{ no_progress: 9 }] } },
    });
    await scene.run;
    expect(scene.reviews().map(({ iteration, cause }) => [iteration, cause])).toEqual([
      [2, 'every'],
      [4, 'every'],
    ]);
  });
});

describe('the record of a run with a review', () => {
  it('after a crash in the middle of a review it is asked again, and no iteration is lost', () => {
    const done = { iteration: 1, tree: 'b', cause: 'goal', reviewer: 'r', evidence: 'e' } as const;
    const policy = { success: [parseCondition('review_approves')] };
    const spec = { session: {}, review: { when: 'goal', maxCostUsd: 1, timeoutMs: 1 } } as unknown as RunSpec;
    const before = stateAfter(started(policy, { spec }), baseline({ tree: 'a' }), ...iteration(1, trees('a', 'b')), {
      type: 'review-started',
      ...done,
    });
    expect(before.review?.open).toBeDefined();
    const [resumed] = record([{ type: 'run-resumed', cause: 'crash' }]);
    const after = reduce(before, { ...(resumed as RunEvent), seq: before.seq + 1 });
    expect(after.review?.open).toBeUndefined();
    expect(after.iterations).toBe(1);
    expect([reviewDue(before), reviewDue(after)]).toEqual(['goal', 'goal']);
  });

  it('has what the user said, also as an answer, where there is a review', () => {
    const said = (spec: object) =>
      stateAfter(
        started({}, { spec: { session: {}, ...spec } as unknown as RunSpec }),
        { type: 'question-asked', question: 'q1', text: 'Which?', by: 'the agent' },
        { type: 'command-received', command: { type: 'answer', question: 'q1', text: 'red' }, by: 'me' },
        { type: 'command-received', command: { type: 'answer', question: 'q1', text: 'late' }, by: 'me' },
        ...Array.from(
          { length: 10 },
          (_, n) => ({ type: 'command-received', command: { type: 'steer', text: `no ${n}` }, by: 'me' }) as const,
        ).slice(1),
      ).userWords;
    expect(said({ review: { when: 'goal' } })?.slice(0, 2)).toEqual(['Which?\nred', 'no 1']);
    expect(said({ review: { when: 'goal' } })).toHaveLength(10);
    expect(said({})).toBeUndefined();
  });

  it('is judged the same when it is replayed', async () => {
    const scene = await play({ answers: [NOT_DONE, DONE], calls: [add('one two\n'), add('one two three\n')] });
    await scene.run;
    const { stop, verdicts } = replay(scene.events);
    expect(stop).toMatchObject({ class: 'goal', asRecorded: true });
    expect(verdicts.filter(({ isSame }) => !isSame)).toEqual([]);
    expect(verdicts).toHaveLength(5);
  });

  it('a stop ends a review that is under way', async () => {
    const scene = await play({ answers: ['!sleep 300'], calls: [add('one two\n')] });
    scene.runner.subscribe((event) => {
      if (event.type === 'review-started') setImmediate(() => void scene.runner.send({ type: 'stop' }));
    });
    expect(await scene.ended()).toMatchObject({ class: 'operator' });
    const [review] = scene.reviews();
    expect([review?.opinion, review?.problem]).toEqual([undefined, undefined]);
  });
});
