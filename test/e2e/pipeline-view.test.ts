/** How people see a pipeline: on a terminal, from another one, and afterwards. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { TmuxSession } from '../support/tmux-session.js';

const WAIT = { timeout: 60_000, interval: 60 };
let cli: BuiltCli;
/** One that ended with three of eight items not approved. */
let ended: CliProject;

const GENERATE = `#!/bin/sh
echo '{"pawl":"usage","model":"my-model","input_tokens":1200,"output_tokens":300,"cost_usd":0.004}'
case "$1" in frame-7) echo 'no frame' >&2; exit 3 ;; esac
echo "$1" > "$PAWL_OUTPUT"
while test -e "hold-$1"; do sleep 0.05; done
`;

const AUDIT = `#!/bin/sh
case "$PAWL_ITEM_ID" in
  frame-2) echo '{"verdict":"rejected","reasons":["BLURRY"],"score":0.31,"message":"soft"}' ;;
  frame-4) test "$PAWL_ATTEMPT" -gt 1 || { echo looked; echo '{"verdict":"retry","reasons":["DARK"],"message":"more light"}'; } ;;
  frame-5) echo '{"verdict":"retry","reasons":["DARK"],"score":0.5}' ;;
esac
`;

const MANIFEST = `
items: [frame-0, frame-1, frame-2, frame-3, frame-4, frame-5, frame-6, frame-7]
generate: { command: './generate.sh "$PAWL_ITEM_ID"', output: 'out/{{item.id}}.txt' }
audit: ./audit.sh
concurrency: 2
retry: { max_attempts: 2, stop_conditions: { max_retry_rate: 0.9, max_reject_rate: 0.9 } }
limits: [{ max_cost: 5 }]
`;

function projectWith(manifest = MANIFEST): CliProject {
  const project = new CliProject(cli, { hasGit: false });
  project.env['PAWL_TRUST'] = '1';
  project.write('pipeline.yaml', manifest);
  project.write('generate.sh', GENERATE, 0o755);
  project.write('audit.sh', AUDIT, 0o755);
  return project;
}

beforeAll(async () => {
  cli = new BuiltCli('pipeline-view');
  ended = projectWith();
  expect(await ended.pawl('pipeline', 'run', '--quiet')).toMatchObject({ status: 4 });
});
afterAll(() => cli.remove());

const REPORT = [
  /^Gave up .*5 of 8 items approved, 1 rejected, 2 failed/m,
  /^ {2}items +5 approved, 1 rejected, 2 failed, 0 left of 8$/m,
  /^ {2}made +5 files at out\/\{\{item\.id\}\}\.txt$/m,
  /^ {2}attempts +11 \(37\.5% of the items took more than one\)$/m,
  /^ +reject rate 37\.5% of 8 items, 90% allowed$/m,
  /^ +retry rate 37\.5% of 8 items, 90% allowed$/m,
  /^ {2}not approved +3 items, 37\.5% of those that are done$/m,
  /^ +frame-2 rejected after 1 attempt: BLURRY, score 0\.31: soft$/m,
  /^ +frame-5 failed after 2 attempts: DARK, score 0\.5$/m,
  /^ +frame-7 failed after 2 attempts: GENERATOR_FAILED: no frame$/m,
  /^ {2}spent +\$0\.04, 16,500 tokens$/m,
  /^ {2}record +\.ralph\/runs\/pipe_\w+$/m,
  /^ {2}next +redo: +pawl pipeline run --resume 01\w{8} --redo frame-2 frame-5 frame-7$/m,
];

async function json(project: CliProject, ...words: readonly string[]): Promise<Record<string, unknown>> {
  const { status, stdout } = await project.pawl(...words, '--json');
  expect(status).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('a pipeline that has ended', () => {
  it.each([['status'], ['show'], ['watch', '--quiet'], ['logs', '--follow']])(
    '%s says what the end report says, with the last failures and why',
    async (...words) => {
      const { status, stdout } = await ended.pawl(...words);
      expect(status).toBe(0);
      for (const line of REPORT) expect(stdout).toMatch(line);
      expect(stdout).not.toMatch(/\biterations?\b|undefined|NaN/);
    },
  );

  it('list speaks of items, and beside a loop each run says what it counts', async () => {
    expect((await ended.pawl('list')).stdout).toMatch(
      /^run +state +done +cost .*\n01\w{8} gave up +8 of 8 items +\$0\.04/,
    );
    const [listed] = (await json(ended, 'list')) as unknown as readonly Record<string, unknown>[];
    expect(listed).toMatchObject({ kind: 'pipeline', items: { total: 8, approved: 5, left: 0 }, attempts: 11 });
    expect(listed).not.toHaveProperty('iterations');
    const both = projectWith('items: [a]\ngenerate: { command: "true" }\n');
    await both.pawl('pipeline', 'run', '--quiet');
    await both.pawl('run', '-p', 'x', '--max-iterations', '2', '--delay', '0', '--quiet', '--', './agent.sh');
    expect((await both.pawl('list')).stdout).toMatch(/ iteration limit +2 iterations .*\n.* done +1 of 1 item /);
  });

  it('show has a table of the items that were not approved', async () => {
    const { stdout } = await ended.pawl('show');
    expect(stdout).toMatch(/^ {2}item +status +attempts {2}reasons +score {2}message$/m);
    expect(stdout).toMatch(/^ {2}frame-2 +rejected {2}1 +BLURRY +0\.31 +soft$/m);
    expect(stdout).toMatch(/^ {2}frame-7 +failed +2 +GENERATOR_FAILED +no frame$/m);
    const shown = await json(ended, 'show');
    expect(shown).toMatchObject({
      kind: 'pipeline',
      attempts: 11,
      notApproved: [{ item: 'frame-2' }, { item: 'frame-5' }, {}],
    });
  });

  it('show RUN ITEM has every attempt at the item, with why, what it cost and where what it made is', async () => {
    const { runId } = (await json(ended, 'show')) as { runId: string };
    const { stdout } = await ended.pawl('show', runId, 'frame-5');
    expect(stdout).toMatch(/^frame-5 failed, 2 attempts\n/);
    expect(stdout).toMatch(/^attempt 1 retry in \d+m?s$/m);
    expect(stdout).toMatch(/^ {2}reasons +DARK$/m);
    expect(stdout).toMatch(/^ {2}score +0\.5$/m);
    expect(stdout).toMatch(/^ {2}spent +\$0\.0040, 1,500 tokens$/m);
    const kept = /^ {2}output +(\S+frame-5\.txt)$/m.exec(stdout)?.[1] ?? '';
    expect(ended.read(kept)).toBe('frame-5\n');
    expect((await ended.pawl('show', runId, 'frame-0')).stdout).toMatch(
      /^frame-0 approved, 1 attempt\n {2}output +out\/frame-0\.txt\n/,
    );
    expect(await json(ended, 'show', runId, 'frame-4')).toMatchObject({
      status: 'approved',
      attempts: [{ outcome: 'retry', reasons: ['DARK'], message: 'more light' }, { outcome: 'approved' }],
    });
    const missing = await ended.pawl('show', runId, 'frame-99');
    expect(missing).toMatchObject({ status: 2, stdout: '' });
    expect(missing.stderr).toMatch(new RegExp(`${runId} has no item "frame-99".* 8 items.*frame-0`));
  });

  it('logs prints what was printed where an attempt was not approved, of one item if asked', async () => {
    expect((await ended.pawl('logs', '--item', 'frame-4')).stdout).toMatch(
      /^ +retry +frame-4 {2}attempt 1: DARK: more light\n {4}\| looked\n {4}\| \{"verdict".*\n\d\/8 {2}approved {2}frame-4 {2}\(2 attempts\)\n$/,
    );
    const events = (await ended.pawl('logs', '--item', 'frame-4', '--json')).stdout.trim().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('attempt-ended');
    const notThere = await ended.pawl('logs', '--item', 'frame-99');
    expect(notThere).toMatchObject({ status: 2, stdout: '' });
    expect(notThere.stderr).toContain('nothing is recorded for "frame-99"');
    const iteration = await ended.pawl('logs', '--iteration', '1');
    expect(iteration).toMatchObject({ status: 2, stdout: '' });
    expect(iteration.stderr).toMatch(/no iterations.* --item ID/);
  });
});

it('an end report after a resume names the failures from before it, too', async () => {
  const project = projectWith(MANIFEST.replace('max_retry_rate: 0.9', 'max_retry_rate: 0.2, min_items: 6'));
  expect((await project.pawl('pipeline', 'run', '--quiet')).status).toBe(4);
  project.write('generate.sh', GENERATE.replace('frame-7)', 'none)'), 0o755);
  const { stdout } = await project.pawl('pipeline', 'run', '--resume', '--redo', 'frame-5');
  expect(stdout).toMatch(/^ +frame-2 rejected after 1 attempt: BLURRY, score 0\.31: soft$/m);
});

it('what is left of a limit is the flag that raises it, and of a breaker its own', async () => {
  const project = projectWith(MANIFEST.replace('max_attempts: 2', 'max_attempts: 2, circuit_breaker: 3'));
  const { stdout, status } = await project.pawl('pipeline', 'run');
  expect(status).toBe(4);
  const [, command = ''] = /^ {2}next +continue: +pawl (pipeline run --resume .*)$/m.exec(stdout) ?? [];
  expect(command).toMatch(/--circuit-breaker 6$/);
  const resumed = await project.pawl(...command.split(' '), '--quiet');
  expect(resumed.stdout).toMatch(/^Gave up .*6 attempts/m);
});

describe('--detach', () => {
  it('goes on in the background, and is seen by every command that looks', async () => {
    const project = projectWith();
    project.write('hold-frame-1', '');
    const { stdout, status } = await project.pawl('pipeline', 'run', '--detach', '--json');
    expect(status).toBe(0);
    const { runId } = JSON.parse(stdout) as { runId: string };
    await expect
      .poll(async () => (await json(project, 'status'))['inFlight'], WAIT)
      .toMatchObject([{ item: 'frame-1', attempt: 1 }]);
    await expect.poll(async () => (await json(project, 'status'))['items'], WAIT).toMatchObject({ left: 1 });
    const now = (await project.pawl('status')).stdout;
    expect(now).toMatch(new RegExp(`^run ${runId}, process \\d+.*\\nRunning`));
    expect(now).toMatch(/^ {2}in progress +frame-1, attempt 1, for \d/m);
    expect(now).toMatch(/^ {2}not approved +3 items/m);
    expect(now).not.toMatch(/\biterations?\b/);
    rmSync(join(project.path, 'hold-frame-1'));
    expect((await project.pawl('wait')).status).toBe(4);
    expect((await project.pawl('status')).stdout).toMatch(REPORT[0] as RegExp);
    expect(project.read(join('.ralph', 'runs', runId, 'detached.log'))).toMatch(REPORT[0] as RegExp);
  });

  it('what cannot be started says why, and leaves nothing behind', async () => {
    const project = projectWith(MANIFEST.replace('[frame-0', '[frame-0, frame-0'));
    const { status, stderr } = await project.pawl('pipeline', 'run', '--detach');
    expect(status).toBe(2);
    expect(stderr).toContain('frame-0');
    expect(existsSync(join(project.path, '.ralph', 'runs'))).toBe(false);
  });
});

/** For the guide; only when asked. */
function keepScreen(screen: string): void {
  if (process.env['PAWL_UPDATE_SCREENS'] === undefined) return;
  const path = fileURLToPath(new URL('../../docs/guide/screens/pipeline.txt', import.meta.url));
  writeFileSync(path, `${screen.replaceAll(/ +$/gm, '')}\n`);
}

describe('on a terminal', () => {
  async function typed(project: CliProject, line: string, context: TestContext): Promise<TmuxSession> {
    const tmux = need('tmux', context);
    const env = { ...project.env, TERM: 'xterm-256color', HISTFILE: '/dev/null', NODE: process.execPath };
    const session = await TmuxSession.open({ tmux, folder: project.path, env });
    context.onTestFinished(() => session.close());
    await expect.poll(() => session.screen(), WAIT).toContain('$');
    await session.type(`clear; ${line.replaceAll('pawl', `"$NODE" ${cli.bin}`)}; echo "exit $?"`);
    await session.press('Enter');
    return session;
  }

  it('shows what is in flight while items scroll up, and takes keys, here and from another terminal', async (context) => {
    const project = projectWith();
    project.write('hold-frame-1', '');
    const own = await typed(project, 'pawl pipeline run', context);
    await expect.poll(() => own.screen(), WAIT).toMatch(/^run 01\w{8}, 1 .* \d+s .*\$0\.04 +16,500 tokens/m);
    const screen = await own.screen();
    keepScreen(screen);
    expect(screen).toMatch(/^7\/8 {2}failed {4}frame-7 {2}\(2 attempts\)$/m);
    expect(screen).toMatch(/^ {2}items +█+░ {2}7 of 8: 4 approved, 1 rejected, 2 failed/m);
    expect(screen).toMatch(/^ {2}frame-1 {2}attempt 1 {2}\d+s$/m);
    expect(screen).toMatch(/^ {2}✗ frame-7 failed after 2 attempts: GENERATOR_FAILED: no frame$/m);
    expect(screen).toMatch(/^p pause {2}s stop .* {2}S stop now {2}\? help$/m);
    const other = await typed(project, 'pawl watch', context);
    await expect.poll(() => other.screen(), WAIT).toMatch(/^ {2}frame-1 {2}attempt 1 {2}\d+s$/m);
    await other.press('p');
    for (const session of [own, other]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect.poll(() => session.screen(), WAIT).toContain('pauses after');
    }
    await own.press('S');
    await expect.poll(() => own.screen(), WAIT).toMatch(/^Stopped by you .*keyboard[^]*exit 130/m);
    await expect.poll(() => other.screen(), WAIT).toMatch(/^Stopped by you .*keyboard[^]*exit 0/m);
    expect(await own.screen()).toMatch(/^ {2}next +(?:continue: +)?pawl pipeline run --resume 01\w{8}$/m);
  });

  it('a small one loses lines, and none of them is broken', async (context) => {
    const project = projectWith();
    project.write('hold-frame-1', '');
    const session = await typed(project, 'pawl pipeline run', context);
    await session.resize(40, 12);
    await expect.poll(() => session.screen(), WAIT).toMatch(/7 of 8: 4 approved, 3 not[^]*\? help$/);
    const lines = (await session.screen()).split('\n');
    const frame = lines.slice(lines.findIndex((line) => line.startsWith('run 01')));
    expect(frame.length).toBeLessThanOrEqual(10);
    expect(frame.at(-1)).toMatch(/^p pause {2}s stop after these {2}\? help$/);
    rmSync(join(project.path, 'hold-frame-1'));
    await expect.poll(() => session.screen(), WAIT).toContain('exit 4');
  });
});
