import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { geminiRecord } from './gemini-record.js';
import { createGeminiReader, parseGemini, parseGeminiError } from './parse-gemini.js';

/** Gemini CLI without a screen. */
export const geminiAgent: AgentAdapter = {
  name: 'gemini',
  usage: 'live',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  parse: parseGemini,
  reader: createGeminiReader,
  parseError: parseGeminiError,
  sidecar: geminiRecord,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'gemini', ...words] = agent.command ?? [];
  const args = [
    ...words,
    '--output-format',
    'stream-json',
    ...permissionArgs(agent),
    ...(agent.model === undefined ? [] : ['-m', agent.model]),
    ...(request.session === undefined ? [] : ['--resume', request.session]),
    ...agent.args,
  ];
  // The process that it would start itself anew in swallows signals.
  const env = { GEMINI_CLI_NO_RELAUNCH: 'true', ...request.environment, ...agent.env };
  return { command, args, env, input: request.prompt };
}

/** A folder that it does not trust puts it back to asking, and nobody is there to answer. */
function permissionArgs({ permissions, allow }: AgentSpec): readonly string[] {
  switch (permissions) {
    case 'edit':
      return [
        '--approval-mode',
        'auto_edit',
        ...allow.flatMap((entry) => ['--allowed-tools', toolRule(entry)]),
        '--skip-trust',
      ];
    case 'bypass':
      return ['--yolo', '--skip-trust'];
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
