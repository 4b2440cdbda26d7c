import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { Claim } from '../model/claim.js';
import type { EventOf, RunEvent } from '../model/run-event.js';
import { replay } from '../replay/replay.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { sendClaim } from './control-client.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-claim-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, 'state'), XDG_RUNTIME_DIR: base };

const DONE: Claim = { claim: 'done', evidence: 'all 12 tests pass' };
const BLOCKED: Claim = { claim: 'blocked', evidence: 'there is no key for the server' };
const GREEN = "echo 'TAP version 14'; echo 1..1; echo 'ok 1'";
const RED = "echo 'TAP version 14'; echo 1..1; echo 'not ok 1'; exit 1";

type Report = Claim & { readonly cookie?: string; readonly key?: string | undefined };

/** A loop whose agent reports something in each iteration, with what it was given unless another is named. */
function scene(reports: readonly Report[][], config: LoopConfig) {
  const answers: string[] = [];
  const keys: (string | undefined)[] = [];
  const events: RunEvent[] = [];
  const steps = reports.map((claims): ScriptedStep => {
    return {
      async work({ cookie, claimKey }) {
        keys.push(claimKey);
        for (const { claim, evidence, ...given } of claims) {
          answers.push(await tell({ claim, evidence }, { cookie, key: claimKey, ...given }));
        }
      },
    };
  });
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const common = { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: 3 } as const;
  const runner = new LoopRunner({ ...common, ...config }, { agent: scriptedAgent(steps), environment });
  runner.subscribe((event) => events.push(event));
  const tell = async (claim: Claim, proof: { cookie: string; key?: string | undefined }): Promise<string> => {
    const path = join(workingDir, '.ralph', 'runs', runner.id, 'state.json');
    const { control } = JSON.parse(readFileSync(path, 'utf8'));
    const report = { claim, ...proof };
    const told = sendClaim({ socket: control, runId: runner.id, report, by: 'the agent' });
    return told.then(
      ({ effect }) => effect,
      (error: Error) => error.message,
    );
  };
  const claims = () => events.filter((event): event is EventOf<'claim-made'> => event.type === 'claim-made');
  return { runner, answers, claims, events, tell, keys, workingDir };
}

describe('what an agent reports', () => {
  it('is recorded and meets a goal together with what verifies it', async () => {
    const stop = { success: [{ all: ['agent_reports_done', 'all_tests_pass'] }] };
    const { runner, answers, claims, events } = scene([[DONE]], { tests: GREEN, stop });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'goal', exitCode: 0 });
    expect(result.reasons[0]?.message).toContain('done: "all 12 tests pass"');
    expect(answers).toEqual([expect.stringMatching(/recorded.* done/)]);
    expect(claims()).toMatchObject([{ ...DONE, by: 'the agent' }]);
    expect(runner.runState.iterations).toBe(1);
    expect(replay(events).verdicts.every(({ isSame }) => isSame)).toBe(true);
  });

  it('is not believed while the tests fail', async () => {
    const stop = { success: [{ all: ['agent_reports_done', 'all_tests_pass'] }], failure: [] };
    const { runner, claims } = scene([[DONE]], { tests: RED, stop });
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect([claims().length, runner.runState.iterations]).toEqual([3, 3]);
  });

  it('counts in its own iteration only', async () => {
    const stop = { success: [{ for: { iterations: 2, condition: 'agent_reports_done' } }], failure: [] };
    const { runner } = scene([[DONE], [], [DONE]], { stop });
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect(runner.runState.latest.claims).toEqual({ done: DONE.evidence });
  });

  it('blocked ends the run at once where the policy says so, and only there', async () => {
    const held = scene([[BLOCKED]], { stop: { failure: ['agent_reports_blocked'] } });
    expect(await held.runner.run()).toMatchObject({
      class: 'failure',
      exitCode: 4,
      reasons: [{ message: expect.stringContaining('blocked: "there is no key for the server"') }],
    });
    expect(held.runner.runState.recent).toMatchObject([{ outcome: 'interrupted', interruption: 'failure' }]);
    const shown = scene([[BLOCKED], []], { stop: { failure: [] } });
    expect(await shown.runner.run()).toMatchObject({ class: 'limit' });
    expect(shown.claims()).toHaveLength(1);
  });

  it('done never interrupts, wherever it stands', async () => {
    const { runner } = scene([[DONE]], { stop: { failure: ['agent_reports_done'] } });
    expect(await runner.run()).toMatchObject({ class: 'failure' });
    expect(runner.runState.recent).toMatchObject([{ outcome: 'completed' }]);
  });

  it('is refused from an agent of another iteration', async () => {
    const stale = { ...DONE, cookie: 'loop_x.1.1' };
    const { runner, answers, claims } = scene([[stale]], { stop: { failure: [] }, maxIterations: 1 });
    await runner.run();
    expect(answers).toEqual([expect.stringMatching(/^not recorded: .*another iteration/)]);
    expect(claims()).toEqual([]);
  });

  it('is refused from what the agent left behind, and from hooks', async () => {
    const go = join(mkdtempSync(join(base, 'go-')), 'go');
    const hooks = { afterIteration: `until [ -e '${go}' ]; do sleep 0.02; done` };
    const { runner, claims, tell, keys } = scene([[]], { stop: { failure: [] }, maxIterations: 1, hooks });
    const ended = runner.run();
    await expect.poll(() => runner.runState.hook, { timeout: 60_000 }).toBe('after_iteration');
    const proof = { cookie: `${runner.id}.1.1`, key: keys[0] };
    expect(await tell(DONE, proof)).toMatch(/^not recorded: .*this iteration.*not running/);
    writeFileSync(go, '');
    await ended;
    expect(claims()).toEqual([]);
  });

  it('is refused from whoever knows only the name of the iteration, which is public', async () => {
    const forged = [
      { ...DONE, key: undefined },
      { ...DONE, key: '' },
      { ...DONE, key: 'a'.repeat(43) },
    ];
    const { runner, answers, claims } = scene([forged], { stop: { failure: [] }, maxIterations: 1 });
    await runner.run();
    expect(answers).toEqual([
      expect.stringMatching(/^not recorded: .*key.*PAWL_CLAIM_KEY/),
      expect.stringMatching(/^not recorded: the key .* is missing/),
      expect.stringMatching(/^not recorded: its key/),
    ]);
    expect(claims()).toEqual([]);
  });

  it('is proved by a key that is another in each iteration', async () => {
    const { runner, keys } = scene([[]], { stop: { failure: [] } });
    await runner.run();
    expect(new Set(keys).size).toBe(3);
    expect(keys.every((key) => (key?.length ?? 0) >= 43)).toBe(true);
  });

  it('does not fill the record: after twenty in an iteration no more are taken', async () => {
    const many = Array.from({ length: 21 }, () => DONE);
    const { runner, answers, claims } = scene([many], { stop: { failure: [] }, maxIterations: 2 });
    await runner.run();
    expect(claims()).toHaveLength(40);
    expect(answers[20]).toMatch(/^not recorded: .*20 reports/);
  });
});

it('the key of an iteration is given to its agent alone, and never recorded', async () => {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const note = (name: string) => `printf %s "\${PAWL_CLAIM_KEY-none}" > ${name}`;
  const runner = new LoopRunner(
    {
      workingDir,
      prompt: 'go',
      iterationDelay: 0,
      maxIterations: 1,
      agent: { name: 'command', command: ['sh', '-c', `echo "my key is $PAWL_CLAIM_KEY"; ${note('key')}`] },
      tests: `${note('in-tests')}; ${GREEN}`,
      hooks: { beforeIteration: note('in-hook') },
      stop: { success: [], failure: [] },
    },
    { environment: { ...environment, PAWL_CLAIM_KEY: 'of-a-run-around-this-one' } },
  );
  await runner.run();
  const read = (...names: string[]) => readFileSync(join(workingDir, ...names), 'utf8');
  expect(read('key')).toMatch(/^[\w-]{43}$/);
  expect([read('in-tests'), read('in-hook')]).toEqual(['none', 'none']);
  const folder = dirname(realpathSync(join(workingDir, '.ralph', 'runs', runner.id, 'journal.jsonl')));
  const recorded = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
  expect(recorded).toContain('my key is [PAWL_CLAIM_KEY]');
  expect(recorded).not.toContain(read('key'));
});
