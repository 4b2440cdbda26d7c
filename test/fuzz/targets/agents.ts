import { join } from 'node:path';
import type { AgentAdapter } from '../../../src/agents/adapter.js';
import { AGENT_NAMES, findAdapter } from '../../../src/agents/find-adapter.js';
import type { FuzzTarget } from '../fuzz-target.js';
import { eventsFault } from './agent-events.js';
import { recordingsIn, windowsOf } from './recordings.js';

const NOW = new Date('2026-11-15T12:00:00Z');

/** The messages of Pawl's own protocol, which any command may print. */
const PROTOCOL = [
  '{"pawl":"session","id":"s-1"}\n{"pawl":"text","text":"working"}\n{"pawl":"usage","model":"m","input_tokens":10,"output_tokens":1,"cost_usd":0.01}',
  '{"pawl":"tool-call","id":"1","name":"sh","input":"ls"}\n{"pawl":"tool-result","id":"1","failed":true,"output":"no"}',
  '{"pawl":"permission-denied","tool":"sh","detail":"no"}\n{"pawl":"error","kind":"other","message":"broken"}',
  '{"pawl":"limit","limit":"usage-limit","resets_at":"2026-11-15T13:00:00Z","message":"wait"}\n{"pawl":"context","used_tokens":5,"window_tokens":10}',
  'plain words\n{"pawl":"result","outcome":"success","text":"done"}',
];

/** The readers of all agents that Pawl knows. */
export const AGENT_TARGETS: Readonly<Record<string, FuzzTarget>> = Object.fromEntries(
  AGENT_NAMES.flatMap((name) => {
    const adapter = findAdapter(name);
    return adapter === undefined ? [] : [[`agent ${name}`, agentTarget(adapter)]];
  }),
);

function agentTarget(adapter: AgentAdapter): FuzzTarget {
  return {
    corpus: (root) =>
      adapter.name === 'command'
        ? PROTOCOL
        : windowsOf(recordingsIn(join(root, 'test', 'fixtures', 'streams', adapter.name), '.jsonl'), 4),
    check: (input) => {
      const lines = input.toString('utf8').split('\n');
      const reader = adapter.reader?.({ now: () => NOW });
      const told = [...lines.flatMap((line) => reader?.read(line) ?? adapter.parse(line)), ...(reader?.end() ?? [])];
      const errors = lines.flatMap((line) => adapter.parseError?.(line) ?? []);
      return eventsFault(told, input.length, lines.length) ?? eventsFault(errors, input.length, lines.length);
    },
  };
}
