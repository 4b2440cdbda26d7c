import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { shortId } from '../../../words/short-id.js';
import { runProgram } from '../program.js';

let tree = '';
let runId = '';

const usage = (costUsd: number) =>
  `echo '{"pawl":"usage","model":"m","input_tokens":100,"output_tokens":10,"cost_usd":${costUsd}}'`;

const GENERATE = `#!/bin/sh\n${usage(0.1)}\ntouch "$PAWL_OUTPUT"\n`;
const AUDIT = `#!/bin/sh
${usage(0.1)}
test "$PAWL_ITEM_ID" = a || { echo 'its left ear is missing'; exit 1; }
`;

const MANIFEST = `
items: [a, b]
generate: { command: ./generate.sh, output: 'out/{{item.id}}' }
audit: ./audit.sh
retry: { max_attempts: 1, stop_conditions: { min_items: 9 } }
limits: [{ max_cost: 5 }]
`;

async function pawl(...words: readonly string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runProgram([...words, '--cwd', tree], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

function executable(name: string, text: string): void {
  writeFileSync(join(tree, name), text);
  chmodSync(join(tree, name), 0o755);
}

beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), 'pawl-pipeline-records-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(tree, 'nothing'));
  vi.stubEnv('XDG_STATE_HOME', join(tree, 'state'));
  vi.stubEnv('PAWL_TRUST', '1');
  executable('generate.sh', GENERATE);
  executable('audit.sh', AUDIT);
  writeFileSync(join(tree, 'pipeline.yaml'), MANIFEST);
  expect(await pawl('pipeline', 'run', '--quiet')).toMatchObject({ exitCode: 4 });
  const [run] = JSON.parse((await pawl('list', '--json')).out);
  ({ runId } = run);
});
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(tree, { recursive: true });
});

describe('a recorded pipeline', () => {
  it('tells of an item what the run was charged for it, its audit included', async () => {
    expect((await pawl('show', runId, 'a')).out).toMatch(/^ {2}spent +\$0\.20, 220 tokens$/m);
    const [{ spend }] = JSON.parse((await pawl('show', runId, 'a', '--json')).out).attempts;
    expect(spend.costUsd).toBeCloseTo(0.2);
  });

  it('shows what an audit without reasons printed, wherever it tells of the item', async () => {
    expect((await pawl('logs', runId)).out).toMatch(/retry +b {2}attempt 1: its left ear is missing$/m);
    expect((await pawl('show', runId)).out).toMatch(/b failed.* 1 attempt: its left ear is missing$/m);
  });

  it('has no snapshots to compare, and says so', async () => {
    const { exitCode, err } = await pawl('diff', runId);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/pipeline.*no snapshots/);
  });

  it('that is not live is gone on with by a command that has the flags that are named', async () => {
    const { err } = await pawl('extend', runId, '--circuit-breaker', '90');
    expect(err).toContain('pawl pipeline run starts another');
    expect((await pawl('extend', runId, '--circuit-breaker', 'x')).err).toContain('--circuit-breaker: must be a whole');
  });

  it('is not told by pawl resume to use flags that pawl resume does not have', async () => {
    const command = `pawl pipeline run --resume ${shortId(runId)} --cwd ${tree}`;
    expect((await pawl('resume', runId)).err).toContain(`${command} --redo ID processes an item again`);
    writeFileSync(join(tree, 'pipeline.yaml'), MANIFEST.replace('[a, b]', '[a, b, c]'));
    try {
      const { exitCode, err } = await pawl('resume', runId);
      expect(exitCode).toBe(2);
      expect(err).toContain(`${command} --accept-manifest`);
    } finally {
      writeFileSync(join(tree, 'pipeline.yaml'), MANIFEST);
    }
  });

  it('counts attempts in the help of its limits', async () => {
    const terminal = recordingTerminal();
    const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    try {
      await runProgram(['pipeline', 'run', '--help'], contextOf(terminal));
      const help = `${terminal.out()}${written.mock.calls.map(([text]) => String(text)).join('')}`;
      expect(help).toMatch(/--max-iterations <N> +at most this many attempts/);
    } finally {
      written.mockRestore();
    }
  });
});

describe('a pipeline that waits between two attempts', () => {
  const waiting = MANIFEST.replace('max_attempts: 1', 'max_attempts: 3, backoff: 40s').replace('[a, b]', '[b]');

  it('says so in status, takes another circuit breaker, and is resumed without a folder where it stands', async () => {
    writeFileSync(join(tree, 'pipeline.yaml'), waiting);
    const run = pawl('pipeline', 'run', '--quiet');
    try {
      await vi.waitFor(
        async () => expect((await pawl('status')).out).toMatch(/^ {2}waiting +b waits, attempt 2 in \d+s$/m),
        { timeout: 60_000, interval: 100 },
      );
      const [held] = JSON.parse((await pawl('status', '--json')).out).waitingItems;
      expect(held).toMatchObject({ item: 'b', attempt: 2 });
      const { out, err } = await pawl('extend', '--circuit-breaker', '90');
      expect({ out, err }).toMatchObject({ out: expect.stringMatching(/has a new limit: .*90/), err: '' });
      expect((await pawl('status')).out).toMatch(/^ {2}thresholds +1 of 90 attempts$/m);
      expect((await pawl('pipeline', 'run')).err).toContain('waits until it has ended');
    } finally {
      await pawl('stop', '--now');
      await run;
    }
    writeFileSync(join(tree, 'pipeline.yaml'), waiting.replace('40s', '1ms'));
    vi.spyOn(process, 'cwd').mockReturnValue(tree);
    const terminal = recordingTerminal();
    await runProgram(['resume', '--quiet'], contextOf(terminal));
    expect(terminal.out()).toMatch(/^ {2}next +redo: +pawl pipeline run --resume \S+ --redo b$/m);
    expect(terminal.out()).not.toContain('--cwd');
  });
});
