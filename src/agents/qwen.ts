import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { createQwenReader, parseQwen, parseQwenError } from './parse-qwen.js';
import { qwenRecord } from './qwen-record.js';

/** Qwen Code without a screen. */
export const qwenAgent: AgentAdapter = {
  name: 'qwen',
  usage: 'live',
  context: 'requests',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  parse: parseQwen,
  reader: createQwenReader,
  parseError: parseQwenError,
  sidecar: qwenRecord,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'qwen', ...words] = agent.command ?? [];
  const args = [
    ...words,
    '--output-format',
    'stream-json',
    ...permissionArgs(agent),
    ...(agent.model === undefined ? [] : ['--model', agent.model]),
    ...(request.session === undefined ? [] : ['--resume', request.session]),
    ...agent.args,
  ];
  return { command, args, env: { ...request.environment, ...agent.env }, input: request.prompt };
}

function permissionArgs({ permissions, allow }: AgentSpec): readonly string[] {
  switch (permissions) {
    case 'edit':
      return ['--approval-mode', 'auto-edit', ...allow.flatMap((entry) => ['--allowed-tools', toolRule(entry)])];
    case 'bypass':
      return ['--yolo'];
    case 'agent':
      return [];
    default:
      return permissions satisfies never;
  }
}

/** A tool of its own is written in small letters with underscores; anything else is a command. */
function toolRule(entry: string): string {
  return /^[a-z]+(?:_[a-z]+)+(?:\(.*\))?$/.test(entry) ? entry : `run_shell_command(${entry})`;
}
