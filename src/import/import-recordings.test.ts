import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readJournal } from '../journal/read-journal.js';
import { importedFolder } from '../journal/run-places.js';
import { listRuns } from '../journal/list-runs.js';
import { outcomeNow } from '../model/outcome.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import { findRecordings } from './find-recordings.js';
import { importRecordings, type ImportOptions, type ImportResult } from './import-recordings.js';
import type { Label } from './record-session.js';

let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-import-')));
  environment = { XDG_STATE_HOME: join(home, 'state') };
});
afterEach(() => rmSync(home, { recursive: true }));

function keep(name: string, content: string | object | readonly object[]): string {
  const path = join(home, name);
  const text = Array.isArray(content)
    ? content.map((line) => `${JSON.stringify(line)}\n`).join('')
    : typeof content === 'string'
      ? content
      : JSON.stringify(content);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

function importing(sources: readonly string[], options: Partial<ImportOptions> = {}): Promise<ImportResult> {
  return importRecordings(findRecordings(sources, home), { environment, as: 'calls', ...options });
}

interface Read {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
}

async function importedRun(path: string, options: Partial<ImportOptions> = {}): Promise<Read> {
  const { imported, refused } = await importing([path], options);
  expect(refused).toEqual([]);
  const run = listRuns(importedFolder(environment) ?? '', environment).find(
    ({ runId }) => runId === imported[0]?.runId,
  );
  const state = run?.snapshot?.state;
  if (run === undefined || state === undefined) throw new Error('nothing was imported');
  const events: RunEvent[] = [];
  for await (const event of readJournal(run.journalPath)) events.push(event);
  return { state, events };
}

const USAGE = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 50, cache_creation_input_tokens: 0 };
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

function assistant(id: string, block: object, usage: object = USAGE, more: object = {}) {
  return {
    type: 'assistant',
    session_id: 's',
    message: { id, role: 'assistant', model: 'claude-haiku-4-5', content: [block], usage },
    ...more,
  };
}
const text = (words: string) => ({ type: 'text', text: words });
const toolUse = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
const toolResult = (id: string, content: string, isError = false) => ({
  type: 'user',
  session_id: 's',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
});
const INIT = { type: 'system', subtype: 'init', session_id: 's', cwd: '/app', model: 'claude-haiku-4-5' };

describe("Claude Code's stream", () => {
  const stream = [
    INIT,
    assistant('m1', text('I look first.')),
    assistant('m1', toolUse('t1', 'npm test')),
    toolResult('t1', '==== 1 failed, 2 passed in 0.12s ====', true),
    assistant('m2', text('All done.')),
    {
      type: 'result',
      subtype: 'success',
      session_id: 's',
      result: 'All done.',
      modelUsage: {
        'claude-haiku-4-5': {
          inputTokens: 300,
          outputTokens: 30,
          cacheReadInputTokens: 100,
          cacheCreationInputTokens: 0,
          costUSD: 0.5,
        },
      },
    },
  ];

  it('becomes a run with an iteration per call; repeated usage counts once, and a total that is larger wins', async () => {
    const { state, events } = await importedRun(keep('a.jsonl', stream));
    expect(state.kind).toBe('imported');
    expect(state.iterations).toBe(2);
    expect(totalSpend(state.spend)).toMatchObject({
      inputTokens: 400,
      outputTokens: 30,
      totalTokens: 430,
      costUsd: 0.5,
    });
    expect(events.filter(({ type }) => type === 'tool-called')).toHaveLength(1);
    expect(state.faults).toBeUndefined();
    expect(state.latest.doneInWords).toBe('All done.');
    const [first] = events.flatMap((event) => (event.type === 'iteration-ended' ? [event.observation] : []));
    expect(first?.tests).toMatchObject({ failed: 1, source: 'agent' });
  });

  it('that is one iteration as a whole has the same figures', async () => {
    const { state } = await importedRun(keep('a.jsonl', stream), { as: 'runs' });
    expect(state.iterations).toBe(1);
    expect(totalSpend(state.spend)).toMatchObject({ totalTokens: 430, costUsd: 0.5 });
  });

  it('with zeros in place of usage has an unknown spend, not none', async () => {
    const lines = [INIT, assistant('m1', text('Hm.'), NO_USAGE), assistant('m2', text('Done.'), NO_USAGE)];
    const { state } = await importedRun(keep('zero.jsonl', lines));
    expect(state.iterations).toBe(2);
    expect(totalSpend(state.spend)).toEqual({});
  });

  it('with calls of a subagent between the blocks of a call counts each call once', async () => {
    const sub = { parent_tool_use_id: 't1' };
    const lines = [
      INIT,
      assistant('m1', toolUse('t1', 'explore')),
      assistant('m2', text('I am done with everything.'), USAGE, sub),
      assistant('m1', text('It works.')),
    ];
    const { state, events } = await importedRun(keep('sub.jsonl', lines));
    expect(state.iterations).toBe(2);
    expect(totalSpend(state.spend).totalTokens).toBe(2 * 160);
    expect(events.flatMap((event) => (event.type === 'agent-said' ? [event.text] : []))).toEqual(['It works.']);
  });

  it('is read from a transcript: its prompt, its times without those of the person, and what is no message', async () => {
    const at = (minute: number) => ({
      timestamp: `2026-01-01T10:${String(minute).padStart(2, '0')}:00.000Z`,
      sessionId: 's',
      cwd: '/app',
      version: '2.1.0',
    });
    const call = (id: string, words: string, minute: number) => ({ ...assistant(id, text(words)), ...at(minute) });
    const prompt = (content: string, minute: number) => ({
      type: 'user',
      message: { role: 'user', content },
      ...at(minute),
    });
    const lines = [
      { type: 'summary', summary: 'Something', leafUuid: 'x' },
      prompt('# Task\n\nKeep commas inside quotes', 0),
      call('m1', 'First.', 1),
      call('m2', 'Second.', 3),
      prompt('And now the docs', 50),
      call('m3', 'Third.', 51),
    ];
    const { state } = await importedRun(keep('transcript.jsonl', lines));
    expect(state.task).toBe('Keep commas inside quotes');
    expect(state.startedAt).toBe('2026-01-01T10:00:00.000Z');
    expect([state.iterations, state.activeMs]).toEqual([3, 4 * 60_000]);
  });
});

it('a rollout of Codex becomes a run: a call ends with its usage, and the running total is not added', async () => {
  const line = (type: string, payload: object, second: number) => ({
    timestamp: `2026-01-01T10:00:${String(second).padStart(2, '0')}.000Z`,
    type,
    payload,
  });
  const tokens = (total: number, last: number) =>
    line(
      'event_msg',
      {
        type: 'token_count',
        info: {
          total_token_usage: { input_tokens: total, output_tokens: 10, total_tokens: total + 10 },
          last_token_usage: { input_tokens: last, output_tokens: 5, total_tokens: last + 5 },
        },
      },
      9,
    );
  const lines = [
    line('session_meta', { id: 'thread', cwd: '/app', cli_version: '0.166.0' }, 0),
    line('turn_context', { model: 'gpt-5.3-codex' }, 0),
    line('event_msg', { type: 'user_message', message: 'Keep commas inside quotes' }, 0),
    line(
      'response_item',
      { type: 'function_call', name: 'shell', arguments: '{"command":["npm","test"]}', call_id: 'c1' },
      1,
    ),
    line(
      'response_item',
      { type: 'function_call_output', call_id: 'c1', output: '{"output":"1 failing","metadata":{"exit_code":1}}' },
      2,
    ),
    tokens(100, 100),
    line(
      'response_item',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'All done.' }] },
      3,
    ),
    tokens(300, 200),
    line('event_msg', { type: 'task_complete', last_agent_message: 'All done.' }, 4),
  ];
  const { state, events } = await importedRun(keep('rollout-2026-thread.jsonl', lines));
  expect(state.iterations).toBe(2);
  expect(state.task).toBe('Keep commas inside quotes');
  expect(totalSpend(state.spend)).toMatchObject({ inputTokens: 300, outputTokens: 10 });
  expect(events.find(({ type }) => type === 'tool-answered')).toMatchObject({ failed: true, output: '1 failing' });
});

describe('a document', () => {
  it('of mini-swe-agent keeps what each call cost by its own account, and that it was handed in', async () => {
    const answer = (command: string, cost: number, id: string) => ({
      role: 'assistant',
      content: `THOUGHT: next\n\n\`\`\`bash\n${command}\n\`\`\``,
      extra: {
        response: {
          id,
          model: 'google/gemini-3-pro-preview',
          created: 1_763_510_516,
          usage: { prompt_tokens: 1000, completion_tokens: 100, cost },
        },
      },
    });
    const document = {
      info: { exit_status: 'Submitted', model_stats: { instance_cost: 0.03, api_calls: 2 } },
      messages: [
        { role: 'system', content: 'You are.' },
        { role: 'user', content: '<pr_description>\nKeep commas\n</pr_description>' },
        answer('pytest', 0.01, 'a'),
        { role: 'user', content: '<returncode>1</returncode>\n<output>\n1 failed, 2 passed in 0.1s\n</output>' },
        answer('echo submit', 0.02, 'b'),
      ],
    };
    const { state, events } = await importedRun(keep('django__1.traj.json.gz', document), {
      labels: new Map<string, Label>([['django__1', 'unresolved']]),
    });
    expect(totalSpend(state.spend)).toMatchObject({ inputTokens: 2000, outputTokens: 200, costUsd: 0.03 });
    expect(state.iterations).toBe(2);
    expect(state.task).toBe('Keep commas');
    expect(state.latest.claims?.done).toBe('Submitted');
    expect(outcomeNow(state, false).word).toBe('unresolved');
    expect(events.find(({ type }) => type === 'tool-answered')).toMatchObject({ failed: true });
  });

  it('of SWE-agent has an iteration per step, and only a total', async () => {
    const step = (action: string) => ({ action, observation: 'ok', thought: 'next' });
    const info = {
      exit_status: 'submitted',
      model_stats: { instance_cost: 1.5, tokens_sent: 900, tokens_received: 100 },
    };
    const { state } = await importedRun(
      keep('x.traj', { trajectory: [step('ls'), step('submit')], history: [], info }),
    );
    expect(state.iterations).toBe(2);
    expect(totalSpend(state.spend)).toMatchObject({ totalTokens: 1000, costUsd: 1.5 });
  });

  it('of ATIF has the steps of one call in one iteration', async () => {
    const steps = [
      { source: 'user', message: 'Keep commas' },
      { source: 'agent', message: 'I look.', model_name: 'm', metrics: { prompt_tokens: 10, completion_tokens: 1 } },
      {
        source: 'agent',
        message: 'Executed Bash',
        tool_calls: [{ tool_call_id: 't', function_name: 'Bash', arguments: {} }],
        observation: { results: [{ source_call_id: 't', content: 'ok' }] },
      },
      { source: 'agent', message: 'Done.', model_name: 'm', metrics: { prompt_tokens: 20, completion_tokens: 2 } },
    ];
    const document = {
      schema_version: 'ATIF-v1.2',
      session_id: 's',
      agent: { name: 'claude-code' },
      steps,
      final_metrics: { total_prompt_tokens: 30, total_completion_tokens: 3, total_cost_usd: 0.1 },
    };
    const { state } = await importedRun(keep('t.trajectory.json', document));
    expect([state.iterations, state.agent?.name]).toEqual([2, 'claude-code']);
    expect(totalSpend(state.spend)).toMatchObject({ totalTokens: 33, costUsd: 0.1 });
  });
});

it('a time that cannot be one of a session is no time', async () => {
  const lines = ['+200000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '2026-01-01T10:00:00.000Z'].map(
    (timestamp, call) => assistant(`m${call}`, text('Hm.'), USAGE, { timestamp }),
  );
  const { state } = await importedRun(keep('times.jsonl', lines));
  expect([state.startedAt, state.iterations]).toEqual(['2026-01-01T10:00:00.000Z', 3]);
});

describe('a second import', () => {
  const lines = [INIT, assistant('m1', text('Hm.'))];

  it('leaves what has not changed, and replaces what has grown under the same id', async () => {
    const path = keep('a.jsonl', lines);
    const [first] = (await importing([path])).imported;
    expect(await importing([path])).toMatchObject({ imported: [], unchanged: 1 });
    keep('a.jsonl', [...lines, assistant('m2', text('More.'))]);
    const [second] = (await importing([path])).imported;
    expect(second).toMatchObject({ runId: first?.runId, calls: 2 });
    const later = await importing([path], { labels: new Map<string, Label>([['a', 'resolved']]) });
    expect(later.imported).toMatchObject([{ runId: first?.runId, label: 'resolved' }]);
    expect(await importing([path])).toMatchObject({ unchanged: 1 });
    expect(listRuns(importedFolder(environment) ?? '', environment)).toHaveLength(1);
  });

  it('removes what an import has left that was killed', async () => {
    const path = keep('a.jsonl', lines);
    await importing([path]);
    const runs = join(importedFolder(environment) ?? '', '.ralph', 'runs');
    mkdirSync(join(runs, '.unfinished-imported_01ARZ3NDEKTSV4RRFFQ69G5FAV-999999999'));
    await importing([path]);
    expect(readdirSync(runs).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('a file that is no recording', () => {
  it.each([
    ['empty.jsonl', '', 'it is empty'],
    ['words.txt', 'hello\n'.repeat(50), 'format is not known'],
    ['other.json', '{"a": 1}', 'format is not known'],
    ['broken.json', '{"info": {', 'neither JSON nor lines of JSON'],
    ['nested.json', '['.repeat(100_000), 'neither JSON nor lines of JSON'],
  ])('is refused where it is named, and left out in a folder: %s', async (name, content, problem) => {
    const path = keep(name, content);
    const { refused } = await importing([path]);
    expect(refused).toEqual([{ path, problem: expect.stringContaining(problem) as string }]);
    expect(await importing([home])).toMatchObject({ refused: [], ignored: 1 });
  });

  it('such as a broken gzip file is refused', async () => {
    const path = join(home, 'a.jsonl.gz');
    writeFileSync(path, gzipSync(JSON.stringify(INIT)).subarray(0, 20));
    expect((await importing([path])).refused).toEqual([{ path, problem: 'it is not a whole gzip file' }]);
  });

  it('is not found through a link, and a source is only read', async () => {
    const folder = join(home, 'sessions');
    mkdirSync(folder);
    symlinkSync('/', join(folder, 'root'));
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, `${JSON.stringify(INIT)}\n${JSON.stringify(assistant('m1', text('Hm.')))}\n`);
    utimesSync(path, 1, 1);
    const before = readFileSync(path);
    expect(await importing([folder])).toMatchObject({ imported: [{ path }], ignored: 0 });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'root']);
  });
});

it('no damage of a recording breaks an import, and what is recorded of it can be read', async () => {
  const lines = [INIT, assistant('m1', toolUse('t1', 'ls')), toolResult('t1', 'a'), assistant('m2', text('Done.'))];
  const whole = lines.map((line) => JSON.stringify(line)).join('\n');
  const damage = fc.record({ at: fc.nat(whole.length), length: fc.nat(40), by: fc.string({ maxLength: 20 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { maxLength: 4 }), async (damages) => {
      const damaged = damages.reduce(
        (now, { at, length, by }) => now.slice(0, at) + by + now.slice(at + length),
        whole,
      );
      const { imported, refused, empty } = await importing([keep('a.jsonl', damaged)]);
      expect(imported.length + refused.length + empty.length).toBe(1);
      for (const { runId } of imported) {
        const run = listRuns(importedFolder(environment) ?? '', environment).find((one) => one.runId === runId);
        expect(run?.snapshot?.state?.faults).toBeUndefined();
      }
      rmSync(join(home, 'state'), { recursive: true, force: true });
    }),
    { numRuns: 60 },
  );
});
