import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { RunnerName } from './scenarios/scenario.js';

/** What has to be within reach of a project so that its tests can run. */
export interface Toolchain {
  /** Folders that come first on the PATH. */
  readonly path: readonly string[];
  /** A package of npm that the project has in its node_modules, and the folder that it is in. */
  readonly package?: { readonly name: string; readonly folder: string } | undefined;
}

/** Why a runner is not here. */
export interface MissingToolchain {
  readonly missing: string;
}

/** What a program prints; undefined when it is not here or fails. Asked from `/`, where no file of a project counts. */
function printedBy(program: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { cwd: '/', encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const programs = (...names: readonly string[]): Toolchain | MissingToolchain => {
  const missing = names.find((name) => printedBy('sh', '-c', `command -v ${name}`) === undefined);
  return missing === undefined ? { path: [] } : { missing: `${missing} is not installed` };
};

/** Behind what chooses between versions by the home of the user: the home of a scenario is another one. */
function python(module?: string): Toolchain | MissingToolchain {
  const real = printedBy('python3', '-c', 'import sys; print(sys.executable)');
  if (real === undefined) return { missing: 'python3 is not installed' };
  if (module !== undefined && printedBy(real, '-c', `import ${module}`) === undefined)
    return { missing: `${module} is not installed` };
  return { path: [dirname(real)] };
}

function rust(): Toolchain | MissingToolchain {
  const root = printedBy('rustc', '--print', 'sysroot');
  if (root === undefined) return { missing: 'rustc is not installed' };
  return existsSync(join(root, 'bin/cargo')) ? { path: [join(root, 'bin')] } : programs('cargo', 'cc');
}

/** Where `.ci/run` installs it. */
function cached(name: string): Toolchain | MissingToolchain {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'pawl', 'agents');
  const versions = existsSync(cache) ? readdirSync(cache) : [];
  const newest = versions
    .filter((entry) => new RegExp(`^${name}-[\\d.]+$`).test(entry))

    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  if (newest === undefined) return { missing: `${name} is not installed` };
  return { path: [], package: { name, folder: join(cache, newest, 'node_modules', name) } };
}

const FINDERS: Readonly<Record<RunnerName, () => Toolchain | MissingToolchain>> = {
  'node:test': () => programs('npm'),
  vitest: () => ({ path: [], package: { name: 'vitest', folder: resolve('node_modules/vitest') } }),
  jest: () => cached('jest'),
  mocha: () => cached('mocha'),
  pytest: () => python('pytest'),
  unittest: () => python(),
  'go test': () => programs('go'),
  cargo: rust,
  make: () => programs('make'),
  ctest: () => programs('cmake', 'ctest', 'make', 'cc'),
};

const found = new Map<RunnerName, Toolchain | MissingToolchain>();

export function toolchainOf(runner: RunnerName): Toolchain | MissingToolchain {
  const toolchain = found.get(runner) ?? FINDERS[runner]();
  found.set(runner, toolchain);
  return toolchain;
}
