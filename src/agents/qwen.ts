import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import type { AgentSpec } from '../model/run-spec.js';
import type { AgentRequest, Invocation, LineReader, ReviewRequest, Sidecar } from './adapter.js';
import {
  missingSession,
  sessionEvent,
  textEvent,
  toolResultBlock,
  type Fields,
  fieldsAt,
  jsonObject,
  listAt,
  numberAt,
  textAt,
  toolInput,
} from './agent-events.js';
import { geminiInvocation } from './gemini.js';
import { flag, invocationOf, homeFolder, type KnownAgent } from './known-agent.js';
import { readAlone } from './line-reader.js';
import { failureEvent, plainWords } from './provider-failure.js';
import { allOutput, createRequestLog, type LoggedRequest } from './request-log.js';

export const qwenAgent = {
  name: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  oldest: '0.15.10',
  faults: [{ before: '0.24.4', fault: 'it reports a rejected key as a success' }],
  offline: {},
  home: { variable: 'QWEN_HOME', folder: '.qwen' },
  login: {
    how: 'start qwen once and log in, or set OPENAI_API_KEY',
    variables: ['OPENAI_API_KEY'],
    file: 'oauth_creds.json',
  },
  hasAllow: true,
  edits: 'It edits files, also outside this folder,',
  usage: 'live',
  context: 'requests',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation: geminiInvocation({ program: 'qwen', modelFlag: '--model', editMode: 'auto-edit' }),
  review,
  parse: (line) => readAlone(createQwenReader(), line),
  reader: createQwenReader,
  parseError: missingSession(/^no saved session found with id\b/i),
  sidecar,
} satisfies KnownAgent;

/** What `--bare` leaves it. */
const BARE_TOOLS = 'edit,get_goal,notebook_edit,read_file,run_shell_command,update_goal';

/** Without `--bare` it has dozens of tools, and others for its own notes. With it, its settings and logins are not read either. */
function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  return invocationOf('qwen', agent, request, [
    '--output-format',
    'stream-json',
    '--bare',
    '--chat-recording=false',
    '--exclude-tools',
    BARE_TOOLS,
    // A tool that a newer version adds is not called either.
    '--max-tool-calls',
    '0',
    ...flag('--model', agent.model),
    ...agent.args,
  ]);
}

/**
 * Reads Qwen Code's stream-json. It is like Claude Code's, but the input includes the cache, and an error of the provider
 * is printed as words of the model, sometimes after real ones. An error is the last message, so such words are held back
 * until the next line.
 */
function createQwenReader(): LineReader {
  let held: BrokenAnswer | undefined;
  const asWords = (): readonly AgentEvent[] => {
    const text = held === undefined ? '' : `${held.said}${held.error}`;
    held = undefined;
    return textEvent(text);
  };
  const asFailure = (): readonly AgentEvent[] => {
    if (held === undefined) return [];
    const { said, error } = held;
    return [...textEvent(said), failureEvent(error, { status: statusIn(error) })];
  };
  return {
    read(line) {
      const fields = jsonObject(line);
      switch (textAt(fields, 'type')) {
        case 'system':
          return textAt(fields, 'subtype') === 'init' ? sessionEvent(textAt(fields, 'session_id')) : [];
        case 'assistant': {
          const before = asWords();
          held = brokenAnswer(fieldsAt(fields, 'message'));
          return [...before, ...fromAssistant(fields, held !== undefined)];
        }
        case 'user':
          return [...asWords(), ...listAt(fieldsAt(fields, 'message'), 'content').flatMap(toolResultBlock)];
        case 'result': {
          const failure = asFailure();
          held = undefined;
          return fromResult(fields, failure);
        }
        default:
          return [];
      }
    },
    end: asFailure,
  };
}

interface BrokenAnswer {
  readonly said: string;
  readonly error: string;
}

const ERROR_MARK = '[API Error: ';

/** A message that the provider refused, or that broke off, used nothing. A model that really says such words used something. */
function brokenAnswer(message: Fields | undefined): BrokenAnswer | undefined {
  const text = listAt(message, 'content')
    .map((block) => textAt(block, 'text') ?? '')
    .join('')
    .trimEnd();
  const start = text.lastIndexOf(ERROR_MARK);
  if (start < 0 || !text.endsWith(']')) return undefined;
  const [said, error] = [text.slice(0, start), text.slice(start)];
  const isOwn = (usageOf(message).totalTokens ?? 0) === 0 || error.startsWith(`${ERROR_MARK}Model stream ended`);
  return isOwn ? { said, error } : undefined;
}

/** Each block is a line with its own id. The last one of a message has what the request used, the others have zeros. */
function fromAssistant(fields: Fields | undefined, isHeld: boolean): readonly AgentEvent[] {
  const message = fieldsAt(fields, 'message');
  const isSubagent = textAt(fields, 'parent_tool_use_id') !== undefined;
  const events = listAt(message, 'content')
    .flatMap(fromBlock)
    .filter(({ kind }) => kind !== 'text' || !(isSubagent || isHeld));
  const spend = usageOf(message);
  if ((spend.totalTokens ?? 0) === 0) return events;
  return [
    ...events,
    { kind: 'usage', scope: 'request', id: textAt(message, 'id'), model: textAt(message, 'model'), spend },
  ];
}

function fromBlock(block: Fields): readonly AgentEvent[] {
  switch (textAt(block, 'type')) {
    case 'text':
      return textEvent(textAt(block, 'text'));
    case 'tool_use': {
      const name = textAt(block, 'name') ?? 'a tool';
      return [{ kind: 'tool-call', id: textAt(block, 'id'), name, input: toolInput(block['input']) }];
    }
    default:
      return [];
  }
}

/** Its usage is the total of the session, including requests that the stream does not show, such as those for its memory. */
function fromResult(fields: Fields | undefined, held: readonly AgentEvent[]): readonly AgentEvent[] {
  const text = textAt(fields, 'result') ?? textAt(fieldsAt(fields, 'error'), 'message');
  const isError = held.length > 0 || fields?.['is_error'] === true || textAt(fields, 'subtype') !== 'success';
  const denials = listAt(fields, 'permission_denials').map(
    (denial): AgentEvent => ({
      kind: 'permission-denied',
      tool: textAt(denial, 'tool_name') ?? 'a tool',
      id: textAt(denial, 'tool_use_id'),
      detail: toolInput(denial['tool_input']),
    }),
  );
  const usage = totalOf(fields);
  const failure =
    held.length > 0 || !isError || text === undefined ? held : [failureEvent(text, { status: statusIn(text) })];
  const outcome = textAt(fields, 'subtype') === 'error_max_turns' ? 'turns' : isError ? 'error' : 'success';
  const words = text === undefined || outcome === 'success' ? text : plainWords(text);
  return [...denials, ...usage, ...failure, { kind: 'result', outcome, text: words }];
}

function totalOf(fields: Fields | undefined): readonly AgentEvent[] {
  const spend = spendOf(fieldsAt(fields, 'usage'));
  if (spend.totalTokens === undefined) return [];
  return spend.totalTokens === 0
    ? [{ kind: 'usage', scope: 'turn', spend: NOTHING_SPENT }]
    : [{ kind: 'usage', scope: 'session-total', session: textAt(fields, 'session_id'), spend }];
}

function statusIn(text: string): number | undefined {
  const status = /\bAPI Error: (\d{3})\b/.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

function usageOf(message: Fields | undefined): Spend {
  return spendOf(fieldsAt(message, 'usage'));
}

function spendOf(usage: Fields | undefined): Spend {
  return cleanSpend({
    inputTokens: numberAt(usage, 'input_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    cacheReadTokens: numberAt(usage, 'cache_read_input_tokens'),
  }).spend;
}

/** The record that Qwen Code keeps of a session. It has every request, also those that the stream does not show. */
function sidecar(session: string, { environment }: Pick<AgentRequest, 'environment'>): Sidecar | undefined {
  const folder = environment['QWEN_RUNTIME_DIR'] || homeFolder(qwenAgent.home, environment);
  // The id comes from outside.
  if (!folder || !/^[\w-]+$/.test(session)) return undefined;
  return {
    folder: `${folder}/projects`,
    matches: (fileName) => fileName === `${session}.jsonl`,
    reader: (since) => createRequestLog(session, since, requestOf),
  };
}

function requestOf(fields: Fields): LoggedRequest | undefined {
  const event = fieldsAt(fieldsAt(fields, 'systemPayload'), 'uiEvent');
  if (textAt(event, 'event.name') !== 'qwen-code.api_response') return undefined;
  const inputTokens = numberAt(event, 'input_token_count');
  const shown = numberAt(event, 'output_token_count');
  return {
    id: textAt(event, 'response_id'),
    model: textAt(event, 'model'),
    spend: {
      inputTokens,
      outputTokens: allOutput(shown, numberAt(event, 'total_token_count'), inputTokens),
      cacheReadTokens: numberAt(event, 'cached_content_token_count'),
      reasoningTokens: numberAt(event, 'thoughts_token_count'),
    },
  };
}
