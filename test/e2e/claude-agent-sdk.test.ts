import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { calculateCost } from 'pawl';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { ROOT } from '../architecture/source-file.js';
import { need } from '../environment.js';
import { claudeEnvironment } from '../support/model-server/claude-environment.js';
import { ModelServer } from '../support/model-server/model-server.js';
import type { ScriptedStep } from '../support/model-server/step.js';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Outcome {
  readonly server: ModelServer;
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
}

interface Given {
  readonly steps?: readonly ScriptedStep[];
  readonly fallback?: ScriptedStep;
  readonly model?: string;
}

/** The example as a program of its own: a real SDK that drives a real Claude Code, with a model that follows the script. */
async function runExample(context: TestContext, { model = 'claude-sonnet-4-5', ...script }: Given): Promise<Outcome> {
  const [sdk, claude] = [need('claudeAgentSdk', context), need('claude', context)];
  const home = realpathSync(await mkdtemp(join(tmpdir(), 'pawl-agent-sdk-')));
  cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const server = await ModelServer.start(script);
  cleanups.push(() => server.close());
  const tree = join(home, 'tree');
  mkdirSync(tree);
  const environment = { ...claudeEnvironment(server, home), CLAUDE_PATH: claude, ANTHROPIC_MODEL: model };
  const child = spawn(process.execPath, [await bundled(sdk), 'Do it.'], { cwd: tree, env: environment });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { server, lines: stdout.trimEnd().split('\n'), stderr, code };
}

/** With the sources in place of the package, and the SDK from the cache. Beside the packages, which are not bundled. */
async function bundled(sdk: string): Promise<string> {
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.pawl-agent-sdk-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'example.mjs');
  await build({
    entryPoints: [join(ROOT, 'examples', 'claude-agent-sdk.mjs')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: { pawl: join(ROOT, 'src', 'index.ts') },
    plugins: [
      {
        name: 'sdk',
        setup(build) {
          build.onResolve({ filter: /^@anthropic-ai\/claude-agent-sdk$/ }, () => ({
            path: pathToFileURL(sdk).href,
            external: true,
          }));
        },
      },
    ],
  });
  return outfile;
}

const SUBAGENT = {
  tool: { name: 'Agent', input: { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose' } },
} as const;

describe('the recipe for the Claude Agent SDK', () => {
  const mainRequests = ({ server }: Outcome) => server.requests.filter(({ kind }) => kind === 'main').length;

  it('stops at the cost after the request that crossed it, and Claude Code does not go on behind its back', async (context) => {
    const steps = Array.from({ length: 7 }, () => ({ bash: 'true' }));
    const outcome = await runExample(context, { steps, fallback: { fault: 'hang' } });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    // 1,200 in, 3,000 read from the cache, 800 written to it, 40 out: $0.0081 a request.
    expect(outcome.lines).toEqual(['limit: $0.05 of $0.05', '7 requests, 35280 tokens, $0.0567']);
    // The next one may just have been sent.
    expect(mainRequests(outcome)).toBeLessThanOrEqual(8);
  });

  it('stops at what the agent says, and its request is counted with its true output', async (context) => {
    const steps = [{ bash: 'true' }, { text: 'DONE', usage: { output: 77 } }, { text: 'And on.' }];
    const outcome = await runExample(context, { steps });
    expect(outcome.lines).toEqual(['goal: the agent said "DONE"', '2 requests, 10117 tokens, $0.0168']);
    expect(mainRequests(outcome)).toBe(2);
  });

  it('counts what Claude Code itself counts when nothing stops it, a subagent with it', async (context) => {
    const steps = [SUBAGENT, { text: 'DONE', usage: { output: 99 } }, { text: 'Not yet.' }];
    const outcome = await runExample(context, { steps });
    // The tokens of the subagent's output are not told one by one, but their price is, in the end.
    expect(outcome.lines).toEqual(['it ended by itself', '3 requests, 15081 tokens, $0.0252']);
    const { input: fresh, output, cacheRead, cacheWrite } = outcome.server.spent;
    const usage = { inputTokens: fresh + cacheRead + cacheWrite, outputTokens: output };
    const cost = calculateCost(
      { ...usage, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite },
      'claude-sonnet-4-5',
    );
    expect(outcome.lines[1]).toContain(`$${cost?.toFixed(4)}`);
  });

  it('stops a subagent that goes on and on', async (context) => {
    const outcome = await runExample(context, { steps: [SUBAGENT], fallback: { bash: 'true' } });
    expect(outcome.lines[0]).toMatch(/^limit: \$0\.05\d* of \$0\.05$/);
    expect(mainRequests(outcome)).toBeLessThanOrEqual(9);
  });

  it('what only the end tells counts, too', async (context) => {
    const steps = [SUBAGENT, { text: 'Long.', usage: { output: 4000 } }, { text: 'Not yet.' }];
    const outcome = await runExample(context, { steps });
    expect(outcome.lines[0]).toBe('limit: $0.08 of $0.05');
  });

  it('a model without a price stops the run at a budget in dollars, after one request', async (context) => {
    const script = { steps: [{ bash: 'true' }], fallback: { fault: 'hang' } } as const;
    const outcome = await runExample(context, { ...script, model: 'a-model-of-my-own' });
    expect(outcome.lines).toEqual([
      expect.stringMatching(/^blocked: .*no price is known for a-model-of-my-own/),
      '1 requests, 5040 tokens, $NaN',
    ]);
    expect(mainRequests(outcome)).toBeLessThanOrEqual(2);
  });
});
