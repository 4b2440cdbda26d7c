import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import type { AgentRequest } from '../../src/agents/adapter.js';
import { claudeAgent } from '../../src/agents/claude/index.js';
import type { AgentEvent, AgentEventOf } from '../../src/model/agent-event.js';
import type { AgentSpec } from '../../src/model/run-spec.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { type Ending, supervise } from '../../src/process/supervise.js';
import { need } from '../environment.js';
import { claudeEnvironment } from '../support/model-server/claude-environment.js';
import { ModelServer } from '../support/model-server/model-server.js';
import type { Fault, ScriptedStep } from '../support/model-server/step.js';
import { begin, end, started, stateAfter, used } from '../support/record.js';
import { faultsOf } from '../support/well-formed-event.js';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Scene {
  readonly server: ModelServer;
  readonly tree: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly run: (given?: Given) => Promise<Outcome>;
}

interface Given {
  readonly signal?: AbortSignal;
  readonly agent?: Partial<AgentSpec>;
  readonly request?: Partial<AgentRequest>;
  /** Ends the process as soon as this is seen. */
  readonly until?: (event: AgentEvent) => boolean;
}

interface Outcome {
  readonly events: readonly AgentEvent[];
  readonly ending: Ending;
  readonly stderr: string;
}

/** A real Claude Code in a home and a tree of its own, with a model that follows the script. */
async function scene(context: TestContext, steps: readonly ScriptedStep[], treeName = 'tree'): Promise<Scene> {
  const program = need('claude', context);
  const home = realpathSync(await mkdtemp(join(tmpdir(), 'pawl-claude-')));
  cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  // The provider answers under a longer name than the one it is asked for, as the real one does.
  const server = await ModelServer.start({ steps, nameOf: (model) => `${model}-20250929` });
  cleanups.push(() => server.close());
  const tree = join(home, treeName);
  mkdirSync(tree, { recursive: true });
  const environment = claudeEnvironment(server, home);
  return { server, tree, environment, run: (given = {}) => runClaude(program, tree, environment, given) };
}

async function runClaude(
  program: string,
  workingDir: string,
  environment: Readonly<Record<string, string>>,
  { agent, request, until, signal }: Given,
): Promise<Outcome> {
  const spec: AgentSpec = {
    name: 'claude',
    command: [program],
    args: [],
    model: 'claude-sonnet-4-5',
    env: {},
    permissions: 'edit',
    allow: [],
    ...agent,
  };
  const invocation = claudeAgent.invocation(spec, { prompt: 'Do it.', workingDir, environment, ...request });
  const events: AgentEvent[] = [];
  let stderr = '';
  const process = supervise({
    ...invocation,
    cwd: workingDir,
    cookie: randomUUID(),
    signals: claudeAgent.signals,
    graceMs: claudeAgent.graceMs,
    timeoutMs: 50_000,
    signal,
    onLine({ text }, source) {
      if (source === 'stderr') stderr += `${text}\n`;
      const fresh = source === 'stdout' ? claudeAgent.parse(text) : [];
      events.push(...fresh);
      if (until !== undefined && fresh.some(until)) process.kill('aborted');
    },
  });
  const ending = await process.ended;
  expect(events.flatMap(faultsOf)).toEqual([]);
  return { events, ending, stderr };
}

function of<K extends AgentEvent['kind']>({ events }: Outcome, kind: K): readonly AgentEventOf<K>[] {
  return events.filter((event): event is AgentEventOf<K> => event.kind === kind);
}

/** What the fold makes of the reports of these iterations, in the words of the server's own count. */
function counted(...iterations: readonly Outcome[]) {
  const drafts = iterations.flatMap((outcome, index) => [
    begin(index + 1),
    ...of(outcome, 'usage').map(({ kind: _kind, spend, ...report }) => used(spend, { model: undefined, ...report })),
    end(index + 1),
  ]);
  const spend = totalSpend(stateAfter(started(), ...drafts).spend);
  const [all = 0, cacheRead = 0, cacheWrite = 0] = [spend.inputTokens, spend.cacheReadTokens, spend.cacheWriteTokens];
  return { input: all - cacheRead - cacheWrite, output: spend.outputTokens, cacheRead, cacheWrite };
}

function sessionOf(outcome: Outcome): string {
  return of(outcome, 'session')[0]?.id ?? '';
}

describe('the real Claude Code', () => {
  it('says what it did, and used what the model server has counted', async (context) => {
    const { server, run } = await scene(context, [{ text: 'Done. COMPLETE', usage: { output: 77 } }]);
    const outcome = await run();
    expect(of(outcome, 'text')).toEqual([{ kind: 'text', text: 'Done. COMPLETE' }]);
    expect(of(outcome, 'result')).toEqual([{ kind: 'result', outcome: 'success', text: 'Done. COMPLETE' }]);
    expect(outcome.ending).toMatchObject({ cause: 'exit', exitCode: 0, stragglers: 0 });
    expect(counted(outcome)).toEqual(server.spent);
    expect(server.spent.output).toBeGreaterThanOrEqual(77);
  });

  it('edits the tree and runs what is allowed, and nothing else', async (context) => {
    const { server, tree, run } = await scene(context, []);
    const [inside, outside] = [join(tree, 'made', 'a.txt'), join(tree, '..', 'outside.txt')];
    const settings = join(tree, '.claude', 'settings.json');
    server.script(
      { writeFile: { path: inside, content: 'hello' } },
      { writeFile: { path: outside, content: 'x' } },
      { writeFile: { path: settings, content: '{}' } },
      { bash: 'touch allowed.txt' },
      { bash: 'touch allowed.txt && touch denied.txt' },
      { bash: 'cp made/a.txt made/copied.txt' },
      { text: 'Done.' },
    );
    const outcome = await run({ agent: { allow: ['touch allowed.txt'] } });
    expect(readFileSync(inside, 'utf8')).toBe('hello');
    expect([outside, settings, join(tree, 'denied.txt'), join(tree, 'made', 'copied.txt')].filter(existsSync)).toEqual(
      [],
    );
    expect(existsSync(join(tree, 'allowed.txt'))).toBe(true);
    expect(of(outcome, 'tool-result').map(({ failed }) => failed)).toEqual([false, true, true, false, true, true]);
    expect(of(outcome, 'permission-denied').map(({ tool }) => tool)).toEqual(['Write', 'Write', 'Bash', 'Bash']);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('continues its session without being charged for it twice, and its transcript agrees', async (context) => {
    // The name of the transcript's folder is a sum of the path where that is long.
    const { server, tree, environment, run } = await scene(
      context,
      [{ bash: 'pwd' }, { text: 'First.' }, { text: 'Second.', usage: { output: 5 } }],
      `${'long-'.repeat(24)}/${'name-'.repeat(24)}`,
    );
    const first = await run();
    const between = new Date().toISOString();
    const afterFirst = server.spent;
    const second = await run({ request: { session: sessionOf(first) } });
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(of(second, 'text').map(({ text }) => text)).toEqual(['Second.']);
    expect(counted(first)).toEqual(afterFirst);
    expect(counted(first, second)).toEqual(server.spent);

    const transcript = claudeAgent.sessionRecord?.(sessionOf(first), { workingDir: tree, environment });
    const lines = readFileSync(transcript?.path ?? '', 'utf8').split('\n');
    const told = (since: string): Outcome => ({
      ...first,
      events: lines.flatMap((l) => transcript?.parse(l, since) ?? []),
    });
    expect(counted(told('2000-01-01T00:00:00Z'))).toEqual(server.spent);
    expect(counted(told(between))).toEqual(counted(second));
  });

  it('what a subagent uses counts, and what it says is not the agent speaking', async (context) => {
    const input = { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose' };
    const { server, run } = await scene(context, [
      { tool: { name: 'Agent', input } },
      { text: 'COMPLETE', usage: { output: 99 } },
      { text: 'Not yet.' },
    ]);
    const outcome = await run();
    expect(of(outcome, 'text').map(({ text }) => text)).toEqual(['Not yet.']);
    expect(server.requests.length).toBeGreaterThanOrEqual(3);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('a session that does not exist is named as such', async (context) => {
    const { run } = await scene(context, []);
    const outcome = await run({ request: { session: randomUUID() } });
    expect(of(outcome, 'result').map((result) => result.outcome)).toEqual(['no-such-session']);
  });

  it('a key that is refused is told at the first attempt', async (context) => {
    const { run } = await scene(context, [{ fault: 'auth' }, { fault: 'auth' }, { fault: 'auth' }]);
    const outcome = await run({ until: ({ kind }) => kind === 'retry' });
    expect(of(outcome, 'retry')).toMatchObject([{ error: 'auth', attempt: 1 }]);
    expect(outcome.ending.cause).toBe('aborted');
  });

  it.for<[Fault, object]>([
    ['usage-limit', { kind: 'limit', limit: 'usage-limit' }],
    ['no-credit', { kind: 'error', error: 'billing' }],
    ['context-too-long', { kind: 'error', error: 'context' }],
  ])('%s ends it with the reason', async ([fault, reason], context) => {
    const { server, run } = await scene(context, [{ fault }, { fault }, { fault }]);
    const outcome = await run();
    expect(outcome.events).toContainEqual(expect.objectContaining(reason));
    expect(of(outcome, 'result').map((result) => result.outcome)).toEqual(['error']);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('a subscription at its limit tells when it opens again', async (context) => {
    const { server, tree, environment } = await scene(context, [{ fault: 'usage-limit' }]);
    const { ANTHROPIC_API_KEY: _key, ...rest } = environment;
    const subscribed = { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted' };
    const outcome = await runClaude(need('claude', context), tree, subscribed, {});
    const resetsAt = of(outcome, 'limit').map((limit) => limit.resetsAt)[0];
    expect(Date.parse(resetsAt ?? '')).toBeGreaterThan(Date.now());
    expect(server.requests.filter(({ kind }) => kind === 'main')).toHaveLength(1);
  });

  it.for<[Fault, string]>([
    ['overloaded', 'overload'],
    ['rate-limit-with-delay', 'rate'],
  ])('after %s it asks again by itself, and says so', async ([fault, error], context) => {
    const { server, run } = await scene(context, [{ fault }, { text: 'Done.' }]);
    const outcome = await run();
    expect(of(outcome, 'retry')).toMatchObject([{ error }]);
    expect(of(outcome, 'result').map((result) => result.outcome)).toEqual(['success']);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('an answer that breaks off counts as far as it came', async (context) => {
    const { server, run } = await scene(context, [{ fault: 'stream-error' }, { text: 'Done.' }]);
    const outcome = await run();
    expect(of(outcome, 'result').map((result) => result.outcome)).toEqual(['success']);
    expect(server.requests.map((request) => request.outcome)).toEqual(['broken', 'finished']);
    expect(counted(outcome)).toEqual(server.told);
  });

  it('a connection that is lost is made anew', async (context) => {
    const { server, run } = await scene(context, [{ fault: 'disconnect' }, { text: 'Done.' }]);
    const outcome = await run();
    expect(of(outcome, 'result').map((result) => result.outcome)).toEqual(['success']);
    // Whether the beginning of the lost answer was read before the connection was gone, nobody can say.
    expect([server.spent, server.told]).toContainEqual(counted(outcome));
  });

  it('what was used is known of a run that is killed, and its command dies with it', async (context) => {
    const { server, tree, run } = await scene(context, [{ bash: 'touch begun; sleep 301 & sleep 302' }]);
    const killing = new AbortController();
    const running = run({ agent: { permissions: 'bypass' }, signal: killing.signal });
    await expect.poll(() => existsSync(join(tree, 'begun')), { timeout: 60_000 }).toBe(true);
    killing.abort();
    const outcome = await running;
    expect(of(outcome, 'result')).toEqual([]);
    expect(outcome.ending).toMatchObject({ cause: 'aborted', exitCode: 143, stragglers: 0, survivors: [] });
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('an answer that hangs is ended by a signal, and its input is counted', async (context) => {
    const { server, run } = await scene(context, [{ fault: 'hang' }]);
    const outcome = await run({ until: ({ kind }) => kind === 'usage' });
    expect(outcome.ending).toMatchObject({ cause: 'aborted', exitCode: 143 });
    expect(counted(outcome)).toEqual(server.requests[0]?.tokens);
  });

  it('keeps to the budget that it is given', async (context) => {
    const usage = { input: 100_000 };
    const { run } = await scene(context, [
      { bash: 'pwd', usage },
      { bash: 'pwd', usage },
      { bash: 'pwd', usage },
    ]);
    const outcome = await run({ request: { budgetUsd: 0.2 } });
    expect(of(outcome, 'result').map((result) => result.outcome)).toEqual(['budget']);
  });

  it('as root it refuses to bypass its permissions, in words, unless the user says that it is in a sandbox', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root is refused');
    const { tree, environment } = await scene(context, []);
    const { IS_SANDBOX: _sandbox, ...bare } = environment;
    const outcome = await runClaude(need('claude', context), tree, bare, { agent: { permissions: 'bypass' } });
    expect(outcome).toMatchObject({ events: [], ending: { exitCode: 1 } });
    expect(outcome.stderr).toContain('root');
  });
});
