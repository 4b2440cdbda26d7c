import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import type { AgentRequest, Invocation, LineReader, ReaderSetting, ReviewRequest, Sidecar } from './adapter.js';
import {
  deniedEvents,
  missingSession,
  sessionEvent,
  textEvent,
  type Fields,
  fieldsAt,
  jsonObject,
  numberAt,
  textAt,
  toolInput,
  toolOutput,
} from './agent-events.js';
import { flag, invocationOf, homeFolder, type KnownAgent } from './known-agent.js';
import { namingDenied, readAlone } from './line-reader.js';
import { failureEvent, retryEvent } from './provider-failure.js';
import { createRequestLog, type LoggedRequest } from './request-log.js';

export const copilotAgent = {
  name: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  oldest: '1.0.102',
  offline: { COPILOT_AUTO_UPDATE: 'false' },
  home: { variable: 'COPILOT_HOME', folder: '.copilot' },
  login: {
    how: 'start copilot once and use /login',
    variables: ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
    file: 'config.json',
    keys: ['logged_in_users'],
  },
  hasAllow: true,
  edits: 'It edits files in this folder and in the temporary folder',
  usage: 'live',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  review,
  parse: (line) => readAlone(createCopilotReader(), line),
  reader: createCopilotReader,
  parseError: missingSession(/^(?:error: )?no session(?: or task|, task, or name) matched\b/i),
  sidecar,
} satisfies KnownAgent;

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const permissions = {
    edit: ['--allow-tool=write', ...agent.allow.map((entry) => `--allow-tool=${toolRule(entry)}`)],
    bypass: ['--allow-all'],
    agent: [],
  }[agent.permissions];
  const args = [
    '--output-format',
    'json',
    '--no-auto-update',
    '--no-ask-user',
    ...permissions,
    ...flag('--model', agent.model),
    ...sessionArgs(agent, request),
    ...agent.args,
  ];
  const session = hasOwnSession(agent) ? undefined : (request.session ?? request.newSession);
  return { ...invocationOf('copilot', agent, request, args), session };
}

function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  const call = invocationOf('copilot', agent, request, [
    '--output-format',
    'json',
    '--no-auto-update',
    '--no-ask-user',
    '--no-custom-instructions',
    '--disable-builtin-mcps',
    // Only the tools of this name, which do not exist.
    '--available-tools=none',
    ...flag('--model', agent.model),
    ...flag('--session-id=', request.newSession),
    ...agent.args,
  ]);
  return { ...call, session: request.newSession };
}

/** It names its session only at its end, but its tokens are in the record of that session: so Pawl chooses the id. */
function sessionArgs(agent: AgentSpec, { session, newSession }: AgentRequest): readonly string[] {
  if (session !== undefined) return flag('--resume=', session);
  return hasOwnSession(agent) ? [] : flag('--session-id=', newSession);
}

/** The user's own arguments choose a session. */
function hasOwnSession({ args }: AgentSpec): boolean {
  return args.some((word) => /^(?:--session-id|--resume|--continue|--connect|-r)(?:=|$)/.test(word));
}

function toolRule(entry: string): string {
  return /^[\w-]+\(.*\)$/.test(entry) ? entry : `shell(${entry}:*)`;
}

/**
 * Reads Copilot's JSON events. Its result has exit code 0 even after an interruption, so the interruption is remembered.
 * Only the result has the session. One that is known before is reported with the first event.
 */
function createCopilotReader({ session }: Partial<ReaderSetting> = {}): LineReader {
  let known: string | undefined;
  let isAborted = false;
  let failedCall: Fields | undefined;
  const read = (fields: Fields | undefined): readonly AgentEvent[] => {
    const data = fieldsAt(fields, 'data');
    switch (textAt(fields, 'type')) {
      case 'model.call_failure':
        failedCall = data;
        return [];
      case 'assistant.turn_retry':
        return fromRetry(failedCall, data);
      case 'abort':
      case 'agent.interrupted':
        isAborted = true;
        return [];
      case 'result':
        return fromResult(fields, isAborted);
      default:
        return fromEvent(textAt(fields, 'type'), data);
    }
  };
  return namingDenied({
    read(line) {
      const fields = jsonObject(line);
      const own = textAt(fields, 'type') === 'result' ? textAt(fields, 'sessionId') : undefined;
      const id = fields === undefined ? known : (own ?? session ?? known);
      const isNew = id !== undefined && id !== '' && id !== known;
      known = id;
      return [...(isNew ? sessionEvent(id) : []), ...read(fields)];
    },
    end: () => [],
  });
}

function fromEvent(type: string | undefined, data: Fields | undefined): readonly AgentEvent[] {
  switch (type) {
    case 'assistant.message':
      // A subagent reports to the agent, not to Pawl.
      return textAt(data, 'parentToolCallId') === undefined ? textEvent(textAt(data, 'content')) : [];
    case 'tool.execution_start': {
      const name = textAt(data, 'toolName') ?? 'a tool';
      return [{ kind: 'tool-call', id: textAt(data, 'toolCallId'), name, input: toolInput(data?.['arguments']) }];
    }
    // Its usage is in the record of the session. If it is missing there when Copilot ends, it was spent all the same.
    case 'model.call_final_result':
      return textAt(data, 'result') === 'success'
        ? [{ kind: 'usage', scope: 'request', spend: {}, unknown: true }]
        : [];
    case 'tool.execution_complete':
      return fromToolResult(data);
    case 'session.error': {
      const message = textAt(data, 'message') ?? 'Copilot reports an error';
      return [failureEvent(message, { status: numberAt(data, 'statusCode') })];
    }
    default:
      return [];
  }
}

function fromToolResult(data: Fields | undefined): readonly AgentEvent[] {
  const id = textAt(data, 'toolCallId');
  const error = fieldsAt(data, 'error');
  const exit = numberAt(fieldsAt(data, 'shellExecution'), 'exitCode') ?? 0;
  const output = textAt(fieldsAt(data, 'result'), 'content') ?? textAt(error, 'message');
  const failed = data?.['success'] !== true || exit !== 0;
  const result: AgentEventOf<'tool-result'> = { kind: 'tool-result', id, failed, output: toolOutput(output) };
  const isDenied = /denied|rejected/i.test(textAt(error, 'code') ?? '');
  return isDenied ? deniedEvents(result, textAt(data, 'toolName') ?? 'a tool', output) : [result];
}

function fromRetry(failedCall: Fields | undefined, data: Fields | undefined): readonly AgentEvent[] {
  const message = textAt(failedCall, 'errorMessage') ?? textAt(data, 'reason') ?? 'Copilot tries again';
  const attempt = (numberAt(failedCall, 'retryAttempt') ?? 0) + 1;
  return [retryEvent(message, attempt, numberAt(failedCall, 'statusCode'))];
}

function fromResult(fields: Fields | undefined, isAborted: boolean): readonly AgentEvent[] {
  const outcome = isAborted ? 'interrupted' : numberAt(fields, 'exitCode') === 0 ? 'success' : 'error';
  return [{ kind: 'result', outcome }];
}

/** The events of a session, as Copilot records them. They have the tokens of each request; the stream has none. */
function sidecar(session: string, { environment }: Pick<AgentRequest, 'environment'>): Sidecar | undefined {
  const folder = homeFolder(copilotAgent.home, environment);
  // The id comes from outside.
  if (!folder || !/^[\w-]+$/.test(session)) return undefined;
  return {
    folder: `${folder}/session-state/${session}`,
    matches: (fileName) => fileName === 'events.jsonl',
    reader: (since) => createRequestLog(session, since, requestOf),
  };
}

/** Its input has the cache in it. */
function requestOf(fields: Fields): LoggedRequest | undefined {
  if (textAt(fields, 'type') !== 'session.usage_record') return undefined;
  const usage = fieldsAt(fieldsAt(fields, 'data'), 'usage');
  if (usage === undefined) return undefined;
  return {
    id: textAt(fieldsAt(usage, 'accounting'), 'usageId') ?? textAt(usage, 'apiCallId'),
    model: textAt(usage, 'model'),
    windowTokens: numberAt(usage, 'maxPromptTokens'),
    spend: {
      inputTokens: numberAt(usage, 'inputTokens'),
      outputTokens: numberAt(usage, 'outputTokens'),
      cacheReadTokens: numberAt(usage, 'cacheReadTokens'),
      cacheWriteTokens: numberAt(usage, 'cacheWriteTokens'),
      reasoningTokens: numberAt(usage, 'reasoningTokens'),
    },
  };
}
