import type { Issue } from '../model/errors.js';
import type { ConfigValues } from './config-shape.js';

type Values = Readonly<Record<string, unknown>>;

/** From the path that the rest knows a value by to the one where it was written. */
export type WrittenPaths = ReadonlyMap<string, string>;

interface Expansion {
  readonly issues: Issue[];
  readonly writtenPaths: Map<string, string>;
}

/** Turns other ways of writing into the one that the rest reads; what is then there twice is an issue. */
export function expandShorthands(
  values: ConfigValues,
  issues: Issue[],
): { readonly values: ConfigValues; readonly writtenPaths: WrittenPaths } {
  const expansion: Expansion = { issues, writtenPaths: new Map() };
  if (values.prompt !== undefined && values.prompt_path !== undefined) {
    issues.push({ path: 'prompt', message: 'prompt_path is also set; keep one of the two' });
  }
  const expanded = withAgent(withSession(withStop(values, expansion), expansion), expansion);
  return { values: expanded, writtenPaths: expansion.writtenPaths };
}

/** Where a value was written. */
export function writtenPath(path: string, writtenPaths: WrittenPaths): string {
  for (const [known, written] of writtenPaths) {
    if (path === known || path.startsWith(`${known}[`)) return written + path.slice(known.length);
  }
  return path;
}

function withStop(values: ConfigValues, expansion: Expansion): ConfigValues {
  const { stop_conditions, ...rest } = values;
  if (stop_conditions === undefined) return values;
  const stop: Record<string, unknown> = { ...rest.stop };
  for (const [key, value] of Object.entries(stop_conditions)) {
    move(expansion, stop, `stop.${key}`, key, `stop_conditions.${key}`, value);
  }
  return { ...rest, stop };
}

function withSession(values: ConfigValues, expansion: Expansion): ConfigValues {
  if (values.session === undefined) return values;
  const { session_timeout, persist_sessions, ...rest } = values.session;
  const session: Record<string, unknown> = { ...rest };
  move(expansion, session, 'session.timeout', 'timeout', 'session.session_timeout', session_timeout);
  move(expansion, session, 'session.persist', 'persist', 'session.persist_sessions', persist_sessions);
  return { ...values, session };
}

function move(
  { issues, writtenPaths }: Expansion,
  into: Record<string, unknown>,
  path: string,
  key: string,
  from: string,
  value: unknown,
): void {
  if (value === undefined) return;
  if (into[key] !== undefined) issues.push({ path: from, message: `${path} is also set; keep one of the two` });
  writtenPaths.set(path, from);
  into[key] = value;
}

/** A command without a name is an agent of its own; `claude_command` is how claude is started. */
function withAgent(values: ConfigValues, { issues, writtenPaths }: Expansion): ConfigValues {
  const { agent } = values;
  const { claude_command, ...session } = values.session ?? {};
  if (claude_command !== undefined) {
    const path = 'session.claude_command';
    if ((agent?.name !== undefined && agent.name !== 'claude') || agent?.command !== undefined) {
      const message = 'this sets the command of the agent claude, but `agent` names another one; keep one of the two';
      issues.push({ path, message });
    }
    writtenPaths.set('agent.command', path);
    if (agent?.name === undefined) writtenPaths.set('agent.name', path);
    return { ...values, session, agent: { ...agent, name: 'claude', command: claude_command } };
  }
  if (agent?.command === undefined || agent.name !== undefined) return values;
  writtenPaths.set('agent.name', 'agent.command');
  return { ...values, agent: { ...agent, name: 'command' } satisfies Values };
}
