/** Real agent CLIs as reviewers, with a model that follows a script. */
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { endOf } from '../../src/model/phase.js';
import type { EventOf } from '../../src/model/run-event.js';
import type { RunState } from '../../src/model/run-state.js';
import { reviewSpend } from '../../src/model/spend-lanes.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { scriptedAgent } from '../../src/testing/scripted-agent.js';
import { need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { AGENT_HOMES } from '../support/model-server/agent-homes.js';
import { claudeEnvironment } from '../support/model-server/claude-environment.js';
import { ModelServer } from '../support/model-server/model-server.js';
import type { ScriptedStep, Step } from '../support/model-server/step.js';

const DONE = { text: '{"answer": "done", "reasons": ["it does what was asked"], "question": null, "alive": null}' };
const NOT_DONE = {
  text: '{"answer": "not_done", "reasons": ["the docs are missing"], "question": null, "alive": null}',
};

const NAMES = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'pi', 'copilot'] as const;
const MODEL = 'claude-sonnet-4-5';
type Name = (typeof NAMES)[number];

/** What cannot be turned off: it cannot ask without a screen, its sandbox lets nothing be written, and images are only read. */
const CODEX_TOOLS = ['request_user_input', 'apply_patch', 'view_image'];

const INSTRUCTION = 'INSTRUCTION-OF-A-FOLDER';
const INSTRUCTIONS = `
  CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md CONTEXT.md GEMINI.md QWEN.md .claude/CLAUDE.md
  .claude/agents/pawl-reviewer.md .github/copilot-instructions.md .opencode/agent/pawl-reviewer.md .pi/SYSTEM.md
  .pi/APPEND_SYSTEM.md`;

const INSTRUCTION_OF_USER = 'INSTRUCTION-OF-THE-USER';
/** In the home folder of each agent. */
const OWN_INSTRUCTIONS = `
  .claude/CLAUDE.md .codex/AGENTS.md .gemini/GEMINI.md CONFIG/opencode/AGENTS.md .qwen/QWEN.md .qwen/AGENTS.md .pi/AGENTS.md
  .pi/SYSTEM.md .pi/APPEND_SYSTEM.md .copilot/copilot-instructions.md`;
/** These cannot be told to leave them out. The guide names them. */
const WITH_OWN_INSTRUCTIONS: readonly Name[] = ['codex', 'gemini', 'opencode'];

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Everything by which some agent can be given instructions, settings or servers in a folder. */
function plantInstructions(place: string): void {
  const add = (path: string, text: string) => write(join(place, path), text);
  for (const path of INSTRUCTIONS.trim().split(/\s+/)) add(path, INSTRUCTION);
  const server = { command: 'touch', args: [join(place, 'STARTED')] };
  const hook = { matcher: '', hooks: [{ type: 'command', command: `touch ${join(place, 'STARTED')}` }] };
  const hooks = { SessionStart: [hook], UserPromptSubmit: [hook], BeforeAgent: [hook] };
  const settings = JSON.stringify({ hooks, mcpServers: { planted: server }, contextFileName: 'GEMINI.md' });
  for (const path of ['.mcp.json', '.claude/settings.json', '.gemini/settings.json', '.qwen/settings.json']) {
    add(path, settings);
  }
  const opencode = {
    instructions: ['AGENTS.md'],
    mcp: { planted: { type: 'local', command: ['touch', join(place, 'STARTED')] } },
  };
  for (const path of ['opencode.json', '.opencode/opencode.json']) add(path, JSON.stringify(opencode));
  add('.opencode/plugin/planted.js', `require('node:fs').writeFileSync(${JSON.stringify(join(place, 'STARTED'))}, '')`);
  add(
    '.codex/config.toml',
    `developer_instructions = "${INSTRUCTION}"\nmodel_instructions_file = "${join(place, 'AGENTS.md')}"\n`,
  );
  const variables = ['GEMINI_SYSTEM_MD', 'QWEN_SYSTEM_MD'].map((name) => `${name}=${join(place, 'AGENTS.md')}\n`);
  for (const path of ['.env', '.gemini/.env', '.qwen/.env']) add(path, variables.join(''));
}

async function play(name: Name, steps: readonly ScriptedStep[], context: TestContext, review: object = {}) {
  const program = need(name, context);
  const folder = realpathSync(await mkdtemp(join(tmpdir(), `pawl-review-${name}-`)));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const server = await ModelServer.start({ steps, fallback: steps.at(-1), isWithoutTools: true });
  onTestFinished(() => server.close());
  const workingDir = join(folder, 'tree');
  mkdirSync(workingDir);
  writeFileSync(join(workingDir, 'code.txt'), 'one\n');
  // What an agent would obey that runs here, or in a folder below: the state of the run is in one.
  const above = join(folder, 'above');
  for (const place of [workingDir, above]) plantInstructions(place);
  for (const path of OWN_INSTRUCTIONS.trim().split(/\s+/)) write(join(folder, path), INSTRUCTION_OF_USER);
  const home =
    name === 'claude'
      ? { environment: claudeEnvironment(server, folder), args: [], model: MODEL }
      : AGENT_HOMES[name](server, folder);
  const edit = { calls: 0 };
  const agent = scriptedAgent([
    {
      events: [{ kind: 'text', text: 'PAWL: DONE' }],
      work: () => writeFileSync(join(workingDir, 'code.txt'), `one ${(edit.calls += 1)}\n`),
    },
  ]);
  const runner = new LoopRunner(
    {
      workingDir,
      prompt: 'Handle quotes.',
      iterationDelay: 0,
      tests: 'echo "ok 1 - a"; echo 1..1',
      maxIterations: 3,
      // It reports no price for a model that it does not know.
      prices: { [`scripted/${MODEL}`]: { input: 3, output: 15 } },
      review: { agent: name, command: [program], args: home.args, model: home.model ?? MODEL, maxCost: 5, ...review },
    },
    { agent, environment: { ...home.environment, XDG_STATE_HOME: join(above, 'state') } },
  );
  const reviews: EventOf<'review-ended'>[] = [];
  runner.subscribe((event) => {
    if (event.type === 'review-ended') reviews.push(event);
    if (event.type === 'waiting-started') setImmediate(() => void runner.send({ type: 'resume' }));
  });
  await runner.run();
  const { runState: state } = runner;
  const started = [workingDir, above].filter((place) => existsSync(join(place, 'STARTED')));
  return { state, end: endOf(state), reviews, agent, server, started };
}

/** What reviews have cost, as Pawl and as the server counts. Not every API reports what was written to the cache. */
const counted = ({ spend }: RunState) => reviewSpend(spend)?.totalTokens ?? 0;
/** With what a request had used that broke off, as far as it was told. */
const served = ({ told: { input, output, cacheRead, cacheWrite } }: ModelServer) =>
  input + cacheRead + cacheWrite + output;

describe.each(NAMES)('%s as a reviewer', (name) => {
  it('refuses with reasons, which are in the next prompt, and agrees; it has no tools, and reads nothing of the tree', async (context) => {
    const asked: string[] = [];
    const keep =
      (step: Step): ScriptedStep =>
      (request) => {
        asked.push(JSON.stringify(request.messages));
        return step;
      };
    const steps = [{ text: 'Looks good to me!' }, NOT_DONE, DONE].map(keep);
    const { end, state, server, reviews, agent, started } = await play(name, steps, context);
    expect(reviews.map(({ problem, opinion }) => problem?.kind ?? opinion?.answer)).toEqual([
      'silent',
      'not_done',
      'done',
    ]);
    expect(end?.class).toBe('goal');
    expect(agent.tasks).toHaveLength(2);
    expect(agent.tasks[1]?.prompt).toContain('- the docs are missing');
    expect(asked).toHaveLength(3);
    expect(asked[0]).toContain('Handle quotes.');
    expect(server.bodies.join('')).not.toContain(INSTRUCTION);
    expect(server.bodies.join('').includes(INSTRUCTION_OF_USER)).toBe(WITH_OWN_INSTRUCTIONS.includes(name));
    expect(started).toEqual([]);
    expect([...new Set(server.tools.flat())]).toEqual(name === 'codex' ? CODEX_TOOLS : []);
    expect(counted(state)).toBe(served(server));
    expect(Math.min(...reviews.map(({ costUsd = 0 }) => costUsd))).toBeGreaterThan(0);
  });
});

describe.each<Name>(['claude', 'codex'])('%s as a reviewer', (name) => {
  it('a login that is refused needs you at once', async (context) => {
    const { end, agent, reviews, state, server } = await play(name, [{ fault: 'auth' }], context);
    expect(reviews.map(({ problem }) => problem?.kind)).toEqual(['auth']);
    expect(end).toMatchObject({ class: 'blocked' });
    expect(end?.reasons[0]?.message).toMatch(/^the review could not be made: the reviewer is not logged in/);
    expect(agent.tasks).toHaveLength(1);
    expect(counted(state)).toBe(served(server));
  });

  it('a hang is ended', async (context) => {
    const steps = [{ fault: 'hang' }, DONE] as const;
    const { reviews, end, agent, state, server } = await play(name, steps, context, { timeout: '4s' });
    expect(reviews[0]?.problem).toMatchObject({ kind: 'silent' });
    expect(end?.class).toBe('goal');
    expect(agent.tasks).toHaveLength(1);
    expect(counted(state)).toBe(served(server));
  });

  it('over its budget it is not asked again', async (context) => {
    const { reviews, end, agent, state, server } = await play(name, [NOT_DONE], context, { maxCost: 0.001 });
    expect(server.requests).toHaveLength(1);
    expect(counted(state)).toBe(served(server));
    expect(reviews.at(-1)?.problem?.kind).toBe('budget');
    expect(end).toMatchObject({ class: 'blocked' });
    expect(end?.reasons[0]?.message).toContain('review.max_cost');
    expect(agent.tasks).toHaveLength(1);
  });

  it('at its usage limit it is waited for, and no iteration is paid for meanwhile', async (context) => {
    const { reviews, end, agent, state, server } = await play(name, [{ fault: 'usage-limit' }, DONE], context);
    expect(reviews.map(({ problem, opinion }) => problem?.kind ?? opinion?.answer)).toEqual(['limit', 'done']);
    expect(end?.class).toBe('goal');
    expect(agent.tasks).toHaveLength(1);
    expect(counted(state)).toBe(served(server));
  });
});

describe.each<readonly [Name, tries: number]>([
  ['claude', 3],
  ['codex', 1],
])('%s as a reviewer at a rate limit that outlasts its own tries', (name, tries) => {
  it('is waited for and asked again, and no iteration is paid for meanwhile', async (context) => {
    const limited = Array.from({ length: tries }, () => ({ fault: 'rate-limit' }) as const);
    const { reviews, end, agent, state, server } = await play(name, [...limited, DONE], context);
    expect(reviews.map(({ problem, opinion }) => problem?.kind ?? opinion?.answer)).toEqual(['overload', 'done']);
    expect(end?.class).toBe('goal');
    expect(agent.tasks).toHaveLength(1);
    expect(counted(state)).toBe(served(server));
  });
});

describe('codex as a reviewer', () => {
  it('cannot write with the tool that it keeps', async (context) => {
    const place = join(tmpdir(), `pawl-review-wrote-${process.pid}`);
    const input = { input: `*** Begin Patch\n*** Add File: ${place}\n+written\n*** End Patch` };
    const { end, server } = await play('codex', [{ tool: { name: 'apply_patch', input } }, DONE], context);
    expect(server.requests).toHaveLength(2);
    expect(existsSync(place)).toBe(false);
    expect(end?.class).toBe('goal');
  });
});

describe('pawl run --goal TEXT --review claude, without a config', () => {
  it('is judged by Claude Code alone, and says so', async (context) => {
    const program = need('claude', context);
    const server = await ModelServer.start({ steps: [NOT_DONE, DONE], isWithoutTools: true });
    onTestFinished(() => server.close());
    const cli = new BuiltCli('goal');
    onTestFinished(() => cli.remove());
    const project = new CliProject(cli, { agent: 'n=$(cat ../n 2>/dev/null); echo "x$n" > ../n; cp ../n work.txt' });
    const { PATH, ...login } = claudeEnvironment(server, project.home);
    Object.assign(project.env, login, { PATH: `${dirname(program)}:${PATH}` });
    const goal = 'the importer handles quotes, and the docs say so';
    const words = ['-p', 'Handle quotes.', '--goal', goal, '--review', 'claude', '--max-cost', '0', '--delay', '0'];
    const ran = await project.pawlProcess('run', ...words, '--', './agent.sh');
    const told = `${ran.stdout} ${ran.stderr}`.replaceAll(/\s+/g, ' ');
    expect(told).toContain('the review says not done');
    expect(told).toContain('the docs are missing');
    expect(told).toMatch(/Done after 2 iterations: the review agrees: "it does what was asked"/);
    expect(told).toContain(`Goal, judged by the review and not verified: "${goal}"`);
    expect(ran.status).toBe(0);
    expect(server.requests).toHaveLength(2);
    const { review } = JSON.parse((await project.pawl('status', '--json')).stdout);
    expect(review.spend.totalTokens).toBe(served(server));
  });
});
