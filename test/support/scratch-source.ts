import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const COPIED = ['src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

/** What is no part of the library. */
const LEFT_OUT = ['**/*.test.ts', 'src/app', 'src/views'];

/** A copy of the sources, to try what a change of them takes. */
export class ScratchSource {
  readonly root = mkdtempSync(join(tmpdir(), 'pawl-scratch-source-'));
  /** Of the scripts and modules that it runs. */
  environment: NodeJS.ProcessEnv = process.env;
  readonly #written = new Set<string>();
  readonly #bundled = new Set<string>();

  constructor() {
    for (const name of COPIED) cpSync(resolve(name), join(this.root, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(this.root, 'node_modules'));
  }

  /** What a person writes. */
  write(path: string, text: string): void {
    this.#written.add(path);
    this.#bundled.clear();
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** The files that were written by hand, and those that are different from the original all the same. */
  get touched(): { readonly byHand: readonly string[]; readonly made: readonly string[] } {
    const different = filesIn(this.root, 'src').filter(
      (path) => textOf(resolve(path)) !== textOf(join(this.root, path)),
    );
    return {
      byHand: [...this.#written].toSorted(),
      made: different.filter((path) => !this.#written.has(path)).toSorted(),
    };
  }

  /** Runs a script of the copy, such as `scripts/conditions.mjs`. */
  script(path: string, ...words: readonly string[]): string {
    return this.#node([join(this.root, path), ...words]);
  }

  /** Bundles a module of the copy, if it is not bundled yet, and runs it. */
  run(path: string, ...words: readonly string[]): string {
    const outfile = join(this.root, 'bundled', path.replace(/\.ts$/, '.mjs'));
    if (!this.#bundled.has(outfile)) this.#bundle(path, outfile);
    return this.#node([outfile, ...words]);
  }

  #bundle(path: string, outfile: string): void {
    this.#bundled.add(outfile);
    buildSync({
      entryPoints: [join(this.root, path)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    });
  }

  /** Writes text before the last occurrence of `anchor`, as a person would. */
  insertBefore(path: string, anchor: string, text: string): void {
    const source = readFileSync(join(this.root, path), 'utf8');
    const at = source.lastIndexOf(anchor);
    if (at < 0) throw new Error(`${path} has no ${JSON.stringify(anchor)}`);
    this.write(path, `${source.slice(0, at)}${text}${source.slice(at)}`);
  }

  /** What a module exports that imports from the copy. */
  async load<T>(module: string): Promise<T> {
    const outfile = join(this.root, 'module.mjs');
    buildSync({
      stdin: { contents: module, resolveDir: this.root, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    });
    return (await import(pathToFileURL(outfile).href)) as T;
  }

  /** What the native compiler says of the library, as `file:line:column: message`, in a fifth of the time of tsc. */
  typeErrors(): readonly string[] {
    const left = LEFT_OUT.flatMap((pattern) => ['--ignore-pattern', pattern]);
    const args = [resolve('node_modules/oxlint/bin/oxlint'), '--type-aware', '--type-check', '-A', 'all', ...left];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--format', 'unix', 'src'], {
      cwd: this.root,
      encoding: 'utf8',
    });
    if (status !== 0 && !/^\d+ problems?$/m.test(stdout))
      throw new Error(`the types cannot be checked: ${stdout}${stderr}`);
    return stdout.split('\n').filter((line) => line.startsWith('src/'));
  }

  /** The files of the library that do not compile. */
  brokenFiles(): readonly string[] {
    return [...new Set(this.typeErrors().map((line) => line.slice(0, line.indexOf(':'))))].toSorted();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #node(words: readonly string[]): string {
    const { stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: this.root,
      env: this.environment,
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`;
  }
}

function filesIn(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
