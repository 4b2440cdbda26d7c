import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AttackedRun } from '../../test/support/attacked-run.js';

const runs: AttackedRun[] = [];
afterAll(() => {
  for (const run of runs) run.remove();
});

const INIT = `echo '{"type":"system","subtype":"init","session_id":"s","model":"claude-sonnet-4-5-20250929"}'`;
const WORKS = [
  INIT,
  `echo '{"type":"assistant","message":{"id":"m1","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":100,"output_tokens":100}},"session_id":"s"}'`,
  `echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s","usage":{"input_tokens":100,"output_tokens":100}}'`,
  'touch DONE.md',
].join('\n');

/** A `claude` that does something else in each call, under a budget. */
async function play(...calls: readonly string[]): Promise<AttackedRun> {
  const run = new AttackedRun();
  runs.push(run);
  const count = join(run.home, 'calls');
  const cases = calls.map((call, index) => `${index + 1}) ${call} ;;`).join('\n');
  const script = `#!/bin/sh\ncat > /dev/null\necho x >> ${count}\ncase $(wc -l < ${count}) in\n${cases}\nesac\n`;
  const path = join(run.home, 'claude');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  await run.run(['bash'], {
    agent: { name: 'claude', command: [path] },
    maxIterations: 6,
    stop: { success: [{ file_created: 'DONE.md' }], limits: [{ max_cost: 1 }] },
  });
  expect(existsSync(count) && readFileSync(count, 'utf8')).not.toBe('');
  return run;
}

describe.concurrent('an agent that fails before its first answer', () => {
  it('does not end the night: nothing is known to be spent, and the record says so', async () => {
    const run = await play(
      `${INIT}; echo 'Error: getaddrinfo EAI_AGAIN' >&2; exit 1`,
      `echo 'Error: socket hang up' >&2; exit 1`,
      WORKS,
    );
    expect(run.of('run-ended')[0]).toMatchObject({ state: 'completed' });
    expect(run.ended()).toMatchObject([
      {
        outcome: 'failed',
        unanswered: true,
        error: expect.stringMatching(/before its first answer, counted as nothing spent: .*EAI_AGAIN/),
      },
      { outcome: 'failed', unanswered: true },
      { outcome: 'completed' },
    ]);
    expect(run.ended()[2]?.unanswered).toBeUndefined();
  });

  it.each([
    ['was killed', `${INIT}; kill -9 $$`],
    ['was killed, as a shell tells it', `${INIT}; echo Killed >&2; exit 137`],
    [
      'had begun to answer',
      `${WORKS.split('\n').slice(0, 1).join('')}; echo '{"type":"assistant","message":{"content":[{"type":"text","text":"I"}]}}'; echo no >&2; exit 1`,
    ],
    ['says nothing of why', `${INIT}; exit 1`],
  ])('blocks as ever when it %s: what it spent nobody knows', async (_name, call) => {
    const run = await play(call, WORKS);
    expect(run.ended()).toHaveLength(1);
    expect(run.ended()[0]?.unanswered).toBeUndefined();
    expect(run.of('run-ended')[0]).toMatchObject({
      class: 'blocked',
      reasons: [{ message: expect.stringContaining('spend unknown') }],
    });
  });
});
