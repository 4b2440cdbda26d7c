import { dirname, extname, isAbsolute, relative, resolve } from 'node:path';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import type { ConditionPlace } from './condition-place.js';
import type { ConfigValues } from './config-shape.js';
import { type ConfigFile, readConfigFile } from './config-file.js';
import { expandShorthands, type WrittenPaths, writtenPath } from './expand-shorthands.js';
import type { Layer } from './layer.js';
import { parseJson } from './parse-json.js';
import { parseYaml } from './parse-yaml.js';
import { readConfigValues } from './read-shape.js';
import { offsetOf, plainValue, type SourceNode, textPlaces } from './source-node.js';

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
        issues: options.required ? [{ path: '', place: name, message: 'there is no such file' }] : [],
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
  const parsed = extname(options.path).toLowerCase() === '.json' ? parseJson(text) : parseYaml(text);
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
  const { values, writtenPaths } = valuesOf(root, options, issues);
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
  return { layer, issues: issues.map(locate) };
}

function valuesOf(
  root: SourceNode | undefined,
  options: FileLayerOptions,
  issues: Issue[],
): { readonly values: ConfigValues; readonly writtenPaths: WrittenPaths } {
  const input = root === undefined ? undefined : plainValue(root);
  const { recordOf: where } = options;
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
