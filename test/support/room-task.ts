import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type BundledFixture, bundleFixture } from '../crash/bundled-fixture.js';

/** What `test/fixtures/run-in-room.ts` is to do. Without a command it only probes. */
export interface RoomTask {
  readonly workTree: string;
  readonly scratchDir: string;
  readonly putBack?: readonly { readonly path: string; readonly content?: string; readonly mode?: number }[];
  readonly kind?: 'copy';
  readonly toolPath?: string;
  readonly command?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cookie: string;
  /** A command that prints `hangs` is ended like one that takes too long. */
  readonly graceMs?: number;
  readonly memoryBytes?: number;
}

export interface RoomReport {
  readonly unusable?: string;
  readonly kind?: 'overlay' | 'copy';
  readonly isSamePath?: boolean;
  readonly as?: 'root' | 'user-namespace';
  readonly refusals?: readonly string[];
  readonly openMs?: number;
  readonly durationMs?: number;
  readonly cause?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly survivors?: readonly unknown[];
  readonly output?: string;
  readonly problem?: string;
  readonly touched?: readonly string[];
}

/** The run that the commands belong to: another run of the tests beside this one has another. */
export const ROOM_RUN = `loop_ROOM${process.pid}`;

export const IS_ROOT = process.getuid?.() === 0;
const ORDINARY = 65_534;
const AS_ORDINARY = ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'];

export type RoomUser = 'root' | 'an ordinary user';

/** Who can run a test here. */
export const ROOM_USERS: readonly RoomUser[] = IS_ROOT ? ['root', 'an ordinary user'] : ['an ordinary user'];

/** The bundled program that runs commands in a clean room. One process of each user runs those that need none of their own. */
export class RoomProgram {
  readonly #bundle: BundledFixture;
  readonly #lasting = new Map<string, LastingRooms>();

  private constructor(bundle: BundledFixture) {
    this.#bundle = bundle;
  }

  static async build(): Promise<RoomProgram> {
    return new RoomProgram(await bundleFixture('run-in-room'));
  }

  /** How a process of the user is started, and what it is to do `before`. */
  words(user: RoomUser, before: readonly string[] = []): readonly string[] {
    return [...(isAnother(user) ? AS_ORDINARY : []), ...before, process.execPath, this.#bundle.path];
  }

  run(user: RoomUser, task: RoomTask): Promise<RoomReport> {
    const lasting = this.#lasting.get(user) ?? new LastingRooms(this.words(user));
    this.#lasting.set(user, lasting);
    return lasting.run(task);
  }

  remove(): void {
    for (const lasting of this.#lasting.values()) lasting.end();
    this.#bundle.remove();
  }
}

/** A process that runs one command after the other. */
class LastingRooms {
  readonly #child: ChildProcess;
  readonly #reports: AsyncIterator<string>;

  constructor([program = '', ...words]: readonly string[]) {
    const child = spawn(program, words, { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.#reports = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async run(task: RoomTask): Promise<RoomReport> {
    this.#child.stdin?.write(`${JSON.stringify(task)}\n`);
    const { done, value } = await this.#reports.next();
    if (done === true) throw new Error('the program that runs commands in a clean room has ended');
    return JSON.parse(value) as RoomReport;
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

const isAnother = (user: RoomUser) => user === 'an ordinary user' && IS_ROOT;

/** A work tree and a scratch folder of a user, and the program that runs commands in a clean room. */
export class RoomScene {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-room-')));
  readonly tree: string;
  readonly scratch = join(this.folder, 'scratch');
  readonly #program: RoomProgram;
  readonly #user: RoomUser;

  constructor(program: RoomProgram, user: RoomUser, name = 'tree') {
    this.#program = program;
    this.#user = user;
    this.tree = join(this.folder, name);
    chmodSync(this.folder, 0o755);
    mkdirSync(this.tree, { recursive: true });
    mkdirSync(this.scratch);
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.tree, path)), { recursive: true });
    writeFileSync(join(this.tree, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.tree, path), 'utf8');
  }

  /** Names of everything in the scratch folder. */
  left(): readonly string[] {
    return readdirSync(this.scratch);
  }

  /** What was written is given to the user first. What is to happen `before` needs a process of its own. */
  async run(task: Partial<RoomTask>, before: readonly string[] = []): Promise<RoomReport> {
    if (before.length === 0) return this.#program.run(this.#user, this.#whole(task));
    const [program = '', ...words] = this.#words(task, before);
    const { stdout } = await promisify(execFile)(program, words, { cwd: '/' });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as RoomReport;
  }

  start(task: Partial<RoomTask>): ChildProcess {
    const [program = '', ...words] = this.#words(task);
    return spawn(program, words, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  }

  #words(task: Partial<RoomTask>, before: readonly string[] = []): readonly string[] {
    return [...this.#program.words(this.#user, before), JSON.stringify(this.#whole(task))];
  }

  #whole(task: Partial<RoomTask>): RoomTask {
    if (!this.#isGiven) this.giveToUser();
    return { workTree: this.tree, scratchDir: this.scratch, cookie: `${ROOM_RUN}.1`, ...task };
  }

  #isGiven = false;

  /** Everything that is there now belongs to the user. */
  giveToUser(): void {
    this.#isGiven = true;
    if (isAnother(this.#user)) {
      execFileSync('chown', ['-hR', `${ORDINARY}:${ORDINARY}`, '--', this.tree, this.scratch]);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Processes that have something of a folder mounted. */
export function mountedAnywhere(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}
