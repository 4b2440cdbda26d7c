import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { runTool } from './run-tool.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A call of git in a repository that is not trusted. */
interface GitPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

type Settings = readonly (readonly [key: string, value: string])[];

/** For every call of git on a repository of the user's: no hook, no monitor, no garbage collection, no command as a remote. */
export const EXECUTES_NOTHING: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.ext.allow': 'never',
  'diff.ignoreSubmodules': 'dirty',
};

/** Settings that name a program, and what is used in place of the repository's own. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^core\.sshcommand$/, 'ssh'],
  [/^core\.gitproxy$/, 'none'],
  [/^core\.(?:askpass|alternaterefscommand)$/, 'true'],
  [/^gpg\.(?:.*\.)?(?:program|defaultkeycommand)$/, 'false'],
  [/^diff\.(?:external|.*\.(?:command|textconv))$/, 'true'],
  [/^merge\..*\.driver$/, 'false'],
  [/^credential\.(?:.*\.)?helper$/, ''],
  [/^remote\..*\.uploadpack$/, 'git-upload-pack'],
  [/^remote\..*\.receivepack$/, 'git-receive-pack'],
  [/^lfs\.(?:.*\.)?(?:standalonetransferagent|path|clean|smudge)$/, ''],
];
const FILTER = /^filter\.(.*)\.(?:clean|smudge|process|required)$/s;
/** What `git lfs install --local` writes: a program of the user's. */
const GIT_LFS = new Set(['git-lfs clean -- %f', 'git-lfs smudge -- %f', 'git-lfs filter-process', 'true']);
const ASKED = String.raw`^(core|gpg|diff|merge|credential|remote|lfs|filter)\.`;

const TIMEOUT_MS = 10_000;
const OUTPUT_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Variables that keep git from executing what the repository itself configures. What the user's own config (global, system)
 * names is trusted and stays. A file with a filter that only the repository defines cannot be added or checked out: git fails.
 */
export async function untrustedRepository(place: GitPlace): Promise<Environment> {
  const modules = join(topOf(place.cwd), '.gitmodules');
  const [configured, submodules] = await Promise.all([
    read(place, ['--show-scope', '--includes', '--get-regexp', ASKED]),
    // Git inspects a changed submodule by a process of its own, which reads the config of the submodule.
    existsSync(modules) ? read(place, ['--file', modules, '--get-regexp', String.raw`^submodule\..*\.path$`]) : [],
  ]);
  const unlooked = pairsIn(submodules).map(([key]) => [key.replace(/\.path$/, '.ignore'), 'dirty'] as const);
  return settingVariables(place.env, [...Object.entries(EXECUTES_NOTHING), ...unlooked, ...overrides(configured)]);
}

/** Settings as variables, after those that are there: such settings are stronger than any file. */
export function settingVariables(env: Environment, settings: Settings): Environment {
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0;
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(first + settings.length) };
}

/** The folders of PATH that do not depend on where git is started. */
export function absolutePath(environment: Environment): string {
  return (environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

/** Why git failed at a file whose filter only the repository defines, with what can be done; undefined for other failures. */
export function filterProblem(stderr: string): string | undefined {
  const [, kind, name] = /: (clean|smudge) filter '?(.+?)'? failed/.exec(stderr) ?? [];
  // A program that ran and failed is named, too.
  if (name === undefined || stderr.includes('external filter')) return undefined;
  const advice = `if you trust it, define it in your own config: git config --global filter.${name}.${kind} COMMAND`;
  return `the git filter ${name} did not run: Pawl does not run programs that a repository's own config names; ${advice}`;
}

function topOf(folder: string): string {
  const isTop = existsSync(join(folder, '.git')) || dirname(folder) === folder;
  return isTop ? folder : topOf(dirname(folder));
}

async function read({ cwd, env, signal }: GitPlace, args: readonly string[]): Promise<readonly string[]> {
  const result = await runTool({
    command: 'git',
    args: ['config', '-z', ...args],
    cwd,
    env,
    timeoutMs: TIMEOUT_MS,
    signal,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
  return result.exitCode === 0 ? result.stdout.toString('utf8').split('\0').slice(0, -1) : [];
}

function pairsIn(entries: readonly string[]): Settings {
  return entries.map((entry) => {
    const end = entry.indexOf('\n');
    // A key without a value means true.
    return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
  });
}

/** `entries`: scope and setting in turn. */
function overrides(entries: readonly string[]): Settings {
  const isOwn = (at: number) => entries[at * 2] === 'local' || entries[at * 2] === 'worktree';
  const settings = pairsIn(entries.filter((_, at) => at % 2 === 1));
  const own = settings.filter((_, at) => isOwn(at));
  const trusted = settings.filter((_, at) => !isOwn(at));
  const trustedOf = (key: string) => trusted.filter(([name]) => name === key);
  const programs = own.flatMap(([key]): Settings => {
    const instead = PROGRAMS.find(([pattern]) => pattern.test(key))?.[1];
    if (instead === undefined) return [];
    const users = trustedOf(key);
    // An empty helper takes back the ones before it.
    return instead === '' ? [[key, ''], ...users] : [[key, users.at(-1)?.[1] ?? instead]];
  });
  const drivers = new Set(own.flatMap(([key, value]) => (GIT_LFS.has(value) ? [] : (FILTER.exec(key)?.[1] ?? []))));
  return [...programs, ...[...drivers].flatMap((name) => filterOf(name, own, trusted))];
}

/** The user's own definition, or one that runs nothing and fails. An empty program counts as defined, and runs nothing. */
function filterOf(name: string, own: Settings, trusted: Settings): Settings {
  const valueOf = (settings: Settings, kind: string) =>
    settings.findLast(([key]) => key === `filter.${name}.${kind}`)?.[1];
  const kinds = ['clean', 'smudge', 'process'].filter((kind) => valueOf(own, kind) !== undefined);
  const isUsers = kinds.every((kind) => valueOf(trusted, kind) !== undefined);
  const required = isUsers ? (valueOf(trusted, 'required') ?? 'false') : 'true';
  return [...kinds, 'required'].map((kind) => [
    `filter.${name}.${kind}`,
    kind === 'required' ? required : (valueOf(trusted, kind) ?? ''),
  ]);
}
