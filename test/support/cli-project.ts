import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CliOutcome, runPawl, runProcess } from './in-process.js';

export type { CliOutcome } from './in-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The built command in a folder of its own, so that a build by somebody else does not take it away under a test. */
export class BuiltCli {
  readonly folder: string;

  constructor(name: string) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), `pawl-${name}-`)));
    ensureBuilt();
    cpSync(join(root, 'dist', 'bin'), join(this.folder, 'bin'), { recursive: true });
    // Whoever a test runs as may read it.
    chmodSync(this.folder, 0o755);
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "module" }');
  }

  get bin(): string {
    return join(this.folder, 'bin', 'pawl.js');
  }

  remove(): void {
    // A run that is just ending may write once more.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Nothing to do where `npm test` has done it once for all. */
function ensureBuilt(): void {
  if (process.env['PAWL_TEST_BUILT'] === '1') return;
  const build = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--cli-if-stale']);
  if (build.status !== 0) throw new Error(`the command cannot be built: ${build.stderr.toString()}`);
}

/** A folder with an agent of a few lines of shell, and a home of its own. */
export class CliProject {
  readonly home: string;
  readonly path: string;
  readonly env: Record<string, string | undefined>;
  readonly #cli: BuiltCli;

  constructor(cli: BuiltCli, { agent = 'true', hasGit = true }: { agent?: string; hasGit?: boolean } = {}) {
    this.#cli = cli;
    this.home = mkdtempSync(join(cli.folder, 'home-'));
    this.path = join(this.home, 'project');
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.home,
      XDG_STATE_HOME: join(this.home, 'state'),
      XDG_RUNTIME_DIR: join(this.home, 'run'),
      XDG_CONFIG_HOME: join(this.home, 'config'),
      GIT_CONFIG_NOSYSTEM: '1',
      LC_ALL: 'C.UTF-8',
    };
    mkdirSync(this.path);
    mkdirSync(join(this.home, 'run'), { mode: 0o700 });
    this.write('agent.sh', `#!/usr/bin/env bash\ncat > /dev/null\n${agent}\n`, 0o755);
    if (hasGit) this.git('init', '--quiet', '--initial-branch=main');
  }

  write(name: string, content: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), content);
    chmodSync(join(this.path, name), mode);
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  /** The records of its runs become files of the project, as older versions had them or a repository brings them. */
  takeRecordsIn(): void {
    const runs = join(this.path, '.ralph', 'runs');
    for (const runId of readdirSync(runs)) {
      const [links, copy] = [join(runs, runId), join(runs, `${runId}.copy`)];
      cpSync(links, copy, { recursive: true, dereference: true });
      rmSync(links, { recursive: true });
      renameSync(copy, links);
      rmSync(join(this.home, 'state', 'pawl', 'runs', runId), { recursive: true, force: true });
    }
  }

  git(...words: readonly string[]): string {
    const identity = ['-c', 'user.name=User', '-c', 'user.email=user@localhost'];
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...words], this.#options);
    if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  /** One command: in this process where that tells the same as a process of its own. */
  pawl(...words: readonly string[]): Promise<CliOutcome> {
    return runPawl(this.#cli.bin, words, { cwd: this.path, environment: this.env });
  }

  /** One command in a process of its own, for tests of what only a process has. */
  pawlProcess(...words: readonly string[]): Promise<CliOutcome> {
    return runProcess(this.#cli.bin, words, { cwd: this.path, environment: this.env });
  }

  get #options() {
    return { cwd: this.path, env: this.env, encoding: 'utf8', timeout: 60_000 } as const;
  }
}
