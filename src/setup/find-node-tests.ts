import { dirname, join } from 'node:path';
import type { FoundCommand } from './found-tests.js';
import { asRecord, ProjectFiles } from './project-files.js';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const LOCK_FILES: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];
/** A package of a workspace has its lock file further up. */
const MOST_LEVELS = 4;
const MOST_PACKAGES = 100;
/** In the place of a script that never ends. */
const OTHER_SCRIPTS = ['test:ci', 'test:run', 'test:once', 'test:unit'];
const RUNNERS: readonly (readonly [string, string])[] = [
  ['vitest', 'npx vitest run'],
  ['jest', 'npx jest'],
  ['mocha', 'npx mocha'],
];

/** The test script of package.json, by the package manager whose lock file is there. */
export function findNodeTests(files: ProjectFiles): FoundCommand | undefined {
  const manifest = files.json('package.json');
  if (manifest === undefined) return undefined;
  const manager = managerOf(files, manifest);
  const testFiles = ['**/*.test.*', '**/*.spec.*'];
  const script = testScript(manifest);
  if (script !== undefined) {
    const command = script === 'test' ? TEST_COMMANDS[manager] : `${manager} run ${script}`;
    return { command, why: `package.json has the script "${script}"`, testFiles };
  }
  if (patternsOf(files, manifest).some((pattern) => hasTestedPackage(files, pattern))) {
    return { command: everywhere(files, manager), why: 'packages of the workspace have test scripts', testFiles };
  }
  const installed = { ...asRecord(manifest['dependencies']), ...asRecord(manifest['devDependencies']) };
  const runner = RUNNERS.find(([name]) => Object.hasOwn(installed, name));
  return runner === undefined ? undefined : { command: runner[1], why: `package.json has ${runner[0]}`, testFiles };
}

/** `bun test` would be Bun's own runner and not the script. */
const TEST_COMMANDS: Readonly<Record<Manager, string>> = {
  npm: 'npm test',
  pnpm: 'pnpm test',
  yarn: 'yarn test',
  bun: 'bun run test',
};

function testScript(manifest: Readonly<Record<string, unknown>>): string | undefined {
  const scripts = asRecord(manifest['scripts']) ?? {};
  const isScript = (name: string) => {
    const words = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    // What `npm init` writes is no test.
    return typeof words === 'string' && words.trim() !== '' && !words.includes('no test specified');
  };
  const others = OTHER_SCRIPTS.filter(isScript);
  if (!isScript('test')) return others[0];
  const isEndless = /(?:^|\s)--?watch(?:All)?(?![\w=-])|(?:^|\s)--watch(?:All)?=true/.test(String(scripts['test']));
  return isEndless ? (others[0] ?? 'test') : 'test';
}

function managerOf(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): Manager {
  const { packageManager } = manifest;
  const named = typeof packageManager === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(packageManager)?.[1] : undefined;
  if (named !== undefined) return named as Manager;
  let folder = files.folder;
  for (let level = 0; level < MOST_LEVELS; level += 1) {
    const here = new ProjectFiles(folder);
    const found = LOCK_FILES.find(([name]) => here.hasFile(name));
    if (found !== undefined) return found[1];
    // What lies above a repository is someone else's.
    if (here.names.includes('.git') || dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return 'npm';
}

function patternsOf(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const { workspaces } = manifest;
  const listed = Array.isArray(workspaces) ? workspaces : asRecord(workspaces)?.['packages'];
  const pnpm = files.text('pnpm-workspace.yaml') ?? '';
  const ofPnpm = [...pnpm.matchAll(/^\s*-\s*['"]?([^'"\s#]+)['"]?\s*$/gm)].map(([, pattern]) => pattern);
  return [...(Array.isArray(listed) ? listed : []), ...ofPnpm].filter(
    (pattern): pattern is string =>
      typeof pattern === 'string' && /^(?!\/|.*\.\.)[\w@./-]+(?:\/\*{1,2})?$/.test(pattern),
  );
}

function hasTestedPackage(files: ProjectFiles, pattern: string): boolean {
  const parent = pattern.replace(/\/\*+$/, '');
  const names = parent === pattern ? [''] : files.at(parent).names.slice(0, MOST_PACKAGES);
  return names.some((name) => {
    const manifest = files.json(join(parent, name, 'package.json'));
    return manifest !== undefined && testScript(manifest) === 'test';
  });
}

function everywhere(files: ProjectFiles, manager: Manager): string {
  switch (manager) {
    case 'npm':
      return 'npm test --workspaces --if-present';
    case 'pnpm':
      return 'pnpm -r test';
    case 'bun':
      return "bun run --filter '*' test";
    case 'yarn':
      return files.hasFile('.yarnrc.yml') ? 'yarn workspaces foreach -A run test' : 'yarn workspaces run test';
    default:
      return manager satisfies never;
  }
}
