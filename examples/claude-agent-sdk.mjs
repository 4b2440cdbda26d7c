// Claude Code through its Agent SDK, stopped by Pawl: npm install pawl @anthropic-ai/claude-agent-sdk
import { query } from '@anthropic-ai/claude-agent-sdk';
import { calculateCost, evaluatePolicy, maxCost, maxTokens, outputPattern } from 'pawl';

const policy = { success: [outputPattern('DONE')], failure: [], limits: [maxCost(0.05), maxTokens(100_000)] };
const [prompt = 'Make the tests pass, then say DONE.'] = process.argv.slice(2);
// Only the partial messages tell the true output tokens of a request.
const options = { permissionMode: 'acceptEdits', includePartialMessages: true, forwardSubagentText: true };
// Whatcontinues in the background would go on after the result.
options.env = { ...process.env, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };
if (process.env.CLAUDE_PATH) options.pathToClaudeCodeExecutable = process.env.CLAUDE_PATH;

/** By id: a request is told when it begins, again with each of its blocks, and when it is done. */
const requests = new Map();
let said = '';
/** What the end tells: only there a subagent's output is counted whole. */
let toldUsd = 0;

function note({ event, message = event?.message, api_message_id: id = message?.id, ...rest }) {
  toldUsd = rest.total_cost_usd ?? toldUsd;
  const usage = event?.usage ?? message?.usage;
  const before = requests.get(id);
  // A block repeats the usage of the beginning, so it must not replace that of the end.
  if (usage && id && message?.model !== '<synthetic>' && (event || !before)) {
    requests.set(id, { model: message?.model ?? before?.model, usage: { ...before?.usage, ...usage } });
  }
  // What a subagent says is no promise of the agent's.
  if (rest.type !== 'assistant' || rest.parent_tool_use_id !== null) return;
  for (const block of message.content) if (block.type === 'text') said += `${block.text}\n`;
}

/** Anthropic's `input_tokens` leave the cache out; Pawl's are all input. */
function spendOf({ model, usage }) {
  const { cache_read_input_tokens: cacheReadTokens = 0, cache_creation_input_tokens: cacheWriteTokens = 0 } = usage;
  const [inputTokens, outputTokens] = [usage.input_tokens + cacheReadTokens + cacheWriteTokens, usage.output_tokens];
  const costUsd = calculateCost({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }, model);
  return { model, totalTokens: inputTokens + outputTokens, costUsd };
}

function context() {
  const spends = [...requests.values()].map(spendOf);
  const sum = (field) => spends.reduce((total, spend) => total + spend[field], 0);
  // One request without a price makes the sum NaN, which is unknown: a budget stops at what it does not know.
  const { model } = spends.find(({ costUsd }) => costUsd === undefined) ?? spends.at(-1) ?? {};
  const costUsd = Math.max(sum('costUsd'), toldUsd);
  return { recentOutput: said, model, usage: { totalTokens: sum('totalTokens') }, costUsd };
}

let end = 'it ended by itself';
const running = query({ prompt, options });
for await (const message of running) {
  note(message);
  // Here a request is done: its usage is whole, and the next one has not begun. A subagent tells no more than its messages.
  const isDone = message.event?.type === 'message_delta' || message.parent_tool_use_id || message.type === 'result';
  if (!isDone) continue;
  const { stop, class: stopClass, reasons } = evaluatePolicy(policy, context());
  if (!stop) continue;
  end = `${stopClass}: ${reasons[0].message}`;
  // An AbortController alone would let Claude Code go on for a while; this is heard at once.
  if (message.type !== 'result') await running.interrupt();
  break;
}
const { usage, costUsd } = context();
console.log(`${end}\n${requests.size} requests, ${usage.totalTokens} tokens, $${costUsd.toFixed(4)}`);
