import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** How a test command is run so that its runner names every test. */
export interface NameRequest {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command has a flag more than the user's. Should it fail without a result, the user's own has to be run. */
  readonly hasFlag: boolean;
}

/** Runners that name every test when a variable asks for it. */
const BY_VARIABLE: readonly (readonly [mention: RegExp, variable: string, option: string])[] = [
  [/\bgo test\b/, 'GOFLAGS', '-v'],
  // Without the letters of its default, f and E, it would no longer name those that fail.
  [/\bpytest\b|\bpy\.test\b/, 'PYTEST_ADDOPTS', '-rfEpxX'],
];

/** Runners that do so when a flag at the end of their own command asks for it. */
const BY_FLAG: readonly FlagRunner[] = [
  {
    program: /(?:^|\/)vitest(?:\.m?js)?$/,
    flag: '--reporter=verbose',
    unless: /^--reporter\b|^--outputFile\b|^-w$|^--watch\b|^(?:bench|list|init|related|typecheck)$/,
    // Its flag takes the place of reporters that are configured.
    configs: ['vitest.config', 'vite.config', 'vitest.workspace', 'vitest.projects'],
  },
  { program: /(?:^|\/)jest(?:\.js)?$/, flag: '--verbose', unless: /^--(?:verbose|json|silent|reporters)\b/ },
  { program: /^unittest$/, flag: '-v', unless: /^-(?:v|-verbose|q|-quiet)$/ },
];

interface FlagRunner {
  readonly program: RegExp;
  readonly flag: string;
  /** A word of the command with which it is left as it is. */
  readonly unless: RegExp;
  /** Files that may name reporters: then it is left as it is, too. */
  readonly configs?: readonly string[];
}

/** What starts another program with the words that follow. */
const LAUNCHER =
  /^(?:npx|bunx|pnpx|cross-env|env|exec|(?:pnpm|yarn|npm) exec|pnpm dlx|uv run|poetry run|pipenv run|node|(?:\S*\/)?python[\d.]*)$/;
const SCRIPT = /^(npm|pnpm|yarn)(?: run(?:-script)?)? (?:test|t)$/;
/** A shell would take these for more than one command, or for something that is not known yet. */
const COMPOUND = /[|&;<>()$`\n#\\]/;
const MOST_BYTES = 1024 * 1024;

/**
 * Has a test command name the tests that pass: by a variable, or by a flag where the command, or the one script of package.json that
 * it represents, is nothing but the runner. No file of the user's is touched, and what the user has set stays.
 */
export function askForNames(command: string, environment: Environment, workingDir: string): NameRequest {
  const script = scriptOf(command, workingDir);
  const env = variablesFor([command, script ?? '', makefileOf(command, workingDir)].join('\n'), environment);
  const flag = flagFor(script ?? command, workingDir);
  if (flag === undefined) return { command, env, hasFlag: false };
  const separator = script !== undefined && /^\s*npm\b/.test(command) ? ' --' : '';
  return { command: `${command.trimEnd()}${separator} ${flag}`, env, hasFlag: true };
}

function variablesFor(text: string, environment: Environment): NameRequest['env'] {
  const asked = BY_VARIABLE.filter(([mention]) => mention.test(text));
  return Object.fromEntries(
    asked.map(([, variable, option]) => [variable, [environment[variable], option].filter(Boolean).join(' ')]),
  );
}

function flagFor(command: string, workingDir: string): string | undefined {
  if (COMPOUND.test(command)) return undefined;
  const words = command.trim().split(/\s+/);
  const at = programAt(words);
  const runner = BY_FLAG.find(({ program }) => program.test(words[at] ?? ''));
  const rest = words.slice(at + 1);
  if (runner === undefined || rest.some((word) => word === '--' || runner.unless.test(word))) return undefined;
  return hasReporters(runner.configs ?? [], workingDir) ? undefined : runner.flag;
}

/** Behind variables, launchers and their flags: `CI=1 npx --no jest`, `python3 -m unittest`. */
function programAt(words: readonly string[]): number {
  let at = 0;
  let hasLauncher = false;
  for (; at < words.length - 1; at++) {
    const word = words[at] ?? '';
    const isLauncher = LAUNCHER.test(word) || LAUNCHER.test(`${word} ${words[at + 1] ?? ''}`);
    const isSecond = at > 0 && LAUNCHER.test(`${words[at - 1] ?? ''} ${word}`);
    if (!isLauncher && !isSecond && !/^\w+=/.test(word) && !(hasLauncher && word.startsWith('-'))) break;
    hasLauncher ||= isLauncher;
  }
  return at;
}

function hasReporters(configs: readonly string[], workingDir: string): boolean {
  const paths = configs.flatMap((name) => ['js', 'ts', 'mjs', 'mts', 'cjs', 'cts'].map((end) => `${name}.${end}`));
  return paths.some((path) => /\breporters\b/.test(textOf(join(workingDir, path))));
}

/** What `npm test` and the like run, if package.json says it. */
function scriptOf(command: string, workingDir: string): string | undefined {
  if (
    !SCRIPT.test(
      command
        .trim()
        .replaceAll(/\s+/g, ' ')
        .replace(/ (?:--silent|-s)\b/g, ''),
    )
  )
    return undefined;
  try {
    const { scripts } = JSON.parse(textOf(join(workingDir, 'package.json'))) as { scripts?: { test?: unknown } };
    return typeof scripts?.test === 'string' ? scripts.test : undefined;
  } catch {
    return undefined;
  }
}

function makefileOf(command: string, workingDir: string): string {
  if (!/^\s*g?make\b/.test(command)) return '';
  return ['GNUmakefile', 'makefile', 'Makefile'].map((name) => textOf(join(workingDir, name))).join('\n');
}

/** Empty when it cannot be read. */
function textOf(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
