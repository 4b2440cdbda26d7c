import type { AgentEvent } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import { cleanSpend, type Spend } from '../model/usage.js';
import type { AgentRequest, Invocation, LineReader, ReviewRequest } from './adapter.js';
import {
  missingSession,
  sessionEvent,
  textEvent,
  type Fields,
  fieldsAt,
  jsonObject,
  listAt,
  numberAt,
  textAt,
  toolInput,
  toolOutput,
} from './agent-events.js';
import { flag, invocationOf, REVIEWER_INSTRUCTIONS, type KnownAgent } from './known-agent.js';
import { readAlone } from './line-reader.js';
import { failureEvent, failureKind, retryEvent } from './provider-failure.js';

export const piAgent = {
  name: 'pi',
  title: 'pi',
  package: '@earendil-works/pi-coding-agent',
  oldest: '0.74.2',
  offline: { PI_OFFLINE: '1', PI_TELEMETRY: '0' },
  home: { variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent' },
  login: { how: 'start pi once and use /login', variables: [], file: 'auth.json' },
  hasAllow: false,
  edits: 'It edits files, also outside this folder,',
  usage: 'live',
  context: 'requests',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  review,
  parse: (line) => readAlone(createPiReader(), line),
  reader: createPiReader,
  parseError: missingSession(/^(?:error: )?no session found matching\b/i),
} satisfies KnownAgent;

/** Its tools for files. It has no permissions, only a list of tools. */
const FILE_TOOLS = 'read,edit,write,grep,find,ls';

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  return invocationOf('pi', agent, request, [
    '-p',
    '--mode',
    'json',
    // It cannot allow a single command, so `edit` allows no commands.
    ...(agent.permissions === 'edit' ? ['--tools', FILE_TOOLS] : []),
    ...flag('--model', agent.model),
    ...flag('--session', request.session),
    ...agent.args,
  ]);
}

const EXTRAS = ['tools', 'extensions', 'skills', 'prompt-templates', 'context-files', 'session'];

function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  return invocationOf('pi', agent, request, [
    '-p',
    '--mode',
    'json',
    ...EXTRAS.map((what) => `--no-${what}`),
    // In place of the user's SYSTEM.md and APPEND_SYSTEM.md.
    '--system-prompt',
    REVIEWER_INSTRUCTIONS,
    '--append-system-prompt',
    '',
    ...flag('--model', agent.model),
    ...agent.args,
  ]);
}

/**
 * Reads pi's JSON events. Its exit code is always 0, so its last message decides. A message that failed may be followed
 * by another try, which pi reports only afterwards: until then the failure is held back.
 */
function createPiReader(): LineReader {
  let failure: string | undefined;
  const giveUp = (): readonly AgentEvent[] => {
    const message = failure;
    failure = undefined;
    if (message === undefined) return [];
    const event = failureEvent(message, { status: statusIn(message) });
    return [event, { kind: 'result', outcome: 'error', text: event.message }];
  };
  const tryAgain = (attempt: number): readonly AgentEvent[] => {
    const message = failure;
    failure = undefined;
    return message === undefined ? [] : [retryEvent(message, attempt, statusIn(message))];
  };
  return {
    read(line) {
      const fields = jsonObject(line);
      switch (textAt(fields, 'type')) {
        case 'message_end': {
          const message = fieldsAt(fields, 'message');
          failure = failureOf(message);
          // A login that is refused stays refused.
          const isRefused = failure !== undefined && failureKind(failure, statusIn(failure)) === 'auth';
          return isRefused ? [...fromMessage(message), ...giveUp()] : fromMessage(message);
        }
        case 'agent_end':
          return failure === undefined ? fromEnd(fields) : [];
        case 'auto_retry_start':
          return tryAgain(numberAt(fields, 'attempt') ?? 1);
        case 'auto_retry_end':
          return fields?.['success'] === false ? giveUp() : [];
        case 'agent_start':
          return tryAgain(1);
        default:
          return fromOther(fields);
      }
    },
    end: giveUp,
  };
}

function fromOther(fields: Fields | undefined): readonly AgentEvent[] {
  switch (textAt(fields, 'type')) {
    case 'session':
      return sessionEvent(textAt(fields, 'id'));
    case 'message_update':
      return underWay(fieldsAt(fields, 'message'));
    case 'tool_execution_start': {
      const name = textAt(fields, 'toolName') ?? 'a tool';
      return [{ kind: 'tool-call', id: textAt(fields, 'toolCallId'), name, input: toolInput(fields?.['args']) }];
    }
    case 'tool_execution_end': {
      const output = textIn(fieldsAt(fields, 'result'));
      const failed = fields?.['isError'] === true;
      return [{ kind: 'tool-result', id: textAt(fields, 'toolCallId'), failed, output: toolOutput(output) }];
    }
    default:
      return [];
  }
}

/** The last message of a run that did not fail. An interrupted one is not a success. */
function fromEnd(fields: Fields | undefined): readonly AgentEvent[] {
  const last = listAt(fields, 'messages').at(-1);
  if (textAt(last, 'role') !== 'assistant' || failureOf(last) !== undefined) return [];
  const text = textIn(last) || undefined;
  return [{ kind: 'result', outcome: textAt(last, 'stopReason') === 'aborted' ? 'interrupted' : 'success', text }];
}

/** The prompt and the results of tools are messages, too. */
function fromMessage(message: Fields | undefined): readonly AgentEvent[] {
  if (textAt(message, 'role') !== 'assistant') return [];
  const texts = listAt(message, 'content').flatMap((part) =>
    textAt(part, 'type') === 'text' ? textEvent(textAt(part, 'text')) : [],
  );
  return [...texts, ...usageOf(message)];
}

/** An answer that breaks off has used its input. A later report with the same id replaces this one. */
function underWay(message: Fields | undefined): readonly AgentEvent[] {
  return textAt(message, 'role') === 'assistant' && textAt(message, 'responseId') !== undefined ? usageOf(message) : [];
}

function usageOf(message: Fields | undefined): readonly AgentEvent[] {
  const usage = fieldsAt(message, 'usage');
  if (usage === undefined) return [];
  const [id, model] = [textAt(message, 'responseId'), textAt(message, 'model')];
  return [{ kind: 'usage', scope: 'request', id, model, spend: spendOf(usage) }];
}

function failureOf(message: Fields | undefined): string | undefined {
  if (textAt(message, 'role') !== 'assistant' || textAt(message, 'stopReason') !== 'error') return undefined;
  return textAt(message, 'errorMessage') ?? 'pi reports an error';
}

function textIn(message: Fields | undefined): string {
  return listAt(message, 'content')
    .map((part) => textAt(part, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** Its input is without the cache. */
function spendOf(usage: Fields): Spend {
  const cacheReadTokens = numberAt(usage, 'cacheRead');
  const cacheWriteTokens = numberAt(usage, 'cacheWrite');
  const fresh = numberAt(usage, 'input');
  return cleanSpend({
    inputTokens: fresh === undefined ? undefined : fresh + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: numberAt(usage, 'output'),
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: numberAt(fieldsAt(usage, 'cost'), 'total'),
  }).spend;
}

function statusIn(message: string): number | undefined {
  const status = /^(\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
