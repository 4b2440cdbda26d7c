import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALL } from '../../test/support/full-form.js';
import { readJournal } from '../journal/read-journal.js';
import { importedFolder } from '../journal/run-places.js';
import { listRuns } from '../journal/list-runs.js';
import { printable } from '../words/printable.js';
import { findRecordings } from './find-recordings.js';
import { importRecordings } from './import-recordings.js';

let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hostile-')));
  environment = { XDG_STATE_HOME: join(home, 'state') };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const usage = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 50 };
const at = (second: number) => `2026-01-01T10:00:0${second}.000Z`;
const claude = (id: string, content: readonly object[]) => ({
  type: 'assistant',
  sessionId: 's',
  timestamp: at(1),
  cwd: '/app',
  message: { id, role: 'assistant', model: 'claude-haiku-4-5', content, usage },
});
const tool = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };
const answer = { type: 'tool_result', tool_use_id: 't1', content: '1 failed, 2 passed in 0.1s', is_error: true };
const result = {
  type: 'result',
  subtype: 'success',
  result: 'All done.',
  total_cost_usd: 0.5,
  modelUsage: { 'claude-haiku-4-5': { inputTokens: 300, outputTokens: 30, costUSD: 0.5 } },
};
const codex = (type: string, payload: object) => ({ timestamp: at(2), type, payload });
const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };

/** Small files of each shape. */
const SHAPES: Readonly<Record<string, readonly object[] | object>> = {
  'stream.jsonl': [
    { type: 'system', subtype: 'init', session_id: 's', cwd: '/app', model: 'claude-haiku-4-5' },
    claude('m1', [tool]),
    { type: 'user', message: { role: 'user', content: [answer] } },
    claude('m2', [{ type: 'text', text: 'All done.' }]),
    result,
  ],
  'transcript.jsonl': [
    { type: 'summary', summary: 'Something', leafUuid: 'x' },
    { type: 'user', sessionId: 's', timestamp: at(0), cwd: '/app', message: { role: 'user', content: 'Keep commas' } },
    claude('m1', [{ type: 'thinking', thinking: 'hm' }, tool]),
    { type: 'user', timestamp: at(3), toolUseResult: { stdout: 'x' }, message: { role: 'user', content: [answer] } },
    claude('m2', [{ type: 'text', text: 'Done.' }]),
  ],
  'rollout-1.jsonl': [
    codex('session_meta', { id: 'thread', cwd: '/app', cli_version: '0.166.0' }),
    codex('turn_context', { model: 'gpt-5.3-codex' }),
    codex('event_msg', { type: 'user_message', message: 'Keep commas' }),
    codex('response_item', { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' }),
    codex('response_item', { type: 'function_call_output', call_id: 'c1', output: '{"output":"1 failing"}' }),
    codex('event_msg', { type: 'token_count', info: { total_token_usage: tokens, last_token_usage: tokens } }),
    codex('event_msg', { type: 'task_complete', last_agent_message: 'All done.' }),
  ],
  'a.trajectory.json': {
    schema_version: 'ATIF-v1.2',
    session_id: 's',
    agent: { name: 'claude-code', version: '1' },
    steps: [
      { source: 'user', message: 'Keep commas', timestamp: at(0) },
      {
        source: 'agent',
        message: 'I look.',
        model_name: 'm',
        tool_calls: [{ tool_call_id: 't', function_name: 'Bash', arguments: { command: 'ls' } }],
        observation: { results: [{ source_call_id: 't', content: 'ok' }] },
        metrics: { prompt_tokens: 10, completion_tokens: 1, cost_usd: 0.1 },
      },
    ],
    final_metrics: { total_prompt_tokens: 30, total_completion_tokens: 3, total_cost_usd: 0.1 },
  },
  'b.traj.json': {
    info: { exit_status: 'Submitted', model_stats: { instance_cost: 0.03, api_calls: 2 } },
    messages: [
      { role: 'user', content: 'Keep commas' },
      {
        role: 'assistant',
        content: 'next\n\n```bash\npytest\n```',
        extra: { response: { id: 'a', model: 'm', created: 1_763_510_516, usage: { prompt_tokens: 10, cost: 0.01 } } },
      },
      { role: 'user', content: '<returncode>1</returncode>\n<output>\n1 failed\n</output>' },
    ],
  },
  'c.traj': {
    trajectory: [{ action: 'ls', observation: 'ok', thought: 'next' }],
    history: [],
    info: { exit_status: 'submitted', model_stats: { instance_cost: 1.5, tokens_sent: 900, tokens_received: 100 } },
  },
};

const MARK = 'executed-by-import';
const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1e308,
    -1e308,
    Number.MAX_SAFE_INTEGER,
    '',
    [],
    {},
    'NaN',
    '\u0000',
    '\u001b[2J',
  ),
  fc.constantFrom<unknown>(`$(touch ${MARK})`, `; touch ${MARK} #`, '../../../../etc/passwd', '/dev/zero', '__proto__'),
  fc.constantFrom<unknown>(
    'x'.repeat(100_000),
    Array.from({ length: 2000 }, () => ({ type: 'text', text: 'y' })),
    deep(500),
  ),
  fc.constantFrom<unknown>(
    { __proto__: null, constructor: { prototype: 1 } },
    { toString: 1, valueOf: 1, length: -1 },
    [[[]]],
    [null, 1],
  ),
  fc.jsonValue(),
);

/** Puts a value somewhere into a tree, removes it, or puts it there twice. */
function changed(node: unknown, path: readonly number[], value: unknown, how: number): unknown {
  const [first = 0, ...rest] = path;
  if (typeof node !== 'object' || node === null || path.length === 0) return value;
  const keys = Object.keys(node);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return value;
  const inner = (node as Readonly<Record<string, unknown>>)[key];
  if (Array.isArray(node)) {
    const at = Number(key);
    if (rest.length === 0 && how === 1) return node.toSpliced(at, 1);
    if (rest.length === 0 && how === 2) return node.toSpliced(at, 0, inner, inner);
    return node.with(at, changed(inner, rest, value, how));
  }
  const others = Object.entries(node).filter(([name]) => name !== key);
  if (rest.length === 0 && how === 1) return Object.fromEntries(others);
  return Object.fromEntries([...others, [key, changed(inner, rest, value, how)]]);
}

const textOf = (tree: unknown, isLines: boolean) =>
  isLines && Array.isArray(tree) ? tree.map((line) => JSON.stringify(line)).join('\n') : JSON.stringify(tree);

const treeChange = fc.record({
  path: fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
  value: hostile,
  how: fc.nat(2),
});
const byteChange = fc.record({
  at: fc.nat(3000),
  length: fc.nat(60),
  by: fc.string({ unit: 'binary', maxLength: 12 }),
});
const mutation = fc.record({
  name: fc.constantFrom(...Object.keys(SHAPES)),
  trees: fc.array(treeChange, { maxLength: 3 }),
  bytes: fc.array(byteChange, { maxLength: 1 }),
  isPacked: fc.nat(9).map((roll) => roll === 0),
  cut: fc.option(fc.nat(3000), { freq: 8 }),
  as: fc.constantFrom('calls' as const, 'runs' as const),
});

describe('hostile recordings', () => {
  it('are imported as far as they go or refused in one clear line; nothing is executed, and memory is bounded', async () => {
    const startBytes = process.memoryUsage().rss;
    let imported = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(mutation, async ({ name, trees, bytes, isPacked, cut, as }) => {
        const tree = trees.reduce<unknown>((now, { path, value, how }) => changed(now, path, value, how), SHAPES[name]);
        const whole = bytes.reduce(
          (now, { at: place, length, by }) => now.slice(0, place) + by + now.slice(place + length),
          textOf(tree, name.endsWith('.jsonl')) ?? '',
        );
        const text = cut === null ? whole : whole.slice(0, cut);
        const path = join(home, isPacked ? `${name}.gz` : name);
        writeFileSync(path, isPacked ? gzipSync(text) : text);
        const outcome = await importRecordings(findRecordings([path], home), {
          environment,
          as,
        });
        expect(outcome.imported.length + outcome.refused.length + outcome.empty.length).toBe(1);
        for (const { problem } of outcome.refused) {
          refused += 1;
          expect(problem.length).toBeLessThan(300);
          expect(printable(problem)).toBe(problem);
          expect(problem).not.toMatch(/undefined|\[object|TypeError|Cannot read|is not a function|stack/);
        }
        for (const run of outcome.imported.length === 0
          ? []
          : listRuns(importedFolder(environment) ?? '', environment)) {
          imported += 1;
          const { state } = run.snapshot ?? {};
          expect(state?.faults).toBeUndefined();
          for await (const event of readJournal(run.journalPath)) expect(event.seq).toBeGreaterThan(0);
        }
        rmSync(path);
        rmSync(join(home, 'state'), { recursive: true, force: true });
      }),
      { numRuns: ALL ? 5000 : 200 },
    );
    expect(existsSync(join(home, MARK)) || existsSync(MARK)).toBe(false);
    expect(Math.min(imported, refused)).toBeGreaterThan(10);
    expect(process.memoryUsage().rss - startBytes).toBeLessThan(400 * 1024 * 1024);
  });
});
