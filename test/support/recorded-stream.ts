import { readdirSync, readFileSync } from 'node:fs';
import type { AgentAdapter } from '../../src/agents/adapter.js';
import type { AgentEvent, AgentEventOf } from '../../src/model/agent-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import type { Spend } from '../../src/model/usage.js';
import { begin, end, started, stateAfter, used } from './record.js';

const STREAMS = new URL('../fixtures/streams/', import.meta.url);

export function recordingsOf(agent: string): readonly string[] {
  return readdirSync(new URL(`${agent}/`, STREAMS))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.replace('.jsonl', ''))
    .sort();
}

/** Every line that was printed, of all recordings. */
export function linesOf(agent: string): readonly string[] {
  return recordingsOf(agent)
    .flatMap((name) => textOf(agent, name).split('\n'))
    .filter((line) => line !== '');
}

/** What an adapter makes of a recording, with what went to standard error before it. */
export function recordedEvents(adapter: AgentAdapter, name: string, now = new Date()): readonly AgentEvent[] {
  const meta = JSON.parse(readFileSync(new URL(`${adapter.name}/${name}.meta.json`, STREAMS), 'utf8')) as Meta;
  const reader = adapter.reader?.({ now: () => now }) ?? { read: (line: string) => adapter.parse(line), end: () => [] };
  return [
    ...meta.stderr.split('\n').flatMap((line) => adapter.parseError?.(line) ?? []),
    ...textOf(adapter.name, name)
      .split('\n')
      .flatMap((line) => reader.read(line)),
    ...reader.end(),
  ];
}

interface Meta {
  readonly stderr: string;
}

function textOf(agent: string, name: string): string {
  return readFileSync(new URL(`${agent}/${name}.jsonl`, STREAMS), 'utf8');
}

export function eventsOf<K extends AgentEvent['kind']>(
  events: readonly AgentEvent[],
  kind: K,
): readonly AgentEventOf<K>[] {
  return events.filter((event): event is AgentEventOf<K> => event.kind === kind);
}

/** What the fold makes of all reports of these iterations together. */
export function spendOf(...iterations: readonly (readonly AgentEvent[])[]): Spend {
  const drafts = iterations.flatMap((events, index) => [
    begin(index + 1),
    ...eventsOf(events, 'usage').map(({ kind: _kind, spend, ...report }) =>
      used(spend, { model: undefined, ...report }),
    ),
    end(index + 1),
  ]);
  return totalSpend(stateAfter(started(), ...drafts).spend);
}

/** The same as input, output, and the agent's own cost. */
export function countedUsage(...iterations: readonly (readonly AgentEvent[])[]): readonly (number | undefined)[] {
  const spend = spendOf(...iterations);
  const { inputTokens, outputTokens, costUsd } = spend;
  return [inputTokens, outputTokens, costUsd === undefined ? undefined : Math.round(costUsd * 1e6) / 1e6];
}

/** Everything that matters of a recording, in one line each. */
export function digestOf(events: readonly AgentEvent[]) {
  return {
    usage: countedUsage(events),
    said: eventsOf(events, 'text').map(({ text }) => text),
    tools: eventsOf(events, 'tool-call').map((call) => call.name),
    answers: eventsOf(events, 'tool-result').map(({ failed }) => (failed ? 'failed' : 'ok')),
    results: eventsOf(events, 'result').map(({ outcome }) => outcome),
    errors: eventsOf(events, 'error').map(({ error }) => error),
    limits: eventsOf(events, 'limit').map(({ limit, resetsAt }) => `${limit} ${resetsAt ?? 'unknown'}`),
    retries: eventsOf(events, 'retry').map(({ error, attempt }) => `${error} ${attempt}`),
    denied: eventsOf(events, 'permission-denied').map(({ tool }) => tool),
    sessions: new Set(eventsOf(events, 'session').map(({ id }) => id)).size,
  };
}

/** A recording of which nothing is to be told beside what a table says. */
export const QUIET = {
  said: [] as readonly string[],
  tools: [] as readonly string[],
  answers: [] as readonly string[],
  results: [] as readonly string[],
  errors: [] as readonly string[],
  limits: [] as readonly string[],
  retries: [] as readonly string[],
  denied: [] as readonly string[],
  sessions: 1,
};
