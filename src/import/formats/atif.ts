import { type Fields, fieldsAt, listAt, numberAt, textAt, toolInput, toolOutput } from '../../agents/agent-events.js';
import type { AgentEvent } from '../../model/agent-event.js';
import { cleanSpend, isNothing, type Spend } from '../../model/usage.js';
import { eventParts, type SessionPart } from '../session-part.js';

/** Harbor's trajectory format. */
export function isAtif(document: Fields): boolean {
  return textAt(document, 'schema_version')?.startsWith('ATIF-') === true && Array.isArray(document['steps']);
}

export function* readAtif(document: Fields): Generator<SessionPart> {
  const agent = fieldsAt(document, 'agent');
  const [name, version, model] = ['name', 'version', 'model_name'].map((key) => textAt(agent, key));
  yield { kind: 'about', about: { agent: name, version, model, session: textAt(document, 'session_id') } };
  const steps = listAt(document, 'steps').filter((step) => step['is_copied_context'] !== true);
  // Of the steps of one call only the first has figures.
  const isPerStep = steps.every((step) => fieldsAt(step, 'metrics') === undefined);
  for (const step of steps) {
    const at = textAt(step, 'timestamp');
    const source = textAt(step, 'source');
    if (source === 'user') {
      yield { kind: 'about', about: { prompt: textOf(step, 'message') } };
      yield { kind: 'prompt', at };
    }
    if (source === 'agent') {
      const metrics = fieldsAt(step, 'metrics');
      if (isPerStep || metrics !== undefined) yield { kind: 'call', at };
      yield* eventParts(stepEvents(step, metrics), at);
    }
  }
  const totals = fieldsAt(document, 'final_metrics');
  const spend = cleanSpend({
    inputTokens: numberAt(totals, 'total_prompt_tokens'),
    outputTokens: numberAt(totals, 'total_completion_tokens'),
    cacheReadTokens: numberAt(totals, 'total_cached_tokens'),
    costUsd: numberAt(totals, 'total_cost_usd'),
  }).spend;
  if (isKnown(spend)) yield { kind: 'total', spend };
}

function stepEvents(step: Fields, metrics: Fields | undefined): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  const calls = listAt(step, 'tool_calls');
  const text = textOf(step, 'message');
  // Where a step is a call of a tool, its message only says so.
  if (text.trim() !== '' && !(calls.length > 0 && text.startsWith('Executed '))) events.push({ kind: 'text', text });
  for (const call of calls) {
    const [id, name = 'a tool'] = [textAt(call, 'tool_call_id'), textAt(call, 'function_name')];
    events.push({ kind: 'tool-call', id, name, input: toolInput(call['arguments']) });
  }
  const failed = fieldsAt(step, 'extra')?.['tool_result_is_error'] === true;
  for (const result of listAt(fieldsAt(step, 'observation'), 'results')) {
    const id = textAt(result, 'source_call_id');
    events.push({ kind: 'tool-result', id, failed, output: toolOutput(textOf(result, 'content')) });
  }
  const spend = cleanSpend({
    inputTokens: numberAt(metrics, 'prompt_tokens'),
    outputTokens: numberAt(metrics, 'completion_tokens'),
    cacheReadTokens: numberAt(metrics, 'cached_tokens'),
    costUsd: numberAt(metrics, 'cost_usd'),
  }).spend;
  if (isKnown(spend)) events.push({ kind: 'usage', scope: 'request', model: textAt(step, 'model_name'), spend });
  return events;
}

/** No call uses nothing: zero means that nothing was reported. */
function isKnown(spend: Spend): boolean {
  return spend.totalTokens !== undefined && !isNothing({ ...spend, costUsd: spend.costUsd ?? 0 });
}

/** A text, or the texts of its parts. */
function textOf(fields: Fields, key: string): string {
  return (
    textAt(fields, key) ??
    listAt(fields, key)
      .map((part) => textAt(part, 'text') ?? '')
      .join('\n')
  );
}
