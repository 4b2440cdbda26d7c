import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
  appendFileSync,
  chmodSync,
  renameSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countedUsage, eventsOf } from '../../test/support/recorded-stream.js';
import type { AgentAdapter, Sidecar } from '../agents/adapter.js';
import { claudeAgent } from '../agents/claude/index.js';
import { codexAgent } from '../agents/codex/index.js';
import { copilotAgent } from '../agents/copilot.js';
import { geminiAgent } from '../agents/gemini.js';
import { qwenAgent } from '../agents/qwen.js';
import type { AgentEvent } from '../model/agent-event.js';
import { AgentStream, type SidecarTail, tailSidecar } from './agent-stream.js';

const THREAD = '01a1df39-d19f-78a0-ba82-97bb56078b87';
const STARTED = JSON.stringify({ type: 'thread.started', thread_id: THREAD });
const FAILED = JSON.stringify({ type: 'turn.failed', error: { message: 'no' } });
const tokens = (input: number) => ({ input_tokens: input, output_tokens: input / 10 });
const completed = (input: number) => JSON.stringify({ type: 'turn.completed', usage: tokens(input) });
let home: string;
let events: AgentEvent[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-stream-'));
  events = [];
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const streamOf = (adapter: AgentAdapter) =>
  new AgentStream(adapter, { env: { HOME: home } }, (event) => events.push(event));

/** The requests of a thread, by their input, as its rollout has them. */
function writeRollout(...inputs: readonly number[]): void {
  const folder = join(home, '.codex', 'sessions', '2026', '11', '15');
  mkdirSync(folder, { recursive: true });
  let total = 0;
  const lines = inputs.map((input, index) => {
    total += input;
    const payload = { response_id: `r${index}`, usage: tokens(input), thread_token_usage: tokens(total) };
    return JSON.stringify({ timestamp: '2999-01-01T00:00:00.000Z', type: 'token_usage_record', payload });
  });
  writeFileSync(join(folder, `rollout-2026-11-15T00-00-00-${THREAD}.jsonl`), lines.map((line) => `${line}\n`).join(''));
}

async function run(...lines: readonly string[]): Promise<void> {
  const stream = streamOf(codexAgent);
  for (const line of lines) stream.read(line, 'stdout');
  await stream.end();
}

const scopes = () => eventsOf(events, 'usage').map(({ scope }) => scope);

describe('a stream with a file beside it', () => {
  it('a total that comes before its requests does not count them twice', async () => {
    writeRollout(100, 200);
    await run(STARTED, completed(300));
    expect(scopes()).toEqual(['request', 'request', 'session-total']);
    expect(countedUsage(events)).toEqual([300, 30, undefined]);
  });

  it('a turn without a total of its own counts by its requests, and leaves the total of its session', async () => {
    writeRollout(100, 200);
    await run(STARTED);
    expect(eventsOf(events, 'usage').at(-1)).toMatchObject({ scope: 'session-total', session: THREAD });
    expect(countedUsage(events)).toEqual([300, 30, undefined]);
  });

  it.each([
    [[100], 300],
    [[100, 200], 100],
  ])('where the record and the stream differ, the larger counts: %j and %d', async (requests, total) => {
    writeRollout(...requests);
    await run(STARTED, completed(total));
    expect(countedUsage(events)).toEqual([300, 30, undefined]);
    expect(eventsOf(events, 'usage').at(-1)?.spend.inputTokens).toBe(300);
  });

  it('a file that is not there leaves the total of the stream, under the session', async () => {
    await run(STARTED, completed(300));
    expect(eventsOf(events, 'usage')).toMatchObject([{ scope: 'session-total', session: THREAD }]);
  });

  it('a turn that failed without a request in its record is known to have used nothing', async () => {
    writeRollout();
    await run(STARTED, FAILED);
    expect(countedUsage(events)).toEqual([0, 0, 0]);
  });

  it('a turn that failed without a record, or did not tell how it went, has used nobody knows what', async () => {
    await run(STARTED, FAILED);
    writeRollout();
    await run(STARTED);
    expect(scopes()).toEqual([]);
  });
});

describe('a stream that shows some of the requests in the file next to it', () => {
  const SESSION = '9a5e9aba-8440-4ecb-a5c5-6e937fb1cce6';
  const INIT = JSON.stringify({ type: 'system', subtype: 'init', session_id: SESSION });
  const shown = (input: number) =>
    JSON.stringify({ type: 'assistant', message: { id: `m${input}`, content: [], usage: tokens(input) } });
  const result = (input: number) =>
    JSON.stringify({ type: 'result', subtype: 'success', session_id: SESSION, usage: tokens(input) });

  function writeRecord(...inputs: readonly number[]): void {
    const folder = join(home, '.qwen', 'projects', 'tree', 'chats');
    mkdirSync(folder, { recursive: true });
    const lines = inputs.map((input, index) => {
      const { input_tokens: input_token_count, output_tokens: output_token_count } = tokens(input);
      const uiEvent = {
        'event.name': 'qwen-code.api_response',
        response_id: `r${index}`,
        input_token_count,
        output_token_count,
      };
      return JSON.stringify({ timestamp: '2999-01-01T00:00:00.000Z', systemPayload: { uiEvent } });
    });
    writeFileSync(join(folder, `${SESSION}.jsonl`), lines.map((line) => `${line}\n`).join(''));
  }

  async function runQwen(...lines: readonly string[]): Promise<void> {
    const stream = streamOf(qwenAgent);
    for (const line of lines) stream.read(line, 'stdout');
    await stream.end();
  }

  it('a request that both tell counts once, a hidden one too, and under the names of the file', async () => {
    writeRecord(100, 200, 200);
    await runQwen(INIT, shown(100), shown(200), result(500));
    expect(eventsOf(events, 'usage').map(({ id }) => id)).toEqual(['r0', 'r1', 'r2', undefined]);
    expect(countedUsage(events)).toEqual([500, 50, undefined]);
  });

  it('a session that was killed and then resumed counts each request once', async () => {
    writeRecord(100, 200);
    await runQwen(INIT, shown(100));
    const killed = events;
    events = [];
    writeRecord(100, 200, 300);
    await runQwen(INIT, shown(300), result(600));
    // Requests of before the start are not told again.
    const resumed = events.filter((event) => event.kind !== 'usage' || !['r0', 'r1'].includes(event.id ?? ''));
    expect(countedUsage(killed, resumed)).toEqual([600, 60, undefined]);
  });

  it('a request that the file lacks is told at the end', async () => {
    writeRecord(100);
    await runQwen(INIT, shown(100), shown(300));
    expect(eventsOf(events, 'usage').map(({ id }) => id)).toEqual(['r0', 'm300', undefined]);
  });

  it('without a file the stream is all there is: its requests, and the total with the hidden ones', async () => {
    await runQwen(INIT, shown(100), result(500));
    expect(scopes()).toEqual(['request', 'session-total']);
    expect(countedUsage(events)).toEqual([500, 50, undefined]);
  });
});

describe('a stream that shows requests without figures', () => {
  const SESSION = '9a5e9aba-8440-4ecb-a5c5-6e937fb1cce6';
  const CALL = JSON.stringify({ type: 'model.call_final_result', data: { result: 'success' } });

  async function runCopilot(filed: number, shown: number): Promise<void> {
    const folder = join(home, '.copilot', 'session-state', SESSION);
    mkdirSync(folder, { recursive: true });
    const line = (index: number) =>
      JSON.stringify({
        type: 'session.usage_record',
        timestamp: '2999-01-01T00:00:00.000Z',
        data: { usage: { inputTokens: 100, outputTokens: 10, apiCallId: `r${index}` } },
      });
    writeFileSync(
      join(folder, 'events.jsonl'),
      Array.from({ length: filed }, (_, index) => `${line(index)}\n`).join(''),
    );
    const stream = new AgentStream(copilotAgent, { env: { HOME: home }, session: SESSION }, (event) =>
      events.push(event),
    );
    for (let index = 0; index < shown; index += 1) stream.read(CALL, 'stdout');
    await stream.end();
  }

  it('those that the file has count as it tells them', async () => {
    await runCopilot(3, 2);
    expect(countedUsage(events)).toEqual([300, 30, undefined]);
  });

  it('one that the file lacks is charged like the dearest before, and is never nothing', async () => {
    await runCopilot(1, 2);
    expect(countedUsage(events)).toEqual([200, 20, undefined]);
  });
});

describe('other streams', () => {
  it('what a reader still holds is told at the end', async () => {
    const stream = streamOf(geminiAgent);
    stream.read('{"type":"message","role":"assistant","content":"Half","delta":true}', 'stdout');
    expect(events).toEqual([]);
    await stream.end();
    expect(events).toEqual([{ kind: 'text', text: 'Half' }]);
  });

  it('what goes to standard error is only read by who knows it', () => {
    streamOf(claudeAgent).read('{"type":"system","subtype":"init","session_id":"s"}', 'stderr');
    streamOf(codexAgent).read(STARTED, 'stderr');
    expect(events).toEqual([]);
    streamOf(codexAgent).read('Error: no rollout found for thread id x', 'stderr');
    expect(events).toMatchObject([{ kind: 'result', outcome: 'no-such-session' }]);
  });
});

let folder: string;
let day: string;
let file: string;
let tail: SidecarTail | undefined;
const said: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-sidecar-'));
  day = join(folder, 'sessions', '2026', '11', '15');
  file = join(day, 'rollout-abc.jsonl');
});

afterEach(async () => {
  await tail?.end();
  tail = undefined;
  said.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

/** Tells each line as a text, with its number for this reader. */
function sidecar(): Sidecar {
  return {
    folder: join(folder, 'sessions'),
    matches: (name) => name.endsWith('-abc.jsonl'),
    reader: (since) => {
      let count = 0;
      return (line): readonly AgentEvent[] => [{ kind: 'text', text: `${since} ${(count += 1)}: ${line}` }];
    },
  };
}

function follow(): SidecarTail {
  tail = tailSidecar({
    sidecar: sidecar(),
    since: 'T',
    onEvent: (event) => said.push(event.kind === 'text' ? event.text : event.kind),
  });
  return tail;
}

const seen = (...lines: readonly string[]) => expect.poll(() => said, { timeout: 60_000 }).toEqual(lines);

describe('a file beside the stream', () => {
  it('is found though it comes later, in folders that come later', async () => {
    follow();
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, 'rollout-other.jsonl'), 'not mine\n');
    writeFileSync(file, 'a\n');
    await seen('T 1: a');
  });

  it('is read as it grows, a line once it is whole', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'a\nb');
    follow();
    await seen('T 1: a');
    appendFileSync(file, 'c\nd\n');
    await seen('T 1: a', 'T 2: bc', 'T 3: d');
  });

  it('what was written last is read before the end, also a line without its end', async () => {
    mkdirSync(day, { recursive: true });
    const following = follow();
    writeFileSync(file, 'a\nb');
    expect(await following.end()).toBe(true);
    expect(said).toEqual(['T 1: a', 'T 2: b']);
  });

  it('that never comes is no fault', async () => {
    expect(await follow().end()).toBe(false);
    expect(said).toEqual([]);
  });

  it('nothing is told after the end', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'a\n');
    await follow().end();
    appendFileSync(file, 'b\n');
    expect(said).toEqual(['T 1: a']);
  });

  it('that was cut is read anew, by a reader that knows nothing of before', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'first\nsecond\n');
    follow();
    await seen('T 1: first', 'T 2: second');
    truncateSync(file);
    appendFileSync(file, 'x\n');
    await seen('T 1: first', 'T 2: second', 'T 1: x');
  });

  it('that another one takes the place of is read anew', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'first\n');
    follow();
    await seen('T 1: first');
    writeFileSync(join(day, 'new'), 'other 1\nother 2\n');
    renameSync(join(day, 'new'), file);
    await seen('T 1: first', 'T 1: other 1', 'T 2: other 2');
  });

  it('that is taken away and comes back elsewhere is found again', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'first\n');
    follow();
    await seen('T 1: first');
    rmSync(file);
    const later = join(folder, 'sessions', '2026', '11', '16');
    mkdirSync(later);
    writeFileSync(join(later, 'rollout-abc.jsonl'), 'second\n');
    await seen('T 1: first', 'T 1: second');
  });

  it('a folder by its name, or one that may not be read, is passed over', async () => {
    mkdirSync(join(day, 'rollout-abc.jsonl'), { recursive: true });
    mkdirSync(join(folder, 'sessions', '2027'));
    chmodSync(join(folder, 'sessions', '2027'), 0);
    const following = follow();
    expect(await following.end()).toBe(false);
  });

  it('a line that is too long to keep is left out, and those after it are read', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, `a\n${'x'.repeat(5 * 1024 * 1024)}\nb\n`);
    await follow().end();
    expect(said).toEqual(['T 1: a', 'T 2: b']);
  });
});
