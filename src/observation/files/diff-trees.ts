import type { Environment } from '../../process/run-tool.js';
import { type CallLimits, ShadowRepository, makeStateFolder, shadowFolder } from './shadow-repository.js';
import { isStandIn } from './large-files.js';
import { ownFilesIn, type PathBytes, shownFrom, findWorkTree } from './work-tree.js';
import { entryChanges } from './tree-entries.js';

export type DiffForm = 'patch' | 'stat' | 'names';

export interface DiffRequest {
  readonly workingDir: string;
  readonly environment: Environment;
  readonly before: string;
  readonly after: string;
  readonly form: DiffForm;
  readonly columns?: number | undefined;
}

export interface TreeDiff {
  readonly output: Buffer;
  /** Changed files of which only a stand-in was kept: they are in no patch. */
  readonly leftOut: readonly string[];
  /** The folder that the paths of a patch begin at, when it is not the working directory. */
  readonly top?: string | undefined;
}

const FORMS: Readonly<Record<DiffForm, readonly string[]>> = {
  patch: ['--patch', '--binary', '--full-index'],
  stat: ['--stat'],
  names: ['--name-status', '-z'],
};
const TIMEOUT_MS = 60_000;
/** A stand-in is shorter. */
const SHORT_BYTES = 300;

/** The difference of two snapshots as git prints it. Reads only, so that it can be asked for while a run is at work. */
export async function diffTrees(request: DiffRequest): Promise<TreeDiff> {
  const { workingDir, environment, before, after, form, columns } = request;
  const tree = findWorkTree(workingDir);
  const stateFolder = makeStateFolder(environment);
  const shadow = new ShadowRepository({
    folder: shadowFolder(stateFolder, tree.top),
    tree,
    ownFiles: ownFilesIn(tree, stateFolder),
    environment,
  });
  const limits = { endsAtMs: performance.now() + TIMEOUT_MS };
  const standIns = form === 'names' ? [] : await changedStandIns(shadow, before, after, limits);
  const shape = columns === undefined || form !== 'stat' ? FORMS[form] : [`--stat=${columns}`];
  const settings = ['-c', 'core.bigFileThreshold=4m', '-c', 'core.quotePath=false'];
  const plain = ['--no-color', '--no-textconv', '--no-ext-diff', before, after, '--'];
  const without = standIns.length === 0 ? [] : ['.', ...standIns.map((path) => `:(exclude,literal,top)${utf8(path)}`)];
  const args = [...settings, 'diff-tree', '-r', '-M', ...shape, ...plain, ...without];
  const { stdout } = await shadow.git(args, limits);
  return {
    output: stdout,
    leftOut: standIns.map((path) => shownFrom('', path)),
    ...(tree.top === tree.workingDir ? {} : { top: tree.top }),
  };
}

/** Changed paths with a stand-in on either side. */
async function changedStandIns(
  shadow: ShadowRepository,
  before: string,
  after: string,
  limits: CallLimits,
): Promise<readonly PathBytes[]> {
  const changes = await entryChanges(shadow, before, after, limits);
  const blobs = [...new Set(changes.flatMap((change) => [change.before?.blob ?? [], change.after?.blob ?? []].flat()))];
  const sizes = await shadow.git(['cat-file', '--batch-check'], limits, {
    input: blobs.map((blob) => `${blob}\n`).join(''),
  });
  const short = sizes.stdout
    .toString()
    .split('\n')
    .flatMap((line) => (Number(line.split(' ')[2]) <= SHORT_BYTES ? [line.split(' ')[0] ?? ''] : []));
  const found = new Set<string>();
  const contents = await shadow.git(['cat-file', '--batch'], limits, {
    input: short.map((blob) => `${blob}\n`).join(''),
  });
  for (let rest = contents.stdout; rest.length > 0; ) {
    const end = rest.indexOf('\n');
    const [blob = '', , size] = rest.toString('latin1', 0, end).split(' ');
    if (isStandIn(rest.subarray(end + 1, end + 1 + Number(size)))) found.add(blob);
    rest = rest.subarray(end + 1 + Number(size) + 1);
  }
  return changes
    .filter((change) => found.has(change.before?.blob ?? '') || found.has(change.after?.blob ?? ''))
    .map(({ path }) => path);
}

function utf8(path: PathBytes): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
