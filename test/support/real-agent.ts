import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext } from 'vitest';
import { findAdapter } from '../../src/agents/find-adapter.js';
import type { Agent, AgentEnd, AgentTask } from '../../src/iteration/agent.js';
import { createCliAgent } from '../../src/iteration/cli-agent.js';
import type { AgentEvent } from '../../src/model/agent-event.js';
import type { AgentSpec } from '../../src/model/run-spec.js';
import { need } from '../environment.js';
import { AGENT_HOMES, type AgentHome } from './model-server/agent-homes.js';
import { ModelServer, type ModelScript } from './model-server/model-server.js';
import { eventsOf } from './recorded-stream.js';
import { faultsOf } from './well-formed-event.js';

export interface Scene {
  readonly server: ModelServer;
  readonly program: string;
  readonly home: AgentHome;
  readonly tree: string;
  readonly agent: (spec?: Partial<AgentSpec>) => Agent;
  readonly run: (given?: Given) => Promise<Invoked>;
}

interface Given {
  readonly spec?: Partial<AgentSpec>;
  readonly task?: Partial<AgentTask>;
  /** Ends the agent as soon as this is seen. */
  readonly until?: (event: AgentEvent) => boolean;
  readonly signal?: AbortSignal;
}

export interface Invoked {
  readonly events: readonly AgentEvent[];
  readonly end: AgentEnd;
}

/** A real agent CLI in a home and a tree of its own, with a model that follows the script. */
export async function realAgent(
  name: keyof typeof AGENT_HOMES,
  script: ModelScript,
  context: TestContext,
): Promise<Scene> {
  const program = need(name, context);
  const folder = realpathSync(await mkdtemp(join(tmpdir(), `pawl-${name}-`)));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const server = await ModelServer.start(script);
  onTestFinished(() => server.close());
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const home = AGENT_HOMES[name](server, folder);
  const { environment, args, model } = home;
  const adapter = findAdapter(name) ?? expect.fail(`there is no agent ${name}`);
  const agent = (spec: Partial<AgentSpec> = {}) =>
    createCliAgent({
      adapter,
      workingDir: tree,
      environment,
      agent: { name, command: [program], args, model, env: {}, permissions: 'edit', allow: [], ...spec },
    });
  return { server, program, home, tree, agent, run: (given = {}) => invoke(agent(given.spec), given) };
}

async function invoke(agent: Agent, { task, until, signal }: Given): Promise<Invoked> {
  const events: AgentEvent[] = [];
  const killing = new AbortController();
  signal?.addEventListener('abort', () => killing.abort());
  const end = await agent.run(
    { prompt: 'Do it.', cookie: randomUUID(), timeoutMs: 50_000, idleTimeoutMs: 50_000, ...task },
    {
      onSpawn: () => undefined,
      onLine: () => undefined,
      onEvent(event) {
        events.push(event);
        if (until?.(event) === true) killing.abort();
      },
    },
    killing.signal,
  );
  expect(events.flatMap(faultsOf)).toEqual([]);
  return { events, end };
}

export const sessionOf = ({ events }: Invoked) => eventsOf(events, 'session')[0]?.id ?? '';
export const resultsOf = ({ events }: Invoked) => eventsOf(events, 'result').map(({ outcome }) => outcome);
