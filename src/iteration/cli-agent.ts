import { randomUUID } from 'node:crypto';
import { createReadStream, realpathSync } from 'node:fs';
import type { AgentAdapter, AgentEnvironment, Invocation, Sidecar } from '../agents/adapter.js';
import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentSpec, RunSpec } from '../model/run-spec.js';
import { addSpend, largerSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { createLineSplitter, type Line } from '../process/line-splitter.js';
import { type Ending, supervise } from '../process/supervise.js';
import type { Agent, AgentEnd, AgentListener, AgentTask } from './agent.js';
import { AgentStream, ReportMerger, tailSidecar } from './agent-stream.js';
import { adapterOf, type AgentFunctions } from '../agents/agent-functions.js';
import { AGENT_NAMES, findAdapter } from '../agents/find-adapter.js';
import { mappedAgent } from '../agents/mapped.js';
import type { AgentDefinition } from '../model/agent-definition.js';
import { ConfigError } from '../model/errors.js';
import { didYouMean } from '../model/nearest.js';
import { findProgram, whyNotRunnable } from '../process/run-tool.js';
import { shortId } from './agent-tools.js';

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

/** A message that is too long to be kept whole cannot be read: no one knows whose words are in it. */
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

/**
 * The agent that a spec names, or the one that is defined. Throws ConfigError when there is no such agent, or its program
 * cannot be run.
 */
export function createAgent(
  { agent, workingDir }: RunSpec,
  environment: AgentEnvironment,
  defined?: DefinedAgent,
): Agent {
  const adapter = defined?.adapter ?? knownAdapter(agent);
  checkProgram(adapter, { agent, workingDir }, environment);
  const made = createCliAgent({ adapter, agent, workingDir, environment });
  return defined === undefined ? made : neverRejecting(made);
}

/** Throws ConfigError when there is no such agent. */
export function knownAdapter(agent: RunSpec['agent']): AgentAdapter {
  const adapter = adapterFor(agent);
  if (adapter === undefined) {
    const hint = didYouMean(agent.name, AGENT_NAMES) || `; known are ${AGENT_NAMES.join(', ')}`;
    throw problem('agent.name', `there is no agent ${JSON.stringify(agent.name)}${hint}`);
  }
  if (adapter.name === 'command' && (agent.command ?? []).length === 0) {
    throw problem('agent.command', 'no command: give it after --, or as agent.command');
  }
  return adapter;
}

/** Functions of the user's own were right at the start and may still throw later. */
function neverRejecting(agent: Agent): Agent {
  const notStarted = (error: unknown): AgentEnd => ({
    cause: 'not-started',
    error: error instanceof Error ? error.message : String(error),
    stragglers: 0,
    survivors: 0,
  });
  return { ...agent, run: (task, listener, signal) => agent.run(task, listener, signal).catch(notStarted) };
}

function adapterFor({ name, definition }: RunSpec['agent']): AgentAdapter | undefined {
  return definition === undefined ? findAdapter(name) : mappedAgent(definition);
}

function checkProgram(
  adapter: AgentAdapter,
  { agent, workingDir }: Pick<RunSpec, 'agent' | 'workingDir'>,
  environment: AgentEnvironment,
): void {
  const { command, env } = adapter.invocation(agent, { prompt: '', workingDir, environment });
  if (findProgram(command, workingDir, env['PATH']) !== undefined) return;
  const isFile = command.includes('/');
  const why = isFile ? `: ${whyNotRunnable(command, workingDir)}` : '';
  const hint = agent.command === undefined && !isFile ? `: is ${agent.name} installed?` : why;
  const isOwn = agent.command === undefined && agent.definition !== undefined;
  const path = isOwn ? `agents.${agent.name}.command` : 'agent.command';
  throw problem(path, `${command} is not a program that can be run${hint}`);
}

function problem(path: string, message: string): ConfigError {
  return new ConfigError([{ path, message }]);
}

export type { AgentFunctions } from '../agents/agent-functions.js';
export type { AgentRequest, Invocation } from '../agents/adapter.js';

/** An agent CLI that is described and not yet made: it becomes an agent with the spec and the environment of a run. */
export interface DefinedAgent {
  readonly kind: 'defined-agent';
  readonly name: string;
  readonly adapter: AgentAdapter;
  /** Present when it is data: a run then records it. */
  readonly definition?: AgentDefinition | undefined;
}

export function definedByFunctions(functions: AgentFunctions): DefinedAgent {
  const adapter = adapterOf(functions);
  return Object.freeze({ kind: 'defined-agent', name: adapter.name, adapter });
}

export function definedByData(definition: AgentDefinition): DefinedAgent {
  return Object.freeze({
    kind: 'defined-agent',
    name: definition.name,
    adapter: mappedAgent(definition),
    definition,
  });
}

export function isDefined(agent: Agent | DefinedAgent | undefined): agent is DefinedAgent {
  return agent !== undefined && 'kind' in agent && agent.kind === 'defined-agent';
}

/** The spec of a run with that agent: its record says who did the work. */
export function withDefined(spec: RunSpec, agent: Agent | DefinedAgent | undefined): RunSpec {
  if (!isDefined(agent)) return spec;
  const { definition: _other, ...rest } = spec.agent;
  const { name, definition } = agent;
  return { ...spec, agent: { ...rest, name, ...(definition === undefined ? {} : { definition }) } };
}

/** How long an agent may live on after it has said that it is done. */
const AFTER_RESULT_MS = 10_000;
/** Tools that are open at once; whether one is more or less does not matter then. */
const MOST_OPEN_TOOLS = 1000;

interface Patience {
  /** It printed something. */
  sawLife(): void;
  saw(event: AgentEvent): void;
  end(): void;
}

/**
 * Ends an agent that shows nothing for too long, or that does not leave after its result. A tool may be silent for as
 * long as the iteration lasts; so may an agent that continues working after a result.
 */
export function createPatience(options: {
  readonly idleTimeoutMs: number;
  readonly onEnd: (cause: 'idle' | 'lingering') => void;
}): Patience {
  const { idleTimeoutMs, onEnd } = options;
  const openTools = new Set<string>();
  let lastLifeMs = performance.now();
  let resultAtMs: number | undefined;
  let again: NodeJS.Immediate | undefined;
  const causeNow = (): 'idle' | 'lingering' | undefined => {
    const nowMs = performance.now();
    if (resultAtMs !== undefined) return nowMs - resultAtMs >= AFTER_RESULT_MS ? 'lingering' : undefined;
    return openTools.size === 0 && nowMs - lastLifeMs >= idleTimeoutMs ? 'idle' : undefined;
  };
  const check = (): void => {
    if (causeNow() === undefined) return;
    // If the runner was held up, it has not read yet what the agent printed. Node does that before an immediate.
    again = setImmediate(() => {
      const cause = causeNow();
      if (cause !== undefined) onEnd(cause);
    });
  };
  const timer = setInterval(check, Math.min(1000, Math.max(20, idleTimeoutMs / 4)));
  return {
    sawLife() {
      lastLifeMs = performance.now();
    },
    saw(event) {
      resultAtMs = event.kind === 'result' ? performance.now() : isWork(event) ? undefined : resultAtMs;
      if (event.kind === 'tool-call' && openTools.size < MOST_OPEN_TOOLS) openTools.add(shortId(event.id ?? ''));
      if (event.kind === 'tool-result') openTools.delete(shortId(event.id ?? ''));
    },
    end() {
      clearInterval(timer);
      clearImmediate(again);
    },
  };
}

/** Something that an agent which is done does not do. */
function isWork({ kind }: AgentEvent): boolean {
  return kind === 'text' || kind === 'tool-call' || kind === 'tool-result';
}
