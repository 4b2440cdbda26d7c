import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import type { ConditionPlace } from './condition-place.js';
import type { ConfigValues } from './config-shape.js';
import {
  type ConfigFile,
  inOrder,
  readConfigFile,
  offsetOf,
  plainValue,
  type SourceNode,
  textPlaces,
} from './config-file.js';
import type { Layer } from './layer.js';
import { parseSource } from './parse-yaml.js';
import { withModels } from './read-models.js';
import { readConfigValues } from './read-shape.js';

export interface FileLayerOptions {
  readonly source: 'user-file' | 'project-file';
  readonly path: string;
  readonly cwd: string;
  /** A file that was asked for must be there. */
  readonly required: boolean;
  /** What its conditions are for, when they are those of a record. */
  readonly recordOf?: ConditionPlace | undefined;
}

export interface FileLayer {
  readonly layer?: Layer;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** Reads, parses and validates one file. No layer when the file is not there or cannot be parsed. */
export function readFileLayer(options: FileLayerOptions): FileLayer {
  const name = nameOf(options.path, options.cwd);
  const file = readConfigFile(options.path);
  switch (file.kind) {
    case 'missing':
      return {
        issues: options.required ? [{ path: '', place: name, message: 'no such file' }] : [],
        warnings: [],
      };
    case 'refused':
      return { issues: [{ path: '', place: name, message: file.message }], warnings: [] };
    case 'read':
      return readLayer(file, name, options);
    default:
      return file satisfies never;
  }
}

/** The text of a config file as a layer; `name` is how messages call the file. */
export function parseLayer(text: string, name: string, options: FileLayerOptions): Omit<FileLayer, 'warnings'> {
  const placeAt = textPlaces(text);
  const parsed = parseSource(text, options.path);
  if ('problems' in parsed) {
    const issues = parsed.problems.map(({ offset, message }) => ({
      path: '',
      message,
      place: `${name}:${placeAt(offset)}`,
    }));
    return { issues };
  }
  const { root } = parsed;
  const placeOf = (issue: Issue) => `${name}:${placeAt(root === undefined ? 0 : offsetOf(root, issue))}`;
  const locate = (issue: Issue): Issue => ({ ...issue, place: placeOf(issue) });
  const issues: Issue[] = [];
  /** They have their places already. */
  const ofModels: Issue[] = [];
  const { values, writtenPaths } = valuesOf(root, options, issues, ofModels);
  const layer: Layer = {
    source: options.source,
    values,
    originOf: (path) => ({
      source: options.source,
      place: placeOf({ path: writtenPath(path, writtenPaths), message: '' }),
    }),
    locate: (issue) => locate({ ...issue, path: writtenPath(issue.path, writtenPaths) }),
  };
  // What can be read of it is judged all the same, so that every mistake is named at once.
  return { layer, issues: [...inOrder(issues, root).map(locate), ...ofModels] };
}

function valuesOf(
  root: SourceNode | undefined,
  options: FileLayerOptions,
  issues: Issue[],
  ofModels: Issue[],
): { readonly values: ConfigValues; readonly writtenPaths: WrittenPaths } {
  const plain = root === undefined ? undefined : plainValue(root);
  const { recordOf: where } = options;
  // What is typed to try it on a record reads no file.
  const input =
    where === undefined ? withModels(plain, dirname(resolve(options.cwd, options.path)), ofModels, issues) : plain;
  const read = readConfigValues(input, { spelling: 'snake', issues, where, isRecorded: where !== undefined });
  const { values, writtenPaths } = expandShorthands(read, issues);
  if (values.working_dir === undefined) return { values, writtenPaths };
  const base = options.source === 'project-file' ? dirname(resolve(options.cwd, options.path)) : options.cwd;
  return { values: { ...values, working_dir: resolve(base, values.working_dir) }, writtenPaths };
}

type ReadFile = Extract<ConfigFile, { kind: 'read' }>;

/** What the user's own file says is done unasked, so it has to be the user's. The commands of a project's are asked about. */
function readLayer(file: ReadFile, name: string, options: FileLayerOptions): FileLayer {
  if (!isOfAnother(file)) return { ...parseLayer(file.text, name, options), warnings: [] };
  const whose = `belongs to another user (${file.ownerId})`;
  if (options.source === 'user-file') {
    const message = `${whose}, and your own config must belong to you: change its owner, or remove it`;
    return { issues: [{ path: '', place: name, message }], warnings: [] };
  }
  const warning = { path: '', place: name, message: `${whose}; its commands would run as you` };
  return { ...parseLayer(file.text, name, options), warnings: [warning] };
}

/** What belongs to the system is everybody's. */
function isOfAnother({ ownerId }: ReadFile): boolean {
  const userId = process.getuid?.();
  return userId !== undefined && ownerId !== userId && ownerId !== 0;
}

function nameOf(path: string, cwd: string): string {
  const absolute = resolve(cwd, path);
  const near = relative(cwd, absolute);
  return printable(near === '' || near.startsWith('..') || isAbsolute(near) ? absolute : near);
}

function printable(path: string): string {
  return path.length > 60 ? path.replace(/\p{Cc}/gu, '?') : clip(path);
}

type Values = Readonly<Record<string, unknown>>;

/** From the path that the rest knows a value by to the one where it was written. */
type WrittenPaths = ReadonlyMap<string, string>;

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
