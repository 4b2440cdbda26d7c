import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  readdirSync,
  realpathSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { stateHome } from '../../journal/run-places.js';
import type { Environment } from '../../process/run-tool.js';
import { type GitAnswer, type GitPlace, runGit } from '../../workspace/git.js';
import type { OwnFiles, WorkTree } from './work-tree.js';

const SETTINGS = {
  'core.bare': 'false',
  'core.logAllRefUpdates': 'false',
  'core.autocrlf': 'false',
  'core.protectNTFS': 'false',
  'core.protectHFS': 'false',
  'core.bigFileThreshold': '16m',
  'core.preloadIndex': 'true',
  'core.untrackedCache': 'true',
  'status.showUntrackedFiles': 'all',
  'index.version': '4',
  'index.threads': 'true',
};
/** Files are taken byte by byte, and no filter of the tree is executed. */
const ATTRIBUTES = '* -text -eol -filter -ident -working-tree-encoding !diff !whitespace\n';
const UNBORN = 'ref: refs/heads/none';
/** Whatever git of the future prefers. */
const FORMATS = { GIT_DEFAULT_HASH: 'sha1', GIT_DEFAULT_REF_FORMAT: 'files' };

/** Whether what was known of the repository still holds. */
interface Prepared {
  /** It was made again: earlier snapshots are gone. */
  readonly isNew: boolean;
  /** The rules of what is ignored are others than before. */
  readonly hasNewRules: boolean;
}

/**
 * A git repository of our own, outside the work tree, whose index follows the work tree. Anyone who uses it holds the lock
 * of the work tree.
 */
export class ShadowRepository {
  readonly folder: string;
  readonly tree: WorkTree;
  readonly ownFiles: OwnFiles;
  readonly #environment: Environment;
  #userSettings: Readonly<Record<string, string>> = {};

  constructor(options: { folder: string; tree: WorkTree; ownFiles: OwnFiles; environment: Environment }) {
    this.folder = options.folder;
    this.tree = options.tree;
    this.ownFiles = options.ownFiles;
    this.#environment = options.environment;
  }

  /** How the user's repository wants the tree to be seen. */
  seeAs(userSettings: Readonly<Record<string, string>>): void {
    this.#userSettings = userSettings;
  }

  async git(
    args: readonly string[],
    limits: CallLimits,
    { input, variables = {} }: { input?: Uint8Array | string; variables?: Environment } = {},
  ): Promise<GitAnswer> {
    const place = {
      // Git takes paths relative to where it is.
      folder: this.tree.top,
      environment: this.#environment,
      gitDir: this.folder,
      workTree: this.tree.top,
      isIsolated: true,
      settings: { ...SETTINGS, ...this.#userSettings },
      variables,
    };
    return callGit(place, args, limits, input);
  }

  /** Makes what is missing and takes away what a killed git left. */
  async prepare(limits: CallLimits): Promise<Prepared> {
    const isNew = !['HEAD', 'objects', 'refs'].every((name) => existsSync(join(this.folder, name)));
    if (isNew) {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      await this.git(['init', '-q', '--bare', '--template='], limits, {
        variables: { ...FORMATS, GIT_WORK_TREE: undefined },
      });
      this.setRef('HEAD', UNBORN);
    }
    rmSync(join(this.folder, 'index.lock'), { force: true });
    mkdirSync(join(this.folder, 'info'), { recursive: true });
    this.#write('attributes', ATTRIBUTES);
    return { isNew, hasNewRules: this.#write('exclude', this.#exclude()) };
  }

  /** Forgets what the index knows: the next snapshot reads every file. Earlier snapshots stay. */
  goCold(): void {
    rmSync(join(this.folder, 'index'), { recursive: true, force: true });
    this.setRef('HEAD', UNBORN);
  }

  /** As git would, but without a process: no one else writes here. */
  setRef(name: string, value: string): void {
    const file = join(this.folder, name);
    const draft = join(this.folder, 'ref.new');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, `${value}\n`);
    renameSync(draft, file);
  }

  /** Whether there is a file that a ref of this name may be in. */
  mayHaveRef(name: string): boolean {
    return [name, 'packed-refs'].some((file) => existsSync(join(this.folder, file)));
  }

  /** Makes git look again at whatever changed since then: what it has seen may be older than its index. */
  distrustSince(moment: Date): void {
    const file = join(this.folder, 'index');
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs > moment.getTime()) utimesSync(file, moment, moment);
  }

  get isCold(): boolean {
    return !existsSync(join(this.folder, 'index'));
  }

  /** The number of files in the index, from its header. */
  entryCount(): number {
    if (this.isCold) return 0;
    const file = openSync(join(this.folder, 'index'), 'r');
    try {
      const header = Buffer.alloc(12);
      return readSync(file, header, 0, 12, 0) === 12 ? header.readUInt32BE(8) : 0;
    } finally {
      closeSync(file);
    }
  }

  #exclude(): string {
    const { git } = this.tree;
    const users = git === undefined ? undefined : textOf(join(git.commonDir, 'info', 'exclude'));
    return [...(users === undefined ? [] : [users]), ...this.ownFiles.rules, ''].join('\n');
  }

  /** Whether the file was another one. */
  #write(name: string, text: string): boolean {
    const file = join(this.folder, 'info', name);
    if (textOf(file) === text) return false;
    writeFileSync(file, text, 'latin1');
    return true;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

/** How long a whole piece of work, of several calls, may take. */
export interface CallLimits {
  /** By `performance.now()`. */
  readonly endsAtMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** git could not do it. `isDamage`: the shadow repository may be at fault, so that a fresh start may help. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly isDamage: boolean;
  readonly stderr: string;
  readonly exitCode: number | undefined;

  constructor(
    message: string,
    { isDamage = false, stderr = '', exitCode }: Partial<Omit<GitFailed, keyof Error>> = {},
  ) {
    super(message);
    this.isDamage = isDamage;
    this.stderr = stderr;
    this.exitCode = exitCode;
  }
}

/** Runs git to a good end, or throws GitFailed. */
export async function callGit(
  place: GitPlace,
  args: readonly string[],
  { endsAtMs, signal }: CallLimits,
  input?: Uint8Array | string,
): Promise<GitAnswer> {
  const timeoutMs = Math.max(0, endsAtMs - performance.now());
  const answer = await runGit({ ...place, signal, timeoutMs }, args, input);
  const { error, stderr, exitCode, overflow, aborted, timedOut, notStarted } = answer;
  if (error === undefined) return answer;
  const isUnfinished = notStarted !== undefined || timedOut || overflow;
  if (isUnfinished) throw new GitFailed(`${error}; ${HOW_TO_DO_WITHOUT}`);
  throw new GitFailed(error, { isDamage: !aborted, stderr, exitCode });
}

export const HOW_TO_DO_WITHOUT = 'track_file_changes: false turns the tracking of files off';

/** From so many or so much on, objects with a file of their own are put into a pack. */
export interface LooseLimits {
  readonly objects: number;
  readonly bytes: number;
}

export const LOOSE_IN_A_RUN: LooseLimits = { objects: 2000, bytes: 8 * 1024 * 1024 };
export const LOOSE_AFTER_A_RUN: LooseLimits = { objects: 500, bytes: 1024 * 1024 };

/** Bounds the memory that git takes to compare objects. */
const PACKING = ['-c', 'pack.windowMemory=128m', 'repack', '-d', '-q'];

/**
 * Puts loose objects into a pack if they are many: a hundred versions of a file then take little more than one. Git writes the
 * pack next to the objects and removes them afterwards, so nothing is lost if it is killed.
 */
export async function packLooseObjects(shadow: ShadowRepository, most: LooseLimits, limits: CallLimits): Promise<void> {
  const { objects, bytes } = looseObjects(shadow.folder);
  if (objects < most.objects && bytes < most.bytes) return;
  removeDrafts(join(shadow.folder, 'objects', 'pack'));
  try {
    // Small packs are joined, so that there are never many.
    await shadow.git([...PACKING, '--geometric=2'], limits);
  } catch (error) {
    if (!(error instanceof GitFailed) || !error.isDamage) throw error;
    // A git before 2.32.
    await shadow.git(PACKING, limits);
  }
}

function looseObjects(folder: string): LooseLimits {
  let [objects, bytes] = [0, 0];
  for (const name of namesIn(join(folder, 'objects'))) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    for (const object of namesIn(join(folder, 'objects', name))) {
      objects += 1;
      bytes += statSync(join(folder, 'objects', name, object), { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return { objects, bytes };
}

/** What a git that was killed left half written. */
function removeDrafts(packs: string): void {
  for (const name of namesIn(packs)) {
    if (name.startsWith('tmp_') || name.startsWith('.tmp-')) rmSync(join(packs, name), { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Pawl's folder in the user's state folder. */
export function makeStateFolder(environment: Environment): string {
  const folder = join(stateHome(environment), 'pawl');
  makeFolders(folder);
  return realpathSync(folder);
}

/** The same folder if it is there. */
export function findStateFolder(environment: Environment): string | undefined {
  const folder = join(stateHome(environment), 'pawl');
  return existsSync(folder) ? realpathSync(folder) : undefined;
}

/** Step by step: where nothing can be made, such as in /proc, Node's recursive way never ends. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** One shadow repository per work tree: work trees of one repository have one each. */
export function shadowFolder(stateFolder: string, top: string): string {
  return join(stateFolder, 'trees', createHash('sha256').update(top).digest('hex').slice(0, 16));
}
