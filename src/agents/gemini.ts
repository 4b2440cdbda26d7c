import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import { cleanSpend, NOTHING_SPENT } from '../model/usage.js';
import type {
  AgentEnvironment,
  AgentRequest,
  Invocation,
  LineReader,
  ReviewFile,
  ReviewRequest,
  Sidecar,
} from './adapter.js';
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
import { allOutput } from './request-log.js';
import { resetTime } from './reset-time.js';

/** It would start itself again in a process that does not react to signals. */
const DEFAULTS: AgentEnvironment = { GEMINI_CLI_NO_RELAUNCH: 'true' };

export const geminiAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  oldest: '0.61.0',
  offline: DEFAULTS,
  home: { variable: 'GEMINI_CLI_HOME', folder: '' },
  login: {
    how: 'start gemini once and log in, or set GEMINI_API_KEY',
    variables: ['GOOGLE_GENAI_USE_VERTEXAI', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    file: '.gemini/oauth_creds.json',
  },
  hasAllow: true,
  usage: 'live',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation: geminiInvocation({
    program: 'gemini',
    modelFlag: '-m',
    editMode: 'auto_edit',
    // In a folder that it does not trust it would ask, and there is no one to answer.
    unasked: ['--skip-trust'],
    defaults: DEFAULTS,
  }),
  review,
  reviewFiles,
  parse: (line) => readAlone(createGeminiReader(), line),
  reader: createGeminiReader,
  parseError,
  sidecar,
} satisfies KnownAgent;

const POLICY_FILE = 'none.toml';
const NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n';

/** Its policy of the highest rank: rules of the user cannot allow a tool again. */
function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  const args = [
    '--output-format',
    'stream-json',
    '--skip-trust',
    '--extensions',
    'none',
    '--allowed-mcp-server-names',
    'none',
    '--admin-policy',
    `${request.folder}/${POLICY_FILE}`,
    ...flag('-m', agent.model),
    ...agent.args,
  ];
  return invocationOf('gemini', agent, request, args, DEFAULTS);
}

/**
 * It reads variables from the nearest `.env` above its folder, and they can replace its instructions or its provider. So the
 * nearest one is the user's own, which often has the key.
 */
function reviewFiles(environment: AgentEnvironment): readonly ReviewFile[] {
  const home = homeFolder(geminiAgent.home, environment);
  return [
    { path: POLICY_FILE, text: NO_TOOLS },
    { path: '.gemini/.env', firstOf: home === undefined ? [] : [`${home}/.gemini/.env`, `${home}/.env`] },
  ];
}

interface Words {
  readonly program: string;
  readonly modelFlag: string;
  readonly editMode: string;
  /** Added where it may do something without asking. */
  readonly unasked?: readonly string[];
  readonly defaults?: AgentEnvironment;
}

/** The call of Gemini CLI, and of Qwen Code, which is a fork of it with a few other words. */
export function geminiInvocation({ program, modelFlag, editMode, unasked = [], defaults }: Words) {
  return (agent: AgentSpec, request: AgentRequest): Invocation => {
    const allowed = agent.allow.flatMap((entry) => ['--allowed-tools', toolRule(entry)]);
    const permissions = {
      edit: ['--approval-mode', editMode, ...allowed, ...unasked],
      bypass: ['--yolo', ...unasked],
      agent: [],
    }[agent.permissions];
    const args = [
      '--output-format',
      'stream-json',
      ...permissions,
      ...flag(modelFlag, agent.model),
      ...flag('--resume', request.session),
      ...agent.args,
    ];
    return invocationOf(program, agent, request, args, defaults);
  };
}

/** The name of a tool is in small letters with underscores; anything else is a command. */
function toolRule(entry: string): string {
  return /^[a-z]+(?:_[a-z]+)+(?:\(.*\))?$/.test(entry) ? entry : `run_shell_command(${entry})`;
}

/** A longer message is split. */
const MESSAGE_CHARACTERS = 1024 * 1024;

/** Reads Gemini's stream-json. Its text comes in pieces: they are one message until another line comes. */
function createGeminiReader({ now }: { readonly now?: () => Date } = {}): LineReader {
  let said = '';
  let warning: string | undefined;
  const flush = (): readonly AgentEvent[] => {
    const text = said;
    said = '';
    return textEvent(text);
  };
  return namingDenied({
    read(line) {
      const fields = jsonObject(line);
      // Then it stops, and still reports a success.
      if (textAt(fields, 'type') === 'error') warning = textAt(fields, 'message') ?? warning;
      if (textAt(fields, 'type') !== 'message')
        return fields === undefined ? [] : [...flush(), ...eventsOf(fields, warning, now?.())];
      // The prompt is printed, too, as a message of the user.
      if (textAt(fields, 'role') !== 'assistant') return flush();
      const before = fields?.['delta'] === true ? [] : flush();
      said += textAt(fields, 'content') ?? '';
      return said.length > MESSAGE_CHARACTERS ? [...before, ...flush()] : before;
    },
    end: flush,
  });
}

const isSessionMissing = missingSession(
  /^error resuming session: (?:invalid session identifier|no previous sessions)/i,
);

/** Only standard error has why it tries again. */
function parseError(line: string): readonly AgentEvent[] {
  const retry = /^attempt (\d{1,6}) failed(?: with status (\d{3}))?\b[^.]*\. retrying\b/i.exec(line);
  if (retry === null) return isSessionMissing(line);
  const reason = line.slice(line.indexOf('{'));
  const status = retry[2] === undefined ? undefined : Number(retry[2]);
  const message = reason.startsWith('{') ? `${retry[2] ?? ''} ${reason}`.trim() : retry[0];
  return [retryEvent(message, Number(retry[1]), status)];
}

function eventsOf(fields: Fields, warning: string | undefined, now: Date | undefined): readonly AgentEvent[] {
  switch (textAt(fields, 'type')) {
    case 'init':
      return sessionEvent(textAt(fields, 'session_id'));
    case 'tool_use':
      return [
        {
          kind: 'tool-call',
          id: textAt(fields, 'tool_id'),
          name: textAt(fields, 'tool_name') ?? 'a tool',
          input: toolInput(fields['parameters']),
        },
      ];
    case 'tool_result':
      return fromToolResult(fields);
    case 'result':
      return fromResult(fields, warning, now);
    default:
      return [];
  }
}

function fromToolResult(fields: Fields): readonly AgentEvent[] {
  const id = textAt(fields, 'tool_id');
  const error = fieldsAt(fields, 'error');
  const output = textAt(fields, 'output') ?? textAt(error, 'message');
  const failed = textAt(fields, 'status') !== 'success';
  const result: AgentEventOf<'tool-result'> = { kind: 'tool-result', id, failed, output: toolOutput(output) };
  return textAt(error, 'type') === 'policy_violation' ? deniedEvents(result, 'a tool', output) : [result];
}

/** Its figures are those of this invocation, also in a resumed session. */
function fromResult(fields: Fields, warning: string | undefined, now: Date | undefined): readonly AgentEvent[] {
  const usage = usageOf(fieldsAt(fields, 'stats'));
  if (textAt(fields, 'status') !== 'error' && warning === undefined)
    return [...usage, { kind: 'result', outcome: 'success' }];
  const message = textAt(fieldsAt(fields, 'error'), 'message') ?? warning ?? 'Gemini reports an error';
  if (/\bmax(?:imum)? session turns\b/i.test(message))
    return [...usage, { kind: 'result', outcome: 'turns', text: message }];
  const status = /"code":\s?(\d{3})\b/.exec(message)?.[1];
  const failure = failureEvent(message, {
    status: status === undefined ? undefined : Number(status),
    resetsAt: resetTime(message, now),
  });
  return [...usage, failure, { kind: 'result', outcome: 'error', text: failure.message }];
}

function usageOf(stats: Fields | undefined): readonly AgentEvent[] {
  const models = fieldsAt(stats, 'models');
  const names = Object.keys(models ?? {});
  if (names.length === 0) return stats === undefined ? [] : [turn(stats, undefined)];
  return names.map((name) => turn(fieldsAt(models, name), name));
}

/** The output is without the reasoning. The total has it. */
function turn(stats: Fields | undefined, model: string | undefined): AgentEvent {
  const inputTokens = numberAt(stats, 'input_tokens');
  const shown = numberAt(stats, 'output_tokens');
  const outputTokens = allOutput(shown, numberAt(stats, 'total_tokens'), inputTokens);
  const { spend } = cleanSpend({ inputTokens, outputTokens, cacheReadTokens: numberAt(stats, 'cached') });
  // No tokens cost nothing, at any price.
  return { kind: 'usage', scope: 'turn', model, spend: spend.totalTokens === 0 ? NOTHING_SPENT : spend };
}

/** The conversation of a session, as Gemini CLI records it. It has the usage of each message; the stream reports usage at its end. */
function sidecar(session: string, { environment }: Pick<AgentRequest, 'environment'>): Sidecar | undefined {
  const home = homeFolder(geminiAgent.home, environment);
  // The id comes from outside.
  if (!home || !/^[\w-]{8,}$/.test(session)) return undefined;
  return {
    folder: `${home}/.gemini/tmp`,
    matches: (fileName) => fileName.startsWith('session-') && fileName.endsWith(`-${session.slice(0, 8)}.jsonl`),
    reader: (since) => (line) => messageUsage(line, Date.parse(since)),
  };
}

/** A message is written again, under the same id, when its tools are done. */
function messageUsage(line: string, sinceMs: number): readonly AgentEvent[] {
  const fields = jsonObject(line);
  const tokens = fieldsAt(fields, 'tokens');
  if (textAt(fields, 'type') !== 'gemini' || tokens === undefined) return [];
  if (!(Date.parse(textAt(fields, 'timestamp') ?? '') >= sinceMs)) return [];
  const inputTokens = numberAt(tokens, 'input');
  const { spend } = cleanSpend({
    inputTokens,
    outputTokens: allOutput(numberAt(tokens, 'output'), numberAt(tokens, 'total'), inputTokens),
    cacheReadTokens: numberAt(tokens, 'cached'),
    reasoningTokens: numberAt(tokens, 'thoughts'),
  });
  return [{ kind: 'usage', scope: 'request', id: textAt(fields, 'id'), model: textAt(fields, 'model'), spend }];
}
