import type { AgentEvent } from '../../model/agent-event.js';
import type { AgentRequest, SessionRecord } from '../adapter.js';
import { jsonObject, textAt } from '../agent-events.js';
import { type AgentHome, homeFolder } from '../known-agent.js';
import { parseClaude } from './parse.js';

export const CLAUDE_HOME: AgentHome = { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' };

const NAME_CHARACTERS = 200;

/** The transcript that Claude Code keeps of a session; it has the true usage of each request. */
export function claudeTranscript(
  session: string,
  { workingDir, environment }: Pick<AgentRequest, 'workingDir' | 'environment'>,
): SessionRecord | undefined {
  const folder = homeFolder(CLAUDE_HOME, environment);
  // The agent reports the id, and it becomes a part of a path.
  if (!folder || !/^[\w-]+$/.test(session)) return undefined;
  return { path: `${folder}/projects/${projectName(workingDir)}/${session}.jsonl`, parse: usageSince };
}

/** How Claude Code names the folder of a project. The path must be the real one. */
function projectName(workingDir: string): string {
  const path = workingDir.normalize('NFC');
  const name = path.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= NAME_CHARACTERS ? name : `${name.slice(0, NAME_CHARACTERS)}-${hashOf(path)}`;
}

/** How Claude Code shortens a path that is too long for a name. */
function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return Math.abs(hash).toString(36);
}

/** Its lines are those of the stream, each with its time. */
function usageSince(line: string, since: string): readonly AgentEvent[] {
  const time = Date.parse(textAt(jsonObject(line), 'timestamp') ?? '');
  return time >= Date.parse(since) ? parseClaude(line).filter(isRequestUsage) : [];
}

function isRequestUsage(event: AgentEvent): boolean {
  return event.kind === 'usage' && event.scope === 'request';
}
