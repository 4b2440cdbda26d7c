import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, type LanguageModel, type ModelMessage, stepCountIs, ToolLoopAgent, tool } from 'ai';
import { maxCost, maxIterations } from 'pawl';
import { createDeepFactorAgent } from 'pawl/agent';
import { z } from 'zod';
import { median, report, times } from './measure.js';

const SHORT = 100;
const LONG = 1050;
const ROUNDS = 9;
const LONG_ROUNDS = 3;
const SYNCS = 7;
const PROMPT = 'Take a step.';
const FEEDBACK = 'There is more to do.';
const SUMMARY = 'Some steps are taken.';
/** Of 100 tokens; a message is one. So every tenth iteration ends its conversation, on all sides alike. */
const REDLINE_PERCENT = 37.5;

const step = tool({
  description: 'Takes a step',
  inputSchema: z.object({ count: z.number() }),
  execute: ({ count }) => ({ taken: count }),
});

/** One tool call, then a word. What it says it used is the length of the conversation. */
const model: LanguageModel = {
  specificationVersion: 'v3',
  provider: 'bench',
  modelId: 'claude-sonnet-4-5',
  supportedUrls: {},
  doGenerate({ prompt }) {
    const isAsked = prompt.at(-1)?.role === 'user';
    const tokens = prompt.filter(({ role }) => role !== 'system').length;
    return Promise.resolve({
      content: isAsked
        ? [{ type: 'tool-call', toolCallId: `call-${prompt.length}`, toolName: 'step', input: '{"count":1}' }]
        : [{ type: 'text', text: 'A step is taken.' }],
      finishReason: { unified: isAsked ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
      response: { id: 'answer', modelId: 'claude-sonnet-4-5' },
    });
  },
  doStream() {
    throw new Error('nobody streams here');
  },
};

const verify = (text: string) => text === 'never';

/** The loop that everybody writes. `turn` makes the model calls of one iteration. */
async function bareLoop(
  iterations: number,
  turn: (messages: ModelMessage[]) => Promise<{ text: string; messages: ModelMessage[]; usedTokens: number }>,
): Promise<number[]> {
  const ends = [performance.now()];
  let messages: ModelMessage[] = [{ role: 'user', content: PROMPT }];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const answer = await turn(messages);
    if (verify(answer.text)) break;
    messages =
      answer.usedTokens > REDLINE_PERCENT
        ? [{ role: 'user', content: `${PROMPT}\n\n${SUMMARY}` }]
        : [...messages, ...answer.messages, { role: 'user', content: FEEDBACK }];
    ends.push(performance.now());
  }
  return spans(ends);
}

const byGenerateText = (iterations: number) =>
  bareLoop(iterations, async (messages) => {
    const { text, response, steps } = await generateText({
      model,
      tools: { step },
      messages,
      stopWhen: stepCountIs(20),
      maxRetries: 0,
    });
    return { text, messages: response.messages, usedTokens: steps.at(-1)?.usage.totalTokens ?? 0 };
  });

const byToolLoopAgent = (iterations: number) => {
  const agent = new ToolLoopAgent({ model, tools: { step }, maxRetries: 0 });
  return bareLoop(iterations, async (messages) => {
    const { text, response, steps } = await agent.generate({ messages });
    return { text, messages: response.messages, usedTokens: steps.at(-1)?.usage.totalTokens ?? 0 };
  });
};

async function byPawl(iterations: number, journal: string | false): Promise<number[]> {
  const agent = createDeepFactorAgent({
    model,
    tools: { step },
    journal,
    stopWhen: [maxIterations(iterations), maxCost(1_000)],
    verifyCompletion: ({ text }) => ({ complete: verify(text), reason: FEEDBACK }),
    contextManagement: { contextWindow: 100, redlinePercent: REDLINE_PERCENT, summarize: () => SUMMARY },
  });
  const ends: number[] = [];
  agent.subscribe(({ type }) => {
    if (type === 'run-started' || type === 'iteration-ended') ends.push(performance.now());
  });
  const { stopReason, iterations: made, state } = await agent.loop({ prompt: PROMPT });
  if (made !== iterations || ends.length !== iterations + 1) throw new Error(`the agent did not work: ${stopReason}`);
  if (state.reboots < Math.floor(iterations / 10) - 1) throw new Error('the conversation grew');
  return spans(ends);
}

async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-agent-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the disk asks for as many synced lines as an iteration has: its start and end, the messages, the probe's answer. */
function bareSyncs(iterations: number, folder: string): number[] {
  const line = Buffer.alloc(600, 'x');
  const file = openSync(join(folder, 'lines'), 'a');
  const ends = [performance.now()];
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (let sync = 0; sync < SYNCS; sync++) {
      writeSync(file, line);
      fdatasyncSync(file);
    }
    ends.push(performance.now());
  }
  closeSync(file);
  return spans(ends);
}

function spans(ends: readonly number[]): number[] {
  return ends.slice(1).map((end, index) => end - (ends[index] ?? end));
}

const LOOPS = {
  generateText: byGenerateText,
  toolLoopAgent: byToolLoopAgent,
  inMemory: (iterations: number) => byPawl(iterations, false),
  onDisk: (iterations: number) => inFolder((folder) => byPawl(iterations, folder)),
  syncs: (iterations: number) => inFolder((folder) => bareSyncs(iterations, folder)),
} as const;
type Loop = keyof typeof LOOPS;
const names = Object.keys(LOOPS) as Loop[];

/** Interleaved, so that a busy moment of the machine hits all of them. The first is the warm-up. */
async function measure<T>(iterations: number, rounds: number, figureOf: (spans: number[]) => T) {
  const samples: Record<Loop, T[]> = { generateText: [], toolLoopAgent: [], inMemory: [], onDisk: [], syncs: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const value = figureOf(await LOOPS[name](iterations));
      if (round > 0) samples[name].push(value);
    }
  }
  return samples;
}

const short = await measure(SHORT, ROUNDS, mean);
const medianOf = (name: Loop) => median(short[name]);
const [bare, toolLoop, inMemory] = [medianOf('generateText'), medianOf('toolLoopAgent'), medianOf('inMemory')];
const [disk, syncs] = [medianOf('onDisk'), medianOf('syncs')];
const figure = (ms: number) => `${ms.toFixed(2)} ms`;
report('One iteration of an agent: two model calls that take no time, one tool, a verification', [
  { what: 'a while loop around generateText', figure: figure(bare) },
  { what: 'a while loop around ToolLoopAgent', figure: figure(toolLoop) },
  { what: 'Pawl, record in memory', figure: figure(inMemory) },
  { what: 'Pawl, record on disk', figure: figure(disk) },
  { what: 'added to generateText, in memory', figure: figure(inMemory - bare) },
  { what: 'added to generateText, on disk', figure: figure(disk - bare) },
  bounded('in memory against generateText', inMemory / bare, 6),
  bounded('in memory against ToolLoopAgent', inMemory / toolLoop, 6),
  { what: `${SYNCS} bare appends, each synced`, figure: figure(syncs) },
  bounded('added by the disk, against them', (disk - inMemory) / syncs, 8),
]);

const early = await measure(LONG, LONG_ROUNDS, (all) => [median(all.slice(5, 55)), median(all.slice(1000, 1050))]);
const ratioOf = (name: Loop) => {
  const [first, last] = [0, 1].map((index) =>
    median(early[name].map((windows, round) => (windows[index] ?? 0) - (early.generateText[round]?.[index] ?? 0))),
  ) as [number, number];
  return last / first;
};
report('What Pawl adds to iterations 1,000 to 1,050 against iterations 5 to 55', [
  bounded('in memory', ratioOf('inMemory'), 1.25),
  bounded('on disk', ratioOf('onDisk'), 1.25),
]);

function bounded(what: string, ratio: number, limit: number) {
  return { what, figure: times(ratio), bound: `<= ${limit} x`, holds: ratio <= limit };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
