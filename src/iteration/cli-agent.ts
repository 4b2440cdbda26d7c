import { randomUUID } from 'node:crypto';
import { createReadStream, realpathSync } from 'node:fs';
import type { AgentAdapter, AgentEnvironment, Invocation, Sidecar } from '../agents/adapter.js';
import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import { addSpend, largerSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { createLineSplitter, type Line } from '../process/line-splitter.js';
import { type Ending, supervise } from '../process/supervise.js';
import type { Agent, AgentEnd, AgentListener, AgentTask } from './agent.js';
import { AgentStream, ReportMerger } from './agent-stream.js';
import { createPatience } from './patience.js';
import { tailSidecar } from './tail-sidecar.js';

const RECORD_LINE_BYTES = 4 * 1024 * 1024;

export interface CliAgentOptions {
  readonly adapter: AgentAdapter;
  readonly agent: AgentSpec;
  readonly workingDir: string;
  readonly environment: AgentEnvironment;
}

/** An agent made of a CLI's adapter and a supervised process. */
export function createCliAgent(options: CliAgentOptions): Agent {
  const { adapter } = options;
  const { name, usage, canResume, tellsResult } = adapter;
  return {
    name,
    usage,
    canResume,
    tellsResult,
    contextOfRequests: adapter.context === 'requests',
    run: (task, listener, signal) => invoke(options, task, listener, signal),
    recordedUsage: (session, since) => recordedUsage(options, session, since),
  };
}

/** How an agent is called for a task: what is spawned, and what a dry run shows. */
export function invocationFor(
  { adapter, agent, workingDir, environment }: CliAgentOptions,
  { prompt, session, budgetUsd }: Pick<AgentTask, 'prompt' | 'session' | 'budgetUsd'>,
): Invocation {
  return adapter.invocation(agent, {
    prompt,
    workingDir,
    session,
    newSession: randomUUID(),
    budgetUsd,
    environment,
  });
}

async function invoke(
  { adapter, agent, workingDir, environment }: CliAgentOptions,
  task: AgentTask,
  listener: AgentListener,
  signal: AbortSignal,
): Promise<AgentEnd> {
  const { idleTimeoutMs } = task;
  const invocation = invocationFor({ adapter, agent, workingDir, environment }, task);
  const { command, args, env, input } = invocation;
  const patience = createPatience({ idleTimeoutMs, onEnd: (cause) => supervised.kill(cause) });
  const stream = new AgentStream(adapter, invocation, (event) => {
    patience.saw(event);
    listener.onEvent(event);
  });
  const supervised = supervise({
    command,
    args,
    cwd: workingDir,
    env,
    input,
    cookie: task.cookie,
    claimKey: task.claimKey,
    signals: adapter.signals,
    graceMs: adapter.graceMs,
    timeoutMs: task.timeoutMs,
    signal,
    cutOff: task.cutOff,
    onSpawn: (process) => listener.onSpawn(process),
    onLife: () => patience.sawLife(),
    onLine: (line, source) => {
      listener.onLine(line, source);
      const text = readable(line);
      if (text !== undefined) stream.read(text, source);
    },
  });
  const ending = await supervised.ended;
  patience.end();
  await stream.end();
  return endOf(ending);
}

/** A message that is too long to be kept whole cannot be read: nobody knows whose words are in it. */
function readable({ text, omittedBytes, tail = '' }: Line): string | undefined {
  if (omittedBytes === 0) return text;
  return text.trimStart().startsWith('{') ? undefined : `${text}\n[…]\n${tail}`;
}

function endOf({ cause, exitCode, signal, error, stragglers, survivors, wasCutOff }: Ending): AgentEnd {
  return { cause, exitCode, signal, error, stragglers, survivors: survivors.length, spentOn: wasCutOff };
}

/**
 * The record repeats all requests of the process, more than the account remembers one by one: together they are its
 * total. What cannot be read was not recorded.
 */
async function recordedUsage(options: CliAgentOptions, session: string, since: string): Promise<readonly AgentEvent[]> {
  const events = await readSessionRecord(options, session, since);
  const isRequest = (event: AgentEvent): event is AgentEventOf<'usage'> =>
    event.kind === 'usage' && event.scope === 'request';
  return [...totalsOf(events.filter(isRequest)), ...events.filter((event) => !isRequest(event))];
}

/** One total for each model, or for all together where a request names none. */
function totalsOf(requests: readonly AgentEventOf<'usage'>[]): readonly AgentEventOf<'usage'>[] {
  const byId = new Map<string, AgentEventOf<'usage'>>();
  for (const [index, request] of requests.entries()) {
    const key = request.id ?? `\0${index}`;
    byId.set(key, { ...request, spend: largerSpend(byId.get(key)?.spend ?? {}, request.spend) });
  }
  const isNamed = requests.every(({ model }) => model !== undefined);
  const byModel = new Map<string | undefined, Spend>();
  for (const { model, spend } of byId.values()) {
    const name = isNamed ? model : undefined;
    byModel.set(name, addSpend(byModel.get(name) ?? NOTHING_SPENT, spend));
  }
  return [...byModel].map(([model, spend]) => ({
    kind: 'usage',
    scope: 'session-total',
    model,
    spend,
  }));
}

async function readSessionRecord(
  { adapter, workingDir, environment, agent }: CliAgentOptions,
  session: string,
  since: string,
): Promise<readonly AgentEvent[]> {
  const { env } = adapter.invocation(agent, { prompt: '', workingDir, environment });
  const sidecar = adapter.sidecar?.(session, { environment: env });
  if (sidecar !== undefined) return readSidecar(sidecar, since);
  const record = adapter.sessionRecord?.(session, { workingDir: realpathSync(workingDir), environment: env });
  if (record === undefined) return [];
  const events: AgentEvent[] = [];
  const splitter = createLineSplitter(({ text }) => events.push(...record.parse(text, since)), RECORD_LINE_BYTES);
  try {
    for await (const chunk of createReadStream(record.path)) splitter.write(chunk as Buffer);
    splitter.end();
  } catch {
    return events;
  }
  return events;
}

async function readSidecar(sidecar: Sidecar, since: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  const reports = new ReportMerger();
  const onEvent = (event: AgentEvent): void => {
    if (reports.pass(event, 'file') !== undefined) events.push(event);
  };
  await tailSidecar({ sidecar, since, onEvent }).end();
  return [...events, ...reports.end()];
}
