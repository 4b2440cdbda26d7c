import { YAMLParseError } from 'yaml';
import { putCmakeTestsBack } from './cmake-commands.js';
import { putKeysBack } from './keyed-text.js';
import { putRulesBack, type RuleFile, ruleCommands } from './make-rules.js';
import { putScriptsBack, putStrictnessBack, scriptCommands } from './script-keys.js';
import { suiteFileOf } from './suite-files.js';
import { cargoKeys, environmentKeys, pyprojectKeys, setupKeys, toxKeys, withEarlierDefaults } from './test-keys.js';
import { TestTokens } from './test-tokens.js';

/** The content in the clean room; undefined when the file does not exist there. */
export interface PutBack {
  readonly content: string | undefined;
}

/** A longer text is no manifest that a person wrote. */
const MOST_CHARACTERS = 256 * 1024;
/** The time that YAML takes grows with the square. */
const MOST_YAML_CHARACTERS = 32 * 1024;

const JSON_SCRIPTS = /(?:^|\/)(?:package|composer)\.json$|(?:^|\/)deno\.jsonc?$/;
const YAML_SCRIPTS = /(?:^|\/)[Tt]askfile(?:\.dist)?\.ya?ml$/;
const JUSTFILE = /(?:^|\/)\.?[Jj]ustfile$/;
const RULES = /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[^/]+\.mk|\.?[Jj]ustfile)$/;
/** `make` reads these in place of the Makefile that was there. */
const FIRST_RULES = /(?:^|\/)(?:GNUmakefile|makefile)$/;

/**
 * What a changed file contains in the clean room; undefined when it stays as the agent left it. `original` is undefined for a
 * file that was not there at the start, `now` for one that is not there any more. Text that cannot be taken apart stays: when
 * the agent broke it, its own tests fail too, and a clean room must not be what fails. Never throws.
 */
export function putBack(
  path: string,
  original: string | undefined,
  now: string | undefined,
  testCommand: string,
): PutBack | undefined {
  if (original === now) return undefined;
  const kind = suiteFileOf(path, testCommand);
  if (kind === undefined || isHarmless(path, original, now)) return undefined;
  if (kind !== 'mixed') return { content: original };
  const most = YAML_SCRIPTS.test(path) ? MOST_YAML_CHARACTERS : MOST_CHARACTERS;
  if ((original?.length ?? 0) > most) return undefined;
  // What the agent made too long or too deep to be taken apart goes back whole.
  const whole = original === undefined ? undefined : { content: original };
  if ((now?.length ?? 0) > most) return whole;
  try {
    return putPartBack(path, original, now, testCommand);
  } catch (error) {
    return error instanceof SyntaxError || error instanceof YAMLParseError ? undefined : whole;
  }
}

/** Where a test command leads to others. */
export const MANIFESTS: readonly string[] = [
  'package.json',
  'composer.json',
  'deno.json',
  'GNUmakefile',
  'makefile',
  'Makefile',
  'justfile',
  'Taskfile.yml',
];

/** The commands that the test command reaches in a manifest of the start: `suiteFileOf` takes them together with it. */
export function reachedCommands(path: string, original: string, testCommand: string): readonly string[] {
  if (original.length > (YAML_SCRIPTS.test(path) ? MOST_YAML_CHARACTERS : MOST_CHARACTERS)) return [];
  try {
    if (JSON_SCRIPTS.test(path)) return scriptCommands('json', original, testCommand);
    if (YAML_SCRIPTS.test(path)) return scriptCommands('yaml', original, testCommand);
    return RULES.test(path) ? ruleCommands(ruleFile(path, original), testCommand) : [];
  } catch {
    return [];
  }
}

function ruleFile(path: string, text: string): RuleFile {
  return { text, isJust: JUSTFILE.test(path), isIncluded: path.endsWith('.mk') };
}

const EDITABLE_INSTALL = /^(?:__editable__.*|_virtualenv|distutils-precedence|easy-install)\.pth$/;

/** Files that only sometimes change how an interpreter starts. */
function isHarmless(path: string, original = '', now = ''): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const both = `${original}\n${now}`;
  if (name.endsWith('.pth')) return EDITABLE_INSTALL.test(name) || !/^import\s/m.test(both);
  if (name === 'entry_points.txt') return !both.includes('[pytest11]');
  return name.startsWith('vite.config.') && !/\btest\b|vitest/.test(both);
}

function putPartBack(
  path: string,
  original: string | undefined,
  now: string | undefined,
  testCommand: string,
): PutBack | undefined {
  if (/(?:^|\/)vite\.config\.\w+$/.test(path)) return { content: original };
  if (original === undefined && FIRST_RULES.test(path)) return { content: undefined };
  if (now === undefined && RULES.test(path)) return { content: original };
  const content = putTextBack(path, original, now, testCommand);
  return content === undefined || content === (now ?? '') ? undefined : { content };
}

function putTextBack(path: string, original: string | undefined, now = '', command = ''): string | undefined {
  const before = original ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'pyproject.toml') return putKeysBack('toml', before, now, pyprojectKeys(command));
  if (name === 'setup.cfg') return putKeysBack('ini', before, now, setupKeys);
  if (name === 'tox.ini') return putKeysBack('ini', before, now, toxKeys);
  if (name.startsWith('.env')) return putKeysBack('env', before, now, environmentKeys(before));
  // A new package, crate or folder has tests of its own, and a manifest that is gone has no place for a part of it.
  if (original === undefined || now === '') return undefined;
  if (name === 'Cargo.toml') return withEarlierDefaults(original, putKeysBack('toml', original, now, cargoKeys));
  if (name.startsWith('tsconfig')) return putStrictnessBack(original, now);
  if (JSON_SCRIPTS.test(path)) return putScriptsBack('json', original, now, command);
  if (YAML_SCRIPTS.test(path)) return putScriptsBack('yaml', original, now, command);
  const tokens = new TestTokens(path, original, now);
  if (name === 'CMakeLists.txt') return putCmakeTestsBack(original, now, tokens);
  return RULES.test(path) ? putRulesBack(ruleFile(path, original), now, command, tokens) : undefined;
}
