import { join } from 'node:path';
import { claudeTranscript } from '../../../src/agents/claude/transcript.js';
import { codexRollout } from '../../../src/agents/codex/rollout.js';
import { mappedReader } from '../../../src/agents/mapped.js';
import type { AgentDefinition } from '../../../src/model/agent-definition.js';
import type { AgentEvent } from '../../../src/model/agent-event.js';
import type { FuzzTarget } from '../fuzz-target.js';
import { eventsFault } from './agent-events.js';
import { recordingsIn, windowsOf } from './recordings.js';

const SINCE = '2026-11-15T12:00:00.000Z';
const TOKENS =
  '{"input_tokens":3000,"cached_input_tokens":10,"output_tokens":5,"reasoning_output_tokens":1,"total_tokens":3005}';
const ROLLOUT = [
  `{"timestamp":"2026-11-15T12:41:10.934Z","type":"turn_context","payload":{"model":"m"}}`,
  `{"timestamp":"2026-11-15T12:41:11.934Z","type":"token_usage_record","payload":{"response_id":"r1","usage":${TOKENS},"thread_token_usage":${TOKENS}}}`,
  `{"timestamp":"2026-11-15T12:41:12.934Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":${TOKENS},"total_token_usage":${TOKENS},"model_context_window":258400}}}`,
];

const DEFINITION: AgentDefinition = {
  name: 'mine',
  command: ['mine'],
  args: [],
  usage: 'live',
  signals: ['SIGTERM'],
  output: 'text',
  events: {
    session: { when: { type: ['start'] }, id: ['session', 'thread.id'] },
    text: { when: { type: ['message'], role: ['assistant', 'model'] }, text: ['content[*].text', 'content'] },
    toolCall: { when: { type: ['message'] }, each: ['content'], name: ['tool'], id: ['id'], input: ['with'] },
    toolResult: { when: {}, each: ['results'], output: ['out'], id: ['id'], failedWhen: { ok: [false] } },
    usage: {
      when: {},
      scope: 'request',
      input: ['usage.input'],
      output: ['usage.output'],
      cacheRead: ['usage.cached'],
      cacheWrite: ['usage.written'],
      reasoning: ['usage.thought'],
      total: ['usage.total'],
      cost: ['usage.usd'],
      model: ['model'],
      id: ['id'],
      inputIncludesCache: false,
      outputIncludesReasoning: false,
    },
    limit: { when: { type: ['wait'] }, limit: 'usage-limit', message: ['why'], resetsAt: ['until'] },
    error: { when: { type: ['error'] }, message: ['error.message'], status: ['error.status'] },
    result: { when: { type: ['end'] }, text: ['last'], successWhen: { code: [0] } },
  },
};

const MAPPED = [
  '{"type":"start","session":"s-1"}\n{"type":"message","role":"model","content":"hello"}',
  '{"type":"message","role":"assistant","content":[{"text":"a"},{"tool":"sh","id":"t1","with":{"c":1}},{"text":"b"}]}',
  '{"results":[{"out":"yes","id":"t1","ok":true},{"out":"no","ok":false}]}\n{"type":"end","last":"done","code":0}',
  '{"type":"x","id":"r1","model":"m","usage":{"input":10,"output":2,"cached":1,"written":1,"thought":1,"total":12,"usd":0.01}}',
  '{"type":"wait","why":"later","until":1763208000}\n{"type":"error","error":{"message":"overloaded","status":529}}',
];

/** What agents write beside their streams, and agents of the user's own. */
export const RECORD_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  'record of claude': linesTarget(
    (root) =>
      windowsOf(recordingsIn(join(root, 'test', 'fixtures', 'streams', 'claude'), '.jsonl'), 4).map((text) =>
        text.replaceAll(/^\{/gm, '{"timestamp":"2026-11-15T12:41:10.934Z",'),
      ),
    () => {
      const found = claudeTranscript('s-1', { workingDir: '/project', environment: { HOME: '/home' } });
      return { read: (line) => found?.parse(line, SINCE) ?? [] };
    },
  ),
  'record of codex': linesTarget(
    () => [ROLLOUT.join('\n')],
    () => ({ read: codexRollout('s-1', { environment: { HOME: '/home' } })?.reader(SINCE) ?? (() => []) }),
  ),
  'agent of the user': linesTarget(
    () => MAPPED,
    () => mappedReader(DEFINITION),
  ),
};

interface Reader {
  readonly read: (line: string) => readonly AgentEvent[];
  readonly end?: () => readonly AgentEvent[];
}

function linesTarget(corpus: FuzzTarget['corpus'], open: () => Reader): FuzzTarget {
  return {
    corpus,
    check: (input) => {
      const lines = input.toString('utf8').split('\n');
      const reader = open();
      const told = [...lines.flatMap((line) => reader.read(line)), ...(reader.end?.() ?? [])];
      return eventsFault(told, input.length, lines.length);
    },
  };
}
