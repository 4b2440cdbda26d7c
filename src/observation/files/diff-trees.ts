import type { Environment } from './git-tool.js';
import { ownFilesIn } from './own-files.js';
import { ShadowRepository } from './shadow-repository.js';
import { makeStateFolder, shadowFolder } from './state-folder.js';
import { findWorkTree } from './work-tree.js';

export type DiffForm = 'patch' | 'stat' | 'names';

export interface DiffRequest {
  readonly workingDir: string;
  readonly environment: Environment;
  readonly before: string;
  readonly after: string;
  readonly form: DiffForm;
  readonly columns?: number | undefined;
}

const FORMS: Readonly<Record<DiffForm, readonly string[]>> = {
  patch: ['--patch'],
  stat: ['--stat'],
  names: ['--name-status', '-z'],
};
const TIMEOUT_MS = 60_000;

/** The difference of two snapshots as git prints it. Reads only, so that it can be asked for while a run is at work. */
export async function diffTrees({
  workingDir,
  environment,
  before,
  after,
  form,
  columns,
}: DiffRequest): Promise<Buffer> {
  const tree = findWorkTree(workingDir);
  const stateFolder = makeStateFolder(environment);
  const shadow = new ShadowRepository({
    folder: shadowFolder(stateFolder, tree.top),
    tree,
    ownFiles: ownFilesIn(tree.top, stateFolder),
    environment,
  });
  const width = columns === undefined || form !== 'stat' ? FORMS[form] : [`--stat=${columns}`];
  const args = ['-c', 'core.bigFileThreshold=4m', '-c', 'core.quotePath=false', 'diff-tree', '-r', '-M', ...width];
  const plain = ['--no-color', '--no-textconv', '--no-ext-diff', before, after, '--'];
  const { stdout } = await shadow.git([...args, ...plain], { endsAtMs: performance.now() + TIMEOUT_MS });
  return stdout;
}
