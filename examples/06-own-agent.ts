import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, LoopRunner, maxCost, totalSpend } from 'pawl';

// An agent CLI that Pawl does not know. It prints JSON of its own, and the paths say what is what.
const workingDir = mkdtempSync(join(tmpdir(), 'pawl-example-'));
const lines = [
  { event: 'hello', thread: 't-1' },
  { event: 'answer', parts: [{ text: 'one step' }, { text: 'and another' }] },
  { event: 'bill', tokens: { fresh: 200, cached: 800, out: 50 }, usd: 0.02 },
  { event: 'bye', ok: true },
];
const print = lines.map((line) => `echo '${JSON.stringify(line)}'`).join('\n');
writeFileSync(join(workingDir, 'cli.sh'), `read task\n${print}\n`);

const agent = defineAgent({
  name: 'my-cli',
  command: ['sh', 'cli.sh'],
  resumeFlag: '--thread',
  events: {
    session: { when: { event: 'hello' }, id: 'thread' },
    text: { when: { event: 'answer' }, text: 'parts[*].text' },
    usage: {
      when: { event: 'bill' },
      input: 'tokens.fresh',
      cacheRead: 'tokens.cached',
      inputIncludesCache: false,
      output: 'tokens.out',
      cost: 'usd',
    },
    result: { when: { event: 'bye' }, successWhen: { ok: true } },
  },
});

const runner = new LoopRunner(
  { workingDir, prompt: 'take a step', iterationDelay: 0, stop: { failure: [], limits: [maxCost(0.05)] } },
  { agent },
);
runner.subscribe((event) => {
  if (event.type === 'session-opened') console.log(`${event.session}, ${event.resumed ? 'gone on with' : 'new'}`);
  if (event.type === 'agent-said') console.log(event.text.replace('\n', ' '));
});
const { reasons } = await runner.run();
const { inputTokens, outputTokens } = totalSpend(runner.runState.spend);
console.log(`${inputTokens} in, ${outputTokens} out: ${reasons[0]?.message}`);
rmSync(workingDir, { recursive: true });

// Prints:
// t-1, new
// one step and another
// t-1, gone on with
// one step and another
// t-1, gone on with
// one step and another
// 3000 in, 150 out: $0.06 of $0.05
