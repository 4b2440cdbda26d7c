import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import { cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import type { AgentEnvironment, AgentRequest, Invocation, LineReader, ReviewRequest } from './adapter.js';
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
import { flag, invocationOf, REVIEWER_INSTRUCTIONS, type KnownAgent } from './known-agent.js';
import { failureEvent } from './provider-failure.js';
import { allOutput } from './request-log.js';

export const opencodeAgent = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  oldest: '1.18.33',
  offline: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  home: { variable: 'XDG_DATA_HOME', folder: '.local/share' },
  login: { how: 'opencode auth login', variables: [], file: 'opencode/auth.json' },
  hasAllow: true,
  usage: 'live',
  context: 'requests',
  namesModel: false,
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: false,
  invocation,
  review,
  parse: (line) => createOpencodeReader().read(line),
  reader: createOpencodeReader,
  // Some versions then end as if all had gone well.
  parseError: missingSession(/^(?:\w*error: |\s*message: ")?session not found\b/i),
} satisfies KnownAgent;

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const environment = { ...request.environment, ...permissionEnvironment(agent) };
  const args = [
    'run',
    '--format',
    'json',
    ...(agent.permissions === 'bypass' ? ['--auto'] : []),
    ...flag('-m', agent.model),
    ...(request.session === undefined ? titleArgs(agent) : ['--session', request.session]),
    ...agent.args,
  ];
  return invocationOf('opencode', agent, { ...request, environment }, args, DEFAULTS);
}

const DEFAULTS = { OPENCODE_DISABLE_AUTOUPDATE: '1' };
/** It also takes instructions from the folders above, and from those for Claude Code. */
const WITHOUT_INSTRUCTIONS = { OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_CLAUDE_CODE: '1' };
const REVIEWER = 'pawl-reviewer';

function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  const args = [
    'run',
    '--format',
    'json',
    '--pure',
    '--agent',
    REVIEWER,
    ...flag('-m', agent.model),
    ...titleArgs(agent),
    ...agent.args,
  ];
  const call = invocationOf('opencode', agent, request, args, DEFAULTS);
  return { ...call, env: { ...call.env, ...WITHOUT_INSTRUCTIONS, ...withReviewer(call.env) } };
}

/** An agent of ours: the settings of a user can give tools back to the usual one. */
function withReviewer({ OPENCODE_CONFIG_CONTENT: content = '' }: AgentEnvironment): AgentEnvironment {
  const given = jsonObject(content);
  const reviewer = {
    mode: 'primary',
    prompt: REVIEWER_INSTRUCTIONS,
    permission: { '*': 'deny' },
  };
  const agents = { ...fieldsAt(given, 'agent'), [REVIEWER]: reviewer };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...given, agent: agents }) };
}

/** Without a title it asks the model for one, and does not report what that used. */
function titleArgs({ args }: AgentSpec): readonly string[] {
  return args.some((word) => /^--(?:title|continue|session|fork|attach)(?:=|$)|^-[cs]$/.test(word))
    ? []
    : ['--title', 'Pawl'];
}

/** It allows everything by default. Only a setting can allow less. The last rule that matches counts. */
function permissionEnvironment({ permissions, allow }: AgentSpec): AgentEnvironment {
  if (permissions !== 'edit') return {};
  const commands = allow.flatMap((entry) => [
    [entry, 'allow'],
    [`${entry} *`, 'allow'],
  ]);
  const bash = Object.fromEntries([['*', 'deny'], ...commands]);
  return { OPENCODE_PERMISSION: JSON.stringify({ edit: 'allow', bash, external_directory: 'deny' }) };
}

/** Reasons of a last step whose answer was cut off. */
const CUT_OFF: Readonly<Record<string, string>> = {
  length: 'the answer was cut off: it reached the most that the model may put out',
  'content-filter': 'the answer was cut off by a filter of the provider',
};

/**
 * Reads the events of `opencode run --format json`. They have no result: the exit code shows how it ended, and the last step
 * whether the answer is whole. A step reports what it used when its tools are done. One without that report has used something.
 */
function createOpencodeReader(): LineReader {
  let isStepOpen = false;
  let reason: string | undefined;
  return {
    read(line) {
      const fields = jsonObject(line);
      const type = textAt(fields, 'type');
      if (type === 'step_start' || type === 'step_finish') reason = textAt(fieldsAt(fields, 'part'), 'reason');
      // After a step with tools comes another one, which is reported late.
      if (type === 'step_start' || type === 'step_finish')
        isStepOpen = type === 'step_start' || reason === 'tool-calls';
      if (type === 'error') isStepOpen = false;
      return eventsOf(type, fields);
    },
    end() {
      const message = CUT_OFF[reason ?? ''];
      return [
        ...(isStepOpen ? [{ kind: 'usage', scope: 'request', spend: {}, unknown: true } as const] : []),
        ...(message === undefined
          ? []
          : [
              { kind: 'error', error: 'other', message } as const,
              { kind: 'result', outcome: 'error', text: message } as const,
            ]),
      ];
    },
  };
}

function eventsOf(type: string | undefined, fields: Fields | undefined): readonly AgentEvent[] {
  const part = fieldsAt(fields, 'part');
  switch (type) {
    case 'step_start':
      return sessionEvent(textAt(fields, 'sessionID'));
    case 'text':
      return textEvent(textAt(part, 'text'));
    case 'tool_use':
      return fromTool(part);
    case 'step_finish':
      return fromStep(part);
    case 'error':
      // The refused request used nothing, and the steps before it have reported their usage.
      return [
        ...sessionEvent(textAt(fields, 'sessionID')),
        { kind: 'usage', scope: 'turn', spend: NOTHING_SPENT },
        fromError(fieldsAt(fields, 'error')),
      ];
    default:
      return [];
  }
}

/** A tool is reported when it is done. */
function fromTool(part: Fields | undefined): readonly AgentEvent[] {
  const state = fieldsAt(part, 'state');
  const id = textAt(part, 'callID');
  const name = textAt(part, 'tool') ?? 'a tool';
  const error = textAt(state, 'error');
  const exit = numberAt(fieldsAt(state, 'metadata'), 'exit') ?? 0;
  const failed = textAt(state, 'status') === 'error' || exit !== 0;
  const output = toolOutput(textAt(state, 'output') ?? error);
  const call: AgentEventOf<'tool-call'> = { kind: 'tool-call', id, name, input: toolInput(state?.['input']) };
  const result: AgentEventOf<'tool-result'> = { kind: 'tool-result', id, failed, output };
  const isDenied = /permission (?:to use|denied|rejected)|prevents you from using/i.test(error ?? '');
  return [call, ...(isDenied ? deniedEvents(result, name, call.input) : [result])];
}

function fromStep(part: Fields | undefined): readonly AgentEvent[] {
  const tokens = fieldsAt(part, 'tokens');
  if (tokens === undefined) return [];
  return [{ kind: 'usage', scope: 'request', id: textAt(part, 'id'), spend: spendOf(tokens, numberAt(part, 'cost')) }];
}

/** Its input is without the cache, and its output without the reasoning. The total has everything. */
function spendOf(tokens: Fields, costUsd: number | undefined): Spend {
  const cache = fieldsAt(tokens, 'cache');
  const cacheReadTokens = numberAt(cache, 'read');
  const cacheWriteTokens = numberAt(cache, 'write');
  const fresh = numberAt(tokens, 'input');
  const inputTokens = fresh === undefined ? undefined : fresh + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const shown = numberAt(tokens, 'output');
  return cleanSpend({
    inputTokens,
    outputTokens: allOutput(shown, numberAt(tokens, 'total'), inputTokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: numberAt(tokens, 'reasoning'),
    costUsd,
  }).spend;
}

function fromError(error: Fields | undefined): AgentEvent {
  const data = fieldsAt(error, 'data');
  const name = textAt(error, 'name') ?? 'error';
  const message = textAt(data, 'message') ?? name;
  if (name === 'ContextOverflowError') return { kind: 'error', error: 'context', message };
  if (name === 'ProviderAuthError') return { kind: 'error', error: 'auth', message };
  return failureEvent(message, { status: numberAt(data, 'statusCode') });
}
