import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter, used } from '../../test/support/record.js';
import { runContext } from '../../test/support/run-context.js';
import { claudeAgent } from '../agents/claude/index.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { NewEvent } from '../model/run-event.js';
import { totalSpend } from '../model/spend-account.js';
import { createCliAgent } from './cli-agent.js';
import { createNarration } from './narrate.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-recorded-usage-')));
afterAll(() => rmSync(home, { recursive: true }));

const MODEL = 'claude-sonnet-4-5';
const CALLS = Array.from({ length: 100 }, (_, index) => `m${index}`);

it('a long iteration whose runner crashed is not counted twice when the transcript is read', async () => {
  const { spec } = resolveConfig({ agent: { name: 'claude', model: MODEL }, trackFileChanges: false });
  const environment = { HOME: home, CLAUDE_CONFIG_DIR: home };
  const agent = createCliAgent({ adapter: claudeAgent, agent: spec.agent, workingDir: home, environment });
  const transcript = claudeAgent.sessionRecord?.('s', { workingDir: home, environment })?.path ?? '';
  mkdirSync(dirname(transcript), { recursive: true });
  const line = (id: string) =>
    JSON.stringify({
      type: 'assistant',
      timestamp: '2026-03-01T00:00:01Z',
      message: { id, model: MODEL, content: [], usage: { input_tokens: 1000, output_tokens: 10 } },
    });
  writeFileSync(transcript, [...CALLS, 'after the last record'].map(line).join('\n'));

  const later: NewEvent[] = [];
  const run = runContext({ spec, record: (event) => later.push(event), now: () => Date.parse('2026-03-01') });
  const narration = createNarration(run, { prompt: '' });
  for (const event of (await agent.recordedUsage?.('s', '2026-03-01T00:00:00Z')) ?? []) narration.tell(event);
  narration.end();

  const reported = (id: string): Draft =>
    used({ inputTokens: 1000, outputTokens: 10, costUsd: 0.00315 }, { id, model: MODEL });
  const before = [
    ...CALLS.slice(0, 30).map(reported),
    used({ inputTokens: 30_000, outputTokens: 300 }, { scope: 'turn', model: undefined }),
    ...CALLS.slice(30).map(reported),
  ];
  const total = totalSpend(stateAfter(started(), begin(1), ...before, ...(later as Draft[]), end(1)).spend);
  expect(total).toMatchObject({ inputTokens: 101_000, outputTokens: 1010, costUsd: expect.closeTo(0.31815) });
});
