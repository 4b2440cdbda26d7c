import { resolve } from 'node:path';
import {
  inOrder,
  readConfigFile,
  offsetOf,
  plainValue,
  type SourceEntry,
  type SourceNode,
  textPlaces,
} from '../../config/config-file.js';
import { parseSource } from '../../config/parse-yaml.js';
import { readValues } from '../../config/read-shape.js';
import { ConfigError, type Issue } from '../../model/errors.js';
import { clip } from '../../model/show-value.js';
import { checkFolder } from '../check-folder.js';
import { fixManifest } from './fix-manifest.js';
import { MANIFEST, type ManifestValues } from './manifest-shape.js';

/** A manifest as it is in its file, with the place of everything in it. */
export interface ManifestFile {
  readonly name: string;
  readonly values: Partial<ManifestValues>;
  /** What is wrong so far, each with its place. */
  readonly issues: readonly Issue[];
  /** File, line and column of what stands at a key path. */
  readonly placeOf: (path: string) => string;
  readonly locate: (issue: Issue) => Issue;
}

export const MANIFEST_NAMES = ['pipeline.yaml', 'pipeline.yml', 'pipeline.json'] as const;

/**
 * Reads and checks a manifest for itself. Throws ConfigError when it cannot be read at all. Executes nothing. For a run that
 * is recorded, commands may be written as in earlier versions.
 */
export function readManifestFile(path: string, cwd: string, isRecorded = false): ManifestFile {
  checkFolder(cwd);
  const name = clip(path);
  const file = readConfigFile(resolve(cwd, path));
  if (file.kind === 'missing') throw problem(name, 'no such file');
  if (file.kind === 'refused') throw problem(name, file.message);
  return parseManifest(isRecorded ? fixManifest(file.text) : file.text, name);
}

/** Whether a file is the manifest of a pipeline rather than a config: it names items. */
export function isManifest(path: string): boolean {
  const file = readConfigFile(path);
  const parsed = file.kind === 'read' ? parseSource(file.text, path) : undefined;
  const root = parsed !== undefined && 'root' in parsed ? parsed.root : undefined;
  return root?.kind === 'mapping' && root.entries.some(({ key }) => key === 'items' || key === 'generate');
}

/** Checks the text of a manifest; by the end of its name it is JSON, else YAML. */
export function parseManifest(text: string, name: string): ManifestFile {
  const placeAt = textPlaces(text);
  const parsed = parseSource(text, name);
  if ('problems' in parsed) {
    const issues = parsed.problems.map(({ offset, message }) => ({
      path: '',
      message,
      place: `${name}:${placeAt(offset)}`,
    }));
    throw new ConfigError(issues);
  }
  if (parsed.root === undefined) throw problem(name, 'is empty; a manifest has at least items and generate');
  const root = withWrittenIds(parsed.root, text);
  const locate = (issue: Issue): Issue => ({ ...issue, place: `${name}:${placeAt(offsetOf(root, issue))}` });
  const issues: Issue[] = [];
  const values = readValues(MANIFEST, plainValue(root), { spelling: 'snake', issues, where: 'pipeline' });
  return {
    name,
    values,
    issues: inOrder(issues, root).map(ofOneFile).map(locate),
    placeOf: (at) => locate({ path: at, message: '' }).place ?? name,
    locate,
  };
}

/** The rule of a path inside the working directory is also that of globs, which an output is not. */
function ofOneFile(issue: Issue): Issue {
  if (issue.path !== 'generate.output') return issue;
  return { ...issue, message: issue.message.replace('a path or glob', 'a path') };
}

function problem(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}

const NUMBER = /[-+.\w]+/y;

/** A manifest in which every id is as it is written: for YAML 1.50 is 1.5, and 007 is 7. */
function withWrittenIds(root: SourceNode, text: string): SourceNode {
  const written = (node: SourceNode): SourceNode => asWritten(node, text);
  return changedAt(root, 'items', (items) =>
    items.kind === 'list'
      ? { ...items, items: items.items.map((item) => changedAt(written(item), 'id', written)) }
      : items,
  );
}

function asWritten(node: SourceNode, text: string): SourceNode {
  if (node.kind !== 'scalar' || !Number.isFinite(node.value)) return node;
  NUMBER.lastIndex = node.offset;
  const [value] = NUMBER.exec(text) ?? [];
  return value === undefined ? node : { ...node, value };
}

function changedAt(node: SourceNode, key: string, change: (value: SourceNode) => SourceNode): SourceNode {
  if (node.kind !== 'mapping') return node;
  const changed = (entry: SourceEntry) => (entry.key === key ? { ...entry, value: change(entry.value) } : entry);
  return { ...node, entries: node.entries.map(changed) };
}
