import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';

/** US dollars per token of Sonnet 4.5, by the list. */
const INPUT_USD = 3e-6;
const OUTPUT_USD = 15e-6;
const INPUT_TOKENS = 100;

/** What a request for so much money has used. */
function tokensFor(usd) {
  const input = Math.min(INPUT_TOKENS, Math.floor(usd / INPUT_USD));
  return { input, output: Math.round((usd - input * INPUT_USD) / OUTPUT_USD) };
}

/** Says what happens the way Claude Code 2.1 does: as stream-json, as one JSON result, or as its last words. */
export class ClaudeVoice {
  #format;
  #hasPartials;
  #session;
  #model;
  #isToldLive;
  #used = { input: 0, output: 0, usd: 0 };
  #denials = [];
  #lastWords = '';
  #turns = 0;

  constructor(args, { model = 'claude-sonnet-4-5-20250929', told = 'live' } = {}) {
    const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
    this.#format =
      args.find((arg) => arg.startsWith('--output-format='))?.slice(16) ?? after('--output-format') ?? 'text';
    this.#hasPartials = args.includes('--include-partial-messages');
    this.#session = after('--resume') ?? after('--session-id') ?? randomUUID();
    this.#model = model;
    this.#isToldLive = told === 'live';
  }

  init() {
    this.#line({ type: 'system', subtype: 'init', cwd: process.cwd(), model: this.#model, permissionMode: 'default' });
  }

  /** One request to the model with one block in its answer. */
  request(block, usd, isSubagent = false) {
    this.#turns++;
    const tokens = tokensFor(usd);
    const id = `msg_${randomUUID().replaceAll('-', '')}`;
    const parent = { parent_tool_use_id: isSubagent ? 'toolu_of_the_subagent' : null };
    const told = (output) => (this.#isToldLive ? { usage: usageOf({ input: tokens.input, output }) } : {});
    const message = { id, type: 'message', role: 'assistant', model: this.#model };
    this.#partial({ type: 'message_start', message: { ...message, content: [], ...told(1) } }, id, parent);
    this.#line({ type: 'assistant', message: { ...message, content: [block], ...told(1) }, ...parent });
    this.#partial({ type: 'message_delta', delta: {}, ...told(tokens.output) }, id, parent);
    this.#used = {
      input: this.#used.input + tokens.input,
      output: this.#used.output + tokens.output,
      usd: this.#used.usd + usd,
    };
    if (block.type === 'text' && !isSubagent) this.#lastWords = block.text;
  }

  toolResult(id, content, isError = false) {
    const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError };
    this.#line({ type: 'user', message: { role: 'user', content: [block] }, parent_tool_use_id: null });
  }

  denied(tool, id) {
    const message = `Claude requested permissions to use ${tool}, but you haven't granted it yet.`;
    this.#denials.push({ tool_name: tool, tool_use_id: id, tool_input: {} });
    this.#line({ type: 'system', subtype: 'permission_denied', tool_name: tool, tool_use_id: id, message });
    this.toolResult(id, message, true);
  }

  retry(attempt, status, error) {
    this.#line({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      retry_delay_ms: 600,
      error_status: status,
      error,
    });
  }

  rateLimit(resetsAt) {
    const info = { status: 'rejected', resetsAt, rateLimitType: 'five_hour', isUsingOverage: false };
    this.#line({ type: 'rate_limit_event', rate_limit_info: info });
  }

  /** What Claude Code says in place of the model. */
  apiError(text, fields) {
    const message = { id: randomUUID(), model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text }] };
    this.#lastWords = text;
    this.#line({
      type: 'assistant',
      message: { ...message, usage: usageOf({ input: 0, output: 0 }) },
      parent_tool_use_id: null,
      ...fields,
    });
    this.result({ is_error: true, terminal_reason: 'api_error', ...fields });
  }

  result(fields = {}) {
    const { input, output, usd } = this.#used;
    const costBasis = this.#model.startsWith('claude-') ? 'list' : 'unknown';
    const used = { inputTokens: input, outputTokens: output, costUSD: usd, contextWindow: 200_000, costBasis };
    const models = this.#turns === 0 ? {} : { [this.#model]: used };
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: this.#turns,
      result: this.#lastWords,
      total_cost_usd: usd,
      usage: usageOf({ input, output }),
      modelUsage: models,
      model_usage_since_last_result: models,
      permission_denials: this.#denials,
      terminal_reason: 'completed',
      ...fields,
    };
    if (this.#format === 'stream-json') this.#line(result);
    else if (this.#format === 'json') print(`${JSON.stringify({ ...result, session_id: this.#session })}\n`);
    else print(`${this.#lastWords}\n`);
  }

  get spentUsd() {
    return this.#used.usd;
  }

  #partial(event, id, parent) {
    if (this.#hasPartials) this.#line({ type: 'stream_event', event, api_message_id: id, ...parent });
  }

  #line(fields) {
    if (this.#format === 'stream-json')
      print(`${JSON.stringify({ ...fields, session_id: this.#session, uuid: randomUUID() })}\n`);
  }
}

function usageOf({ input, output }) {
  return { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: output };
}

/** At once and whole; a reader that is gone or slow does not matter here. */
function print(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
}
