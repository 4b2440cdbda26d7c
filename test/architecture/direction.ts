import { importedPath, type SourceFile } from './source-file.js';

const EVERYTHING = [
  'model',
  'stop',
  'config',
  'pricing',
  'agents',
  'process',
  'workspace',
  'observation',
  'clean-room',
  'iteration',
  'journal',
  'run',
  'pipeline',
  'agent',
  'import',
  'replay',
  'tune',
  'fleet',
  'setup',
  'standalone',
  'testing',
  'words',
  'app',
  'views',
] as const;

const BELOW_VIEWS = EVERYTHING.filter((folder) => folder !== 'views' && folder !== 'iteration' && folder !== 'process');

/** What every door may use: what a person can do, its words, and how text is laid out. */
const OF_A_VIEW = [...BELOW_VIEWS, 'views/text'];

type Folder =
  | Exclude<(typeof EVERYTHING)[number], 'views'>
  | `views/${'cli' | 'mcp' | 'text' | 'tui' | 'web' | 'web/client' | 'web/wire'}`
  | 'index.ts'
  | 'version.ts';

/** Which folders of src each may import from, beside itself. */
export const MAY_IMPORT: Readonly<Record<Folder, readonly string[]>> = {
  model: [],
  stop: ['model'],
  // The names of the agents come from their objects.
  config: ['model', 'agents'],
  pricing: ['model'],
  agents: ['model'],
  process: ['model'],
  journal: ['model'],
  // Its locks and folders are made as those of a run's record.
  workspace: ['model', 'process', 'journal'],
  // Snapshots are kept where records are, and taken with the same git as commits.
  observation: ['model', 'process', 'pricing', 'agents', 'journal', 'workspace'],
  // What a process that was killed has left is known by the identity that locks record.
  'clean-room': ['model', 'process', 'journal'],
  iteration: ['model', 'agents', 'process', 'observation', 'clean-room'],
  // A runner is made from a config.
  run: ['model', 'stop', 'config', 'journal', 'process', 'workspace', 'observation', 'clean-room', 'iteration'],
  // A manifest is read by the reader of the config, and an audit is an observer.
  pipeline: ['model', 'stop', 'config', 'journal', 'observation', 'run', 'iteration'],
  // An agent is made from a config, its provider refuses in the words of all providers, and a condition of Pawl's can stop others.
  agent: ['model', 'stop', 'config', 'journal', 'agents', 'pricing', 'run', 'iteration', 'standalone'],
  // An imported session is recorded as an agent's own events are.
  import: ['model', 'agents', 'journal', 'observation', 'iteration'],
  replay: ['model', 'stop', 'journal'],
  // Runs are judged as a replay judges them.
  tune: ['model', 'stop', 'replay'],
  fleet: ['model', 'config', 'journal', 'process', 'workspace', 'run'],
  setup: ['config', 'agents', 'process', 'workspace'],
  standalone: ['model', 'stop', 'pricing', 'observation', 'process'],
  testing: ['model', 'journal', 'iteration', 'fleet'],
  // What every view says in the same words.
  words: ['model', 'stop'],
  app: BELOW_VIEWS.filter((folder) => folder !== 'app' && folder !== 'testing'),
  'views/text': BELOW_VIEWS,
  'views/tui': OF_A_VIEW,
  'views/cli': [...OF_A_VIEW, 'views/tui', 'views/web', 'views/mcp'],
  'views/web': [...OF_A_VIEW, 'views/web/wire'],
  'views/mcp': OF_A_VIEW,
  // What the page and its server say to each other, and the fold that both show.
  'views/web/wire': ['model'],
  'views/web/client': ['model', 'stop', 'words', 'views/web/wire'],
  'index.ts': EVERYTHING,
  // A constant that anything may show.
  'version.ts': [],
};

export function folderOf(path: string): string {
  const inside = path.replace(/^src\//, '');
  const part = /^views\/(?:web\/(?:client|wire)|[^/]+)(?=\/)/.exec(inside);
  if (part !== null) return part[0];
  return inside.split('/')[0] ?? inside;
}

/** Imports that go the wrong way, each as a sentence. */
export function wrongImports(file: SourceFile): readonly string[] {
  const from = folderOf(file.path);
  const allowed = (MAY_IMPORT as Readonly<Record<string, readonly string[]>>)[from];
  if (allowed === undefined) return [`${file.path} lies in a folder that the architecture does not name`];
  return file.imports.flatMap((specifier) => {
    const path = importedPath(file, specifier);
    if (path === undefined) return [];
    const to = folderOf(path);
    return to === from || to === 'version.ts' || allowed.includes(to)
      ? []
      : [`${file.path} imports ${path}, but ${from} may import only ${allowed.join(', ') || 'itself'}`];
  });
}

/** A chain of files that import each other in a circle, if there is one. */
export function importCycle(files: readonly SourceFile[]): readonly string[] | undefined {
  const importsByPath = new Map(
    files.map((file) => [file.path, file.imports.flatMap((specifier) => importedPath(file, specifier) ?? [])]),
  );
  const finished = new Set<string>();
  const follow = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (finished.has(path)) return undefined;
    for (const next of importsByPath.get(path) ?? []) {
      const cycle = follow(next, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(path);
    return undefined;
  };
  for (const path of importsByPath.keys()) {
    const cycle = follow(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
