/** The built command with real processes: what a pipeline does when things go wrong, and what is left of it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { stateSchema } from '../../src/pipeline/schemas.js';
import { BuiltCli, type CliOutcome, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('pipeline');
});
afterAll(() => cli.remove());

const stateShape = z.fromJSONSchema(stateSchema());

interface Frame {
  readonly index: number;
  readonly status: string;
  readonly attempts: readonly { readonly outcome: string; readonly reasons?: readonly string[] }[];
  readonly interrupted?: number;
}

interface PipelineFile {
  readonly run_id: string;
  readonly run_status: string;
  readonly stop_reason?: { readonly condition: string; readonly value: number; readonly message: string };
  readonly resumable: boolean;
  readonly resume_from_frame?: number;
  readonly consecutive_fail_count: number;
  readonly spend: { readonly costUsd?: number };
  readonly statistics: Readonly<Record<string, number>>;
  readonly frame_states: Readonly<Record<string, Frame>>;
}

/** A project with a manifest; its commands are confirmed. */
function projectWith(manifest: string, files: Readonly<Record<string, string>> = {}): CliProject {
  const project = new CliProject(cli, { hasGit: false });
  project.env['PAWL_TRUST'] = '1';
  project.write('pipeline.yaml', manifest);
  for (const [name, content] of Object.entries(files)) project.write(name, content, 0o755);
  return project;
}

function runIds(project: CliProject): readonly string[] {
  return readdirSync(join(project.path, '.ralph', 'runs')).sort();
}

/** The last run's `state.json`, which is what its schema says. */
function stateOf(project: CliProject): PipelineFile {
  const file = join(project.path, '.ralph', 'runs', runIds(project).at(-1) ?? '', 'state.json');
  const state: unknown = JSON.parse(readFileSync(file, 'utf8'));
  expect(stateShape.safeParse(state).error?.issues).toBeUndefined();
  return state as PipelineFile;
}

function statuses({ frame_states }: PipelineFile): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(frame_states).map(([id, { status }]) => [id, status]));
}

function start(project: CliProject, ...words: readonly string[]): ChildProcess {
  const runner = spawn(process.execPath, [cli.bin, 'pipeline', 'run', ...words], {
    cwd: project.path,
    env: project.env,
    stdio: 'ignore',
  });
  onTestFinished(() => void runner.kill('SIGKILL'));
  return runner;
}

async function until(isSo: () => boolean | Promise<boolean>, within = 60_000): Promise<void> {
  const end = Date.now() + within;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('it did not come to that');
    // oxlint-disable-next-line no-await-in-loop -- looked at again and again
    await pause(20);
  }
}

/** What the only run of a project has recorded. */
function eventsOf(project: CliProject): readonly { readonly type: string; readonly item?: string }[] {
  const path = join('.ralph', 'runs', runIds(project)[0] ?? '', 'journal.jsonl');
  return linesIn(project, path).map((line) => JSON.parse(line) as { readonly type: string; readonly item?: string });
}

function linesIn(project: CliProject, name: string): readonly string[] {
  const path = join(project.path, name);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** Of every process of the machine. */
function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `i${index}`);

describe('a run that fails consistently', () => {
  const manifest = `
items: [${numbers(8).join(', ')}]
generate:
  command: echo made >> log; test -e fixed || case "$PAWL_ITEM_ID" in i1|i3) exit 1 ;; esac; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"
  output: out/{{item.id}}
retry: { max_attempts: 1, stop_conditions: { max_consecutive_fails: 3, min_items: 4 } }
`;

  it('[c21] [c28] [c29] is stopped, not failed, and its state is on disk with the reason', async () => {
    const project = projectWith(manifest);
    const outcome = await project.pawl('pipeline', 'run', '--json');
    expect(outcome.status).toBe(4);
    const state = stateOf(project);
    expect(state).toMatchObject({
      run_status: 'stopped',
      stop_reason: {
        condition: 'REJECT_RATE',
        value: 0.5,
        threshold: 0.3,
        message: 'Reject rate 50% exceeds 30% threshold',
      },
      resumable: true,
      resume_from_frame: 4,
      consecutive_fail_count: 1,
      statistics: {
        total_frames: 8,
        frames_attempted: 4,
        frames_approved: 2,
        frames_rejected: 0,
        frames_failed: 2,
        retry_rate: 0,
        reject_rate: 0.5,
        consecutive_fails: 1,
      },
    });
    expect(readdirSync(join(project.path, 'out')).sort()).toEqual(['i0', 'i2']);
    const halted = outcome.stderr.split('\n').filter((line) => line.includes('run_halted'));
    expect(halted).toHaveLength(1);
    expect(JSON.parse(halted[0] ?? '')).toMatchObject({
      event: 'run_halted',
      run_id: state.run_id,
      reason: 'REJECT_RATE',
      statistics: state.statistics,
      hint: `pawl pipeline run --resume ${state.run_id}`,
    });
    const types = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types.slice(-3)).toEqual(['item-ended', 'verdict-reached', 'run-ended']);
  });

  it('goes on where it halted, keeps its figures, and makes nothing again that was approved', async () => {
    const project = projectWith(manifest);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    const before = linesIn(project, 'log').length;
    project.write('fixed', '');
    const { run_id } = stateOf(project);
    const resumed = await project.pawl('pipeline', 'run', '--resume', run_id);
    expect(resumed.stdout).toContain('6 of 8 items approved, 2 failed');
    expect(resumed.status).toBe(4);
    expect(linesIn(project, 'log').length - before).toBe(4);
    expect(stateOf(project)).toMatchObject({ run_id, run_status: 'completed', statistics: { frames_failed: 2 } });
    // Nothing is left, until somebody wants an item once more.
    expect(await project.pawl('pipeline', 'run', '--resume')).toMatchObject({ status: 2 });
    const redone = await project.pawl('pipeline', 'run', '--resume', '--redo', 'i1', 'i3');
    expect(redone).toMatchObject({ status: 0 });
    expect(redone.stdout).toContain('all 8 items approved');
    expect(linesIn(project, 'log').length - before).toBe(6);
    expect((await project.pawl('resume')).stderr).toContain('every item is done');
  });

  it('halts after three in a row, and a rate that got no worse lets a resume go on', async () => {
    const project = projectWith(`
items: [${numbers(9).join(', ')}]
generate: { command: 'test -e fixed || exit 1' }
retry: { max_attempts: 2, backoff: 0, stop_conditions: { max_reject_rate: 1, max_retry_rate: 1 } }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    expect(stateOf(project).stop_reason).toMatchObject({ condition: 'CONSECUTIVE_FAILS', value: 3, threshold: 3 });
    project.write('fixed', '');
    expect(await project.pawl('pipeline', 'run', '--resume')).toMatchObject({ status: 4 });
    expect(stateOf(project)).toMatchObject({ run_status: 'completed', statistics: { frames_approved: 6 } });
  });

  it('a breaker that was reached has to be raised', async () => {
    const project = projectWith(`
items: [a, b, c, d]
generate: { command: 'true' }
retry: { circuit_breaker: 2 }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    expect(stateOf(project).stop_reason).toMatchObject({ condition: 'CIRCUIT_BREAKER', value: 2, threshold: 2 });
    const refused = await project.pawl('pipeline', 'run', '--resume');
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain('--circuit-breaker N');
    expect(await project.pawl('pipeline', 'run', '--resume', '--circuit-breaker', '9')).toMatchObject({ status: 0 });
  });
});

describe('the audit', () => {
  it('hands its reasons and the last output to the next attempt', async () => {
    const project = projectWith(`
items: [{ id: a, tone: warm }]
generate:
  command: |
    printf '%s|%s|%s|%s\\n' "$PAWL_ATTEMPT" "$PAWL_REASONS" "$(cat "$PAWL_LAST_OUTPUT" 2>/dev/null)" "$PAWL_ITEM_TONE" > "$PAWL_OUTPUT"
    echo "$PAWL_FEEDBACK" > feedback-"$PAWL_ATTEMPT"
  output: out/{{item.id}}.txt
audit: >-
  test "$PAWL_ATTEMPT" -ge 3 && exit 0;
  echo '{"verdict":"retry","reasons":["BLURRY","DARK"],"score":0.4,"message":"more light"}'
retry: { backoff: 0, stop_conditions: { max_retry_rate: 1 } }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(project.read('out/a.txt')).toBe('3|BLURRY, DARK|2|BLURRY, DARK|1|||warm|warm|warm\n');
    expect(project.read('feedback-1').trim()).toBe('');
    expect(project.read('feedback-2')).toMatch(/^Attempt 1 was not approved: BLURRY, DARK\.\nmore light\n/);
    const { frame_states } = stateOf(project);
    expect(frame_states['a']?.attempts.map(({ outcome }) => outcome)).toEqual(['retry', 'retry', 'approved']);
  });

  it.each([
    ['broken JSON', `echo '{"verdict":"approv'`, 'AUDIT_BROKEN'],
    ['an unknown verdict', `echo '{"verdict":"fine"}'`, 'AUDIT_BROKEN'],
    ['approval with a bad exit', `echo '{"verdict":"approved"}'; exit 3`, 'AUDIT_BROKEN'],
    ['an exit that is no verdict', 'exit 7', 'AUDIT_BROKEN'],
    ['no end', 'sleep 60', 'AUDIT_TIMED_OUT'],
    ['a signal', 'kill -9 $$', 'AUDIT_BROKEN'],
  ])('that ends with %s never approves', async (_what, audit, reason) => {
    const project = projectWith(`
items: [a]
generate: { command: 'echo x > "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }
audit: { command: ${JSON.stringify(audit)}, timeout: 300ms }
retry: { max_attempts: 2, backoff: 0, stop_conditions: { max_retry_rate: 1, max_reject_rate: 1 } }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    const frame = stateOf(project).frame_states['a'];
    expect(frame?.status).toBe('failed');
    expect(frame?.attempts.map(({ reasons }) => reasons)).toEqual([[reason], [reason]]);
    expect(existsSync(join(project.path, 'out'))).toBe(false);
  });

  const usage = (figures: string) => `echo '{"pawl":"usage"${figures}}'`;
  const audited = (audit: string) => `
items: [${numbers(6).join(', ')}]
generate: { command: ${JSON.stringify(`${usage(',"cost_usd":0.1,"id":"r1","model":"own"')}; echo "$PAWL_ITEM_ID" >> made`)} }
audit: ${JSON.stringify(audit)}
retry: { max_attempts: 2, backoff: 0, stop_conditions: { max_retry_rate: 1, max_reject_rate: 1, max_consecutive_fails: 9 } }
limits: [{ max_cost: 1 }]
`;

  it('that spends is held to the budget, also when it names its requests as the generator does', async () => {
    // 0.4 for each item: the third crosses the limit while its audit still works.
    const project = projectWith(
      audited(
        `${usage(',"cost_usd":0.3,"id":"r1","model":"own"')}; echo "$PAWL_ITEM_ID" >> judged; test "$PAWL_ITEM_ID" != i2 || sleep 60; exit 0`,
      ),
    );
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 3 });
    expect(stateOf(project).stop_reason).toMatchObject({ condition: 'MAX_COST' });
    expect(project.read('made')).toBe('i0\ni1\ni2\n');
    expect(statuses(stateOf(project))).toMatchObject({ i0: 'approved', i1: 'approved', i2: 'pending', i3: 'pending' });
    expect(stateOf(project).spend.costUsd).toBeCloseTo(1.2);
  });

  it('that spends what it does not tell is charged like the dearest attempt, or blocks the budget', async () => {
    const told = projectWith(audited(usage('')));
    expect(await told.pawl('pipeline', 'run')).toMatchObject({ status: 3 });
    const silent = projectWith(audited(usage('')).replace(/generate: .*/, `generate: { command: 'true' }`));
    expect(await silent.pawl('pipeline', 'run')).toMatchObject({ status: 5 });
    // One that speaks of no spend has none.
    expect(await projectWith(audited('true')).pawl('pipeline', 'run')).toMatchObject({ status: 0 });
  });

  it.each([
    ['a verdict before its spend', `echo '{"verdict":"rejected"}'; ${usage(',"cost_usd":0.01')}`],
    ['a verdict after its spend', `${usage(',"cost_usd":0.01')}; echo '{"verdict":"rejected"}'`],
    ['a verdict on the line of its spend', usage(',"cost_usd":0.01,"verdict":"rejected"')],
    ['a verdict that has figures', `echo '{"verdict":"rejected","cost_usd":9}'; ${usage(',"cost_usd":0.01')}`],
  ])('that tells %s is understood in both', async (_what, audit) => {
    const project = projectWith(audited(audit));
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    const state = stateOf(project);
    expect(new Set(Object.values(statuses(state)))).toEqual(new Set(['rejected']));
    expect(state.spend.costUsd).toBeCloseTo(0.66);
  });

  it('that rejects is not asked again', async () => {
    const project = projectWith(`
items: [a, b]
generate: { command: 'true' }
audit: test "$PAWL_ITEM_ID" = b || exit 10
retry: { stop_conditions: { max_reject_rate: 1 } }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    const state = stateOf(project);
    expect(statuses(state)).toEqual({ a: 'rejected', b: 'approved' });
    expect(state.frame_states['a']?.attempts).toHaveLength(1);
  });
});

describe('the generator', () => {
  it('that hangs is ended with everything it started, and tried again', async () => {
    const project = projectWith(`
items: [a]
generate:
  command: test "$PAWL_ATTEMPT" = 2 && exec touch "$PAWL_OUTPUT"; (setsid sleep 61.7 &) ; sleep 61.7
  output: out/{{item.id}}
  timeout: 400ms
retry: { backoff: 0, stop_conditions: { max_retry_rate: 1 } }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(stateOf(project).frame_states['a']?.attempts[0]?.reasons).toEqual(['GENERATOR_TIMED_OUT']);
    expect(commandLines().filter((line) => line.includes('61.7'))).toEqual([]);
  });

  it('that makes no output, or a folder, has made nothing', async () => {
    const project = projectWith(`
items: [nothing, folder]
generate: { command: 'test "$PAWL_ITEM_ID" = nothing || mkdir "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }
retry: { max_attempts: 1, stop_conditions: { max_reject_rate: 1 } }
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    const { frame_states } = stateOf(project);
    expect(frame_states['nothing']?.attempts[0]?.reasons).toEqual(['OUTPUT_MISSING']);
    expect(frame_states['folder']?.attempts[0]?.reasons).toEqual(['OUTPUT_NO_FILE']);
  });

  it('that spends what nobody knows blocks a budget, and one that tells is held to it', async () => {
    const told = `echo '{"pawl":"usage","cost_usd":0.4,"input_tokens":1,"output_tokens":1}'`;
    const project = projectWith(`
items: [${numbers(10).join(', ')}]
generate: { command: ${JSON.stringify(`${told}; test "$PAWL_ITEM_ID" != i2 || sleep 60`)} }
limits: [{ max_cost: 1 }]
`);
    const outcome = await project.pawl('pipeline', 'run');
    expect({ ...outcome, cost: stateOf(project).stop_reason?.condition }).toMatchObject({
      status: 3,
      cost: 'MAX_COST',
    });
    expect(stateOf(project).statistics['frames_approved']).toBe(2);
    const silent = projectWith(`
items: [a, b]
generate: { command: 'true' }
limits: [{ max_cost: 1 }]
`);
    expect(await silent.pawl('pipeline', 'run')).toMatchObject({ status: 5 });
  });

  it('that its provider refuses waits and is tried again, and that costs the item no attempt', async () => {
    const limit = `echo "{\\"pawl\\":\\"limit\\",\\"limit\\":\\"usage-limit\\",\\"resets_at\\":$(( $(date +%s) + 3 ))}"`;
    const project = projectWith(`
items: [a, b, c]
generate: { command: ${JSON.stringify(`echo "$PAWL_ITEM_ID" >> tried; test -e open || { ${limit}; until test $(wc -l < tried) -ge 2; do sleep 0.02; done; touch open; exit 1; }`)} }
concurrency: 2
retry: { max_attempts: 1 }
`);
    const outcome = await project.pawl('pipeline', 'run', '--json');
    expect(outcome).toMatchObject({ status: 0 });
    expect(outcome.stdout).toContain('"type":"waiting-started"');
    expect(linesIn(project, 'tried').toSorted()).toEqual(['a', 'a', 'b', 'b', 'c']);
    const { frame_states, statistics } = stateOf(project);
    expect(frame_states['a']?.attempts).toHaveLength(1);
    expect(statistics['retry_rate']).toBe(0);
  });

  it('that is not logged in blocks the run at once', async () => {
    const project = projectWith(`
items: [${numbers(9).join(', ')}]
generate: { command: 'echo "$PAWL_ITEM_ID" >> tried; echo "{\\"pawl\\":\\"error\\",\\"kind\\":\\"auth\\",\\"message\\":\\"log in\\"}"; exit 1' }
`);
    const outcome = await project.pawl('pipeline', 'run');
    expect(outcome).toMatchObject({ status: 5 });
    expect(outcome.stdout).toContain('not logged in');
    expect(linesIn(project, 'tried')).toEqual(['i0']);
  });

  it('may be an agent with a prompt for each item, which is told what the audit said', async () => {
    const project = projectWith(
      `
items: { file: lines.csv }
generate:
  agent: { command: ./translate.sh }
  prompt: |
    Translate {{item.text}} to {{output}}. {{ braces }} stay.
  output: out/{{item.id}}.txt
audit: grep -q again "$PAWL_OUTPUT" || { echo '{"verdict":"retry","reasons":["TOO_STIFF"]}'; exit 1; }
concurrency: 2
retry: { backoff: 0, stop_conditions: { max_retry_rate: 1 } }
`,
      {
        'lines.csv': 'id,text\n1,"Hello, you"\n2,Bye\n',
        'translate.sh': '#!/bin/sh\ncat > "$PAWL_OUTPUT"; test "$PAWL_ATTEMPT" = 1 || echo again >> "$PAWL_OUTPUT"\n',
      },
    );
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(project.read('out/1.txt')).toMatch(
      /^Translate Hello, you to \/.*\/1\.txt\. \{\{ braces \}\} stay\.\n\nAttempt 1 was not approved: TOO_STIFF\.\n/,
    );
  });

  it('and hostile ids do no harm', async () => {
    const ids = [
      '; touch pwned',
      '$(touch pwned)',
      '`touch pwned`',
      "'; touch pwned; '",
      '" ; touch pwned ; "',
      'a\nb',
      '🦆',
      '-rf',
      '\\',
      '%s',
      '*',
      '~',
    ];
    const project = projectWith(`
items: ${JSON.stringify([...ids, 'x'.repeat(4000)])}
generate:
  command: printf '%s\\0' "$PAWL_ITEM_ID" "<$PAWL_ITEM_ID>" "$(printf %s "$PAWL_ITEM_ID")" >> got
concurrency: 1
`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(existsSync(join(project.path, 'pwned'))).toBe(false);
    const expected = [...ids, 'x'.repeat(4000)].map((id) => `${id}\0<${id}>\0${id}\0`).join('');
    expect(project.read('got')).toBe(expected);
  });
});

describe('killed', () => {
  /** Twenty-four items, eight at a time: all but the first eight wait for a file. */
  const manifest = `
items: [${numbers(24).join(', ')}]
generate:
  command: echo "$PAWL_ITEM_ID" >> started; case "$PAWL_ITEM_ID" in ${numbers(8).join('|')});; *) until test -e go; do sleep 0.02; done;; esac; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"; echo "$PAWL_ITEM_ID" >> made
  output: out/{{item.id}}
concurrency: 8
`;

  it('with eight in flight, it loses nothing and makes nothing twice that was approved', async () => {
    const project = projectWith(manifest);
    const runner = start(project);
    await until(() => linesIn(project, 'made').length >= 8 && linesIn(project, 'started').length >= 16);
    runner.kill('SIGKILL');
    await once(runner, 'exit');
    project.write('go', '');
    const before = eventsOf(project);
    const ended = before.filter(({ type }) => type === 'item-ended').map(({ item }) => item);
    const resumed = await project.pawl('pipeline', 'run', '--resume');
    expect(resumed).toMatchObject({ status: 0 });
    const state = stateOf(project);
    expect(state).toMatchObject({ run_status: 'completed', statistics: { frames_approved: 24, retry_rate: 0 } });
    expect(readdirSync(join(project.path, 'out'))).toHaveLength(24);
    const after = eventsOf(project).slice(before.length);
    const started = after.filter(({ type }) => type === 'attempt-started').map(({ item }) => item);
    expect(started.filter((id) => ended.includes(id))).toEqual([]);
    expect(new Set(started).size).toBe(started.length);
    expect(ended.length + after.filter(({ type }) => type === 'item-ended').length).toBe(24);
    const interrupted = Object.values(state.frame_states).filter((frame) => frame.interrupted === 1);
    expect(interrupted.length).toBeGreaterThan(0);
  });

  it('by a signal, it stops at once, and goes on later', async () => {
    const project = projectWith(manifest);
    const runner = start(project);
    await until(() => linesIn(project, 'started').length >= 16);
    runner.kill('SIGTERM');
    const [status] = (await once(runner, 'exit')) as [number];
    expect(status).toBe(130);
    project.write('go', '');
    expect(stateOf(project)).toMatchObject({
      run_status: 'stopped',
      stop_reason: { condition: 'OPERATOR' },
      resumable: true,
    });
    expect(await project.pawl('pipeline', 'run', '--resume')).toMatchObject({ status: 0 });
    expect(readdirSync(join(project.path, 'out'))).toHaveLength(24);
  });

  it('and steered from another terminal, it pauses and goes on', async () => {
    // What is in flight waits until the pause is asked for, on however slow a machine.
    const project = projectWith(manifest);
    const runner = start(project);
    await until(() => linesIn(project, 'started').length === 16);
    expect(await project.pawl('pause')).toMatchObject({ status: 0 });
    project.write('go', '');
    await until(async () => (await project.pawl('status')).stdout.includes('Paused'));
    expect(linesIn(project, 'started')).toHaveLength(16);
    expect(linesIn(project, 'made')).toHaveLength(16);
    expect((await project.pawl('steer', 'left')).stderr).toContain('cannot steer a pipeline');
    expect(await project.pawl('unpause')).toMatchObject({ status: 0 });
    const [status] = (await once(runner, 'exit')) as [number];
    expect(status).toBe(0);
    expect(linesIn(project, 'started')).toHaveLength(24);
  });
});

describe('an output', () => {
  it('that was approved and not yet moved when the runner died is put into its place', async () => {
    // The folder cannot be made: the run breaks between approval and move, as in a crash.
    const project = projectWith(`
items: [a, b]
generate: { command: 'echo "$PAWL_ITEM_ID" >> made; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }
`);
    project.write('out', 'a file in the way');
    const broken = await project.pawl('pipeline', 'run');
    expect(broken).toMatchObject({ status: 1 });
    expect(stateOf(project)).toMatchObject({ run_status: 'error', resumable: true, resume_from_frame: 0 });
    rmSync(join(project.path, 'out'));
    expect(await project.pawl('pipeline', 'run', '--resume')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('a\nb\n');
    expect(project.read('out/a')).toBe('a\n');
  });

  it('that somebody removed before it was moved is made again', async () => {
    const project = projectWith(`
items: [a]
generate: { command: 'echo "$PAWL_ITEM_ID" >> made; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }
retry: { backoff: 0, stop_conditions: { max_retry_rate: 1 } }
`);
    project.write('out', 'a file in the way');
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 1 });
    rmSync(join(project.path, 'out'));
    rmSync(join(project.path, '.ralph', 'runs', runIds(project)[0] ?? '', 'items'), { recursive: true });
    expect(await project.pawl('pipeline', 'run', '--resume')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('a\na\n');
    expect(project.read('out/a')).toBe('a\n');
  });
});

describe('a manifest', () => {
  const refused = async (manifest: string, ...words: readonly string[]): Promise<CliOutcome> => {
    const outcome = await projectWith(manifest).pawl(
      ...(words.length === 0 ? ['check', 'pipeline.yaml'] : ['pipeline', ...words]),
    );
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    return outcome;
  };

  it.each([
    ['an empty list', 'items: []\ngenerate: { command: x }\n', /pipeline\.yaml:1:8 items: there is no item/],
    ['no match', 'items: { glob: "*.none" }\ngenerate: { command: x }\n', /no file matches/],
    [
      'the same id twice',
      'items: [a, b, a]\ngenerate: { command: x }\n',
      /pipeline\.yaml:1:15 .*"a" appears twice; first at pipeline\.yaml:1:9/,
    ],
    [
      'an id that leads out',
      'items: [../../x]\ngenerate: { command: x, output: "out/{{item.id}}" }\n',
      /pipeline\.yaml:1:9 .*is outside the folder out/,
    ],
    ['an absolute id', 'items: [/etc/x]\ngenerate: { command: x, output: "{{item.id}}" }\n', /is outside the folder/],
    [
      'a name that is too long',
      `items: [${'x'.repeat(300)}]\ngenerate: { command: x, output: "out/{{item.id}}" }\n`,
      /too long for a file name/,
    ],
    [
      'one output for two',
      'items: [{ id: a, n: 1 }, { id: b, n: 1 }]\ngenerate: { command: x, output: "out/{{item.n}}" }\n',
      /is the output of "a" too/,
    ],
    [
      'an unknown key',
      'items: [a]\ngenerate: { command: x }\nretri: {}\n',
      /pipeline\.yaml:3:1 retri: unknown key.*retry/,
    ],
    [
      'a rate above 1',
      'items: [a]\ngenerate: { command: x }\nretry:\n  stop_conditions:\n    max_reject_rate: 2\n',
      /pipeline\.yaml:5:22 retry\.stop_conditions\.max_reject_rate: must be a number from 0 to 1/,
    ],
    ['nobody who makes anything', 'items: [a]\ngenerate: { output: "o/{{item.id}}" }\n', /needs command, or agent/],
    [
      'an unknown name',
      'items: [a]\ngenerate: { command: x, output: "o/{{itm.id}}" }\n',
      /unknown name \{\{itm\.id\}\}/,
    ],
    [
      'a field that is not there',
      'items: [a]\ngenerate: { command: "x $PAWL_ITEM_SIZE" }\n',
      /the item "a" has no field for \$PAWL_ITEM_SIZE/,
    ],
    [
      'a name in braces in a command',
      `items: [a]\ngenerate: { command: "x '{{item.id}}'" }\n`,
      /write "\$PAWL_ITEM_ID"/,
    ],
    [
      'a condition of a loop',
      'items: [a]\ngenerate: { command: x }\nlimits: [{ no_progress: 3 }]\n',
      /pipeline\.yaml:3:10 limits\[0\]: no_progress judges the iterations of a loop/,
    ],
    ['a file that is not there', 'items: { file: none.csv }\ngenerate: { command: x }\n', /none\.csv: no such file/],
    ['no YAML', 'items: [a\n', /pipeline\.yaml:\d+:\d+/],
  ])('with %s is refused with its place', async (_what, manifest, message) => {
    expect((await refused(manifest)).stderr).toMatch(message);
    expect((await refused(manifest, 'run')).stderr).toMatch(message);
  });

  it('whose commands nobody has confirmed is not run', async () => {
    const project = projectWith('items: { command: "touch listed; echo a" }\ngenerate: { command: "touch made" }\n');
    delete project.env['PAWL_TRUST'];
    const outcome = await project.pawl('pipeline', 'run');
    expect(outcome).toMatchObject({ status: 2 });
    expect(outcome.stderr).toMatch(/lists the items.*touch listed/);
    expect(await project.pawl('check', 'pipeline.yaml')).toMatchObject({ status: 0 });
    expect(existsSync(join(project.path, 'listed'))).toBe(false);
    expect(await project.pawl('pipeline', 'run', '--trust')).toMatchObject({ status: 0 });
  });

  it.each([
    ['jsonl', 'frames.jsonl', '{"name":"a","size":1}\n{"name":"b","size":2}\n', 'name'],
    ['csv', 'frames.csv', 'name,size\n"a",1\nb,"2"\n', 'name'],
    ['json', 'frames.json', '[{"name":"a","size":1},{"name":"b","size":2}]', 'name'],
    ['tsv', 'frames.tsv', 'name\tsize\na\t1\nb\t2\n', 'name'],
  ])('takes its items from %s', async (_kind, file, content, id) => {
    const project = projectWith(
      `items: { file: ${file}, id: ${id} }\ngenerate: { command: 'echo "$PAWL_ITEM_ID"-"$PAWL_ITEM_SIZE" >> made' }\n`,
      { [file]: content },
    );
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('a-1\nb-2\n');
  });

  it('takes its items from files, and from a command', async () => {
    const project = projectWith(
      `items: { glob: 'src/**/*.txt' }\ngenerate: { command: 'cp "$PAWL_ITEM_PATH" "$PAWL_OUTPUT"', output: 'out/{{item.dir}}/{{item.stem}}.md' }\n`,
      { 'src/a.txt': 'A', 'src/deep/b.txt': 'B' },
    );
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(project.read('out/src/deep/b.md')).toBe('B');
    project.write(
      'pipeline.yaml',
      `items: { command: 'seq 1 3' }\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made' }\n`,
    );
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('1\n2\n3\n');
  });

  it('that has changed is refused with what is different, and accepted on request', async () => {
    const manifest = (
      items: string,
      command = 'echo "$PAWL_ITEM_ID" >> made; test -e fixed || test "$PAWL_ITEM_ID" = a',
    ) => `items: [${items}]\ngenerate: { command: ${JSON.stringify(command)} }\nretry: { max_attempts: 1 }\n`;
    const project = projectWith(manifest('a, b, c, d'));
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    project.write('fixed', '');
    // What changes nothing that is made is no change.
    project.write('pipeline.yaml', `${manifest('a, b, c, d')}concurrency: 2\n# a remark\n`);
    expect(await project.pawl('pipeline', 'run', '--resume', '--dry-run')).toMatchObject({ status: 0 });
    project.write('pipeline.yaml', manifest('a, b, c, e', 'echo new-"$PAWL_ITEM_ID" >> made'));
    const outcome = await project.pawl('pipeline', 'run', '--resume');
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/\+ items .*"e"\n\s+- items .*"d"\n\s+~ generate\.command/);
    expect(await project.pawl('pipeline', 'run', '--resume', '--accept-manifest')).toMatchObject({ status: 4 });
    expect(project.read('made')).toBe('a\nb\nnew-c\nnew-e\n');
    expect(statuses(stateOf(project))).toEqual({
      a: 'approved',
      b: 'failed',
      c: 'approved',
      d: 'withdrawn',
      e: 'approved',
    });
    expect(await project.pawl('pipeline', 'run', '--resume', '--redo', 'b')).toMatchObject({ status: 0 });
  });

  it('runs only what was asked for, and shows what it would make', async () => {
    const project = projectWith(`items: [a, b, c]\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made' }\n`);
    const dry = await project.pawl('pipeline', 'run', '--dry-run');
    expect(dry).toMatchObject({ status: 0, stderr: '' });
    expect(dry.stdout).toContain('3 items');
    expect(existsSync(join(project.path, '.ralph'))).toBe(false);
    expect(await project.pawl('pipeline', 'run', '--only', 'b')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('b\n');
    const typo = await project.pawl('pipeline', 'run', '--only', 'bb');
    expect(typo).toMatchObject({ status: 2 });
    expect(typo.stderr).toContain('there is no item "bb"');
    expect(await project.pawl('pipeline', 'run', '--redo', 'b')).toMatchObject({ status: 2 });
  });

  it('goes on with some of the items that are left, and then with the others', async () => {
    const project = projectWith(
      `items: [a, b, c, d]\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made' }\nretry: { circuit_breaker: 1 }\n`,
    );
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 4 });
    const some = await project.pawl('pipeline', 'run', '--resume', '--only', 'd', '--circuit-breaker', '50');
    expect(some).toMatchObject({ status: 3 });
    expect(some.stdout).toMatch(/2 items left out\s+by\s+--only/);
    expect(await project.pawl('pipeline', 'run', '--resume', '--circuit-breaker', '50')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('a\nd\nb\nc\n');
  });

  it('tells who is to be told, and runs no loop', async () => {
    const project = projectWith(`items: [a]\ngenerate: { command: 'true' }\nnotify: { command: 'cat > told' }\n`);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(JSON.parse(project.read('told'))).toMatchObject({ event: 'completed', runId: stateOf(project).run_id });
    for (const command of ['list', 'status', 'show', 'logs', 'diff']) {
      const { stdout, stderr } = await project.pawl(command);
      expect(stdout + stderr).not.toMatch(/undefined|NaN|should not have happened/);
    }
  });
});

const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

it.runIf(canMount)('a full disk ends the run with a clear message, and nothing recorded is lost', () => {
  const project = projectWith(`
items: { command: seq 1 100 }
generate: { command: 'head -c 50000 /dev/zero > "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }
retry: { backoff: 0, max_attempts: 1 }
concurrency: 4
`);
  const mounted = join(project.home, 'small');
  mkdirSync(mounted);
  const kept = join(project.home, 'kept');
  const mount = `mount -t tmpfs -o size=2m,mode=777 tmpfs "${mounted}" && cp pipeline.yaml "${mounted}" && cd "${mounted}"`;
  const script = `${mount} && { "$@"; echo "exit $?"; }; cp -a "${mounted}" "${kept}"; cd / && umount "${mounted}"`;
  const outcome = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', process.execPath, cli.bin, 'pipeline', 'run'], {
    cwd: project.path,
    env: project.env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(outcome.stdout).toMatch(/exit [14]\n/);
  expect(outcome.stdout + outcome.stderr).toMatch(/disk is full|No space|no space|halt|in a row/i);
  const run = readdirSync(join(kept, '.ralph', 'runs'))[0] ?? '';
  const journal = readFileSync(join(kept, '.ralph', 'runs', run, 'journal.jsonl'), 'utf8');
  const ended = [...journal.matchAll(/"item":"(\d+)","index":\d+,"status":"approved"/g)].map(([, id]) => id ?? '');
  expect(ended.length).toBeGreaterThan(10);
  for (const id of ended) expect(readFileSync(join(kept, 'out', id)).length).toBe(50_000);
  writeFileSync(join(kept, 'done'), '');
});
