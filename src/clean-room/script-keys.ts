import { isDeepStrictEqual } from 'node:util';
import { parse as parseYaml, stringify as stringifyYaml } from 'yaml';
import { reachedNames, staysAsBuild } from './command-words.js';

type Fields = Readonly<Record<string, unknown>>;

/** Keys of a manifest that only a test runner reads. */
const RUNNER_KEY =
  /^(?:jest|jest-.+|mocha|ava|vitest|nyc|c8|tap|tape|karma|jasmine|cypress|playwright|testem|qunit|uvu|nx|wireit|test)$/;
/** The modules of an import map that decide whether a test passes. */
const ASSERTIONS = /(?:^|[@/:])(?:assert|expect|testing|test|chai|sinon|vitest|mocha|jest)(?:$|[@/-])/;

/** The manifests that are parsed: what stays keeps its value, and where something is put back, the text is printed again. */
export type ScriptFormat = 'json' | 'yaml';

/** `package.json`, `composer.json`, `deno.json` and `Taskfile.yml` with the original scripts that the tests reach. */
export function putScriptsBack(format: ScriptFormat, original: string, now: string, command: string): string {
  const before = fieldsOf(format, original);
  const after = fieldsOf(format, now);
  // What the agent broke stays broken: the control run fails by itself, and nothing is claimed about the tests.
  if (before === undefined || after === undefined) return now;
  const restored = restoredFields(before, after, command);
  return JSON.stringify(restored) === JSON.stringify(after) ? now : print(format, restored, now);
}

/** What the type checker reports of a project's own code. */
const STRICTNESS =
  /^(?:strict\w*|alwaysStrict|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w+|noProperty\w+|noCheck|exactOptional\w+|useUnknown\w+|allowUnreachableCode|allowUnusedLabels|checkJs)$/;

/** `tsconfig.json` with the original strictness. Targets, libraries and the list of files stay. */
export function putStrictnessBack(original: string, now: string): string {
  const [before, after] = [fieldsOf('json', original), fieldsOf('json', now)];
  if (before === undefined || after === undefined) return now;
  const options = ({ compilerOptions }: Fields, isStrictness: boolean) =>
    Object.fromEntries(
      Object.entries(asFields(compilerOptions)).filter(([key]) => STRICTNESS.test(key) === isStrictness),
    );
  const [wanted, present] = [options(before, true), options(after, true)];
  if (isDeepStrictEqual(wanted, present)) return now;
  return print('json', { ...after, compilerOptions: { ...options(after, false), ...wanted } }, now);
}

/** The commands of the scripts that the tests reach. */
export function scriptCommands(format: ScriptFormat, text: string, command: string): readonly string[] {
  const scripts = scriptsOf(fieldsOf(format, text) ?? {});
  return [...reachedNames(scripts, command)].map((name) => scripts.get(name) ?? '');
}

function restoredFields(before: Fields, after: Fields, command: string): Fields {
  const isRunnerKey = (key: string) => RUNNER_KEY.test(key);
  const kept = Object.entries(after).filter(([key]) => !isRunnerKey(key) || Object.hasOwn(before, key));
  const fields = kept.map(([key, value]): [string, unknown] => {
    if (isRunnerKey(key)) return [key, before[key]];
    if (key === 'scripts' || key === 'tasks') return [key, restoredScripts(before, asFields(value), command)];
    return key === 'imports' ? [key, restoredImports(asFields(before[key]), value)] : [key, value];
  });
  const missing = Object.entries(before).filter(([key]) => isRunnerKey(key) && !Object.hasOwn(after, key));
  const scripts = ['scripts', 'tasks'].filter((key) => Object.hasOwn(before, key) && !Object.hasOwn(after, key));
  const added = scripts.map((key): [string, unknown] => [key, restoredScripts(before, {}, command)]);
  return Object.fromEntries([...fields, ...missing, ...added]);
}

function restoredScripts(before: Fields, after: Fields, command: string): Fields {
  const scripts = scriptsOf(before);
  const reached = reachedNames(scripts, command);
  const original = { ...asFields(before['tasks']), ...asFields(before['scripts']) };
  // A hook that was not there runs with a script that was.
  const isNewHook = (name: string) => !scripts.has(name) && reached.has(name.replace(/^(?:pre|post)/, ''));
  const kept = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    if (isNewHook(name)) return [];
    const stays = !reached.has(name) || staysAsBuild(name, scripts.get(name) ?? '', textOf(value));
    return [[name, stays ? value : original[name]]];
  });
  const missing = [...reached].filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries([...kept, ...missing.map((name): [string, unknown] => [name, original[name]])]);
}

function restoredImports(before: Fields, value: unknown): unknown {
  const isForged = (name: string, to: unknown) => !Object.hasOwn(before, name) && /^[./]/.test(textOf(to));
  const entries = Object.entries(asFields(value)).flatMap(([name, to]): [string, unknown][] => {
    if (!ASSERTIONS.test(name)) return [[name, to]];
    return isForged(name, to) ? [] : [[name, Object.hasOwn(before, name) ? before[name] : to]];
  });
  return Object.fromEntries(entries);
}

function scriptsOf(fields: Fields): ReadonlyMap<string, string> {
  const all = [...Object.entries(asFields(fields['tasks'])), ...Object.entries(asFields(fields['scripts']))];
  return new Map(all.map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function fieldsOf(format: ScriptFormat, text: string): Fields | undefined {
  const value: unknown =
    format === 'yaml' ? parseYaml(text, { merge: true, logLevel: 'error' }) : parseJson(text.replace(/^\uFEFF/, ''));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(withoutComments(text));
  }
}

/** Deno and Bun permit comments and commas at the end. */
function withoutComments(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const next = endOfPiece(text, at);
    const piece = text.slice(at, next);
    if (piece === '}' || piece === ']') {
      while (/^\s$/.test(pieces.at(-1) ?? '')) pieces.pop();
      if (pieces.at(-1) === ',') pieces.pop();
    }
    pieces.push(/^\/[/*]/.test(piece) ? ' ' : piece);
    at = next;
  }
  return pieces.join('');
}

/** Where a string, a comment or a single character ends. */
function endOfPiece(text: string, start: number): number {
  const found = (end: number, length: number) => (end === -1 ? text.length : end + length);
  if (text.startsWith('//', start)) return found(text.indexOf('\n', start), 0);
  if (text.startsWith('/*', start)) return found(text.indexOf('*/', start + 2), 2);
  if (text[start] !== '"') return start + 1;
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function print(format: ScriptFormat, fields: Fields, like: string): string {
  if (format === 'yaml') return stringifyYaml(fields, { lineWidth: 0 });
  const indent = /\n([ \t]+)"/.exec(like)?.[1] ?? '';
  return JSON.stringify(fields, null, indent) + (like.endsWith('\n') ? '\n' : '');
}
