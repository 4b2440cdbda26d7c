import type { Environment } from '../process/run-tool.js';

/** Settings, each with its value, in the order in which git reads them: the last of a name counts. */
export type Settings = readonly (readonly [key: string, value: string])[];

/** For every call: no hook, no monitor, no garbage collection, no command as a remote. */
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
  [/^core\.(?:askpass|alternaterefscommand)$/, 'true'],
  [/^gpg\.(?:.*\.)?(?:program|defaultkeycommand)$/, 'false'],
  [/^diff\.(?:external|.*\.(?:command|textconv))$/, 'true'],
  [/^merge\..*\.driver$/, 'false'],
  [/^credential\.(?:.*\.)?helper$/, ''],
  [/^lfs\.(?:.*\.)?(?:standalonetransferagent|path|clean|smudge)$/, ''],
];
/** Of these the first value counts, so that no later setting replaces them. */
const CONNECTS = /^(?:core\.gitproxy|remote\..*\.(?:uploadpack|receivepack|vcs))$/;
/** Hooks of the configuration, since git 2.54. */
const HOOK = /^hook\.(.*)\.(?:command|event|enabled)$/s;
const FILTER = /^filter\.(.*)\.(?:clean|smudge|process|required)$/s;
/** What `git lfs install --local` writes: a program of the user's. */
const GIT_LFS = new Set(['git-lfs clean -- %f', 'git-lfs smudge -- %f', 'git-lfs filter-process', 'true']);
/** For `git config --get-regexp`: the settings in a configuration that may name a program. */
export const WITH_PROGRAMS = String.raw`^(core|gpg|diff|merge|credential|remote|lfs|filter|hook)\.`;
export const SUBMODULE_PATHS = String.raw`^submodule\..*\.path$`;

/** Settings as variables, after those that are there: such settings are stronger than any file. */
export function settingVariables(env: Environment, settings: Settings): Environment {
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0;
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(first + settings.length) };
}

/** Why git failed at a file whose filter only the repository defines, with what can be done; undefined for other failures. */
export function filterProblem(stderr: string): string | undefined {
  const [, kind, name] = /: (clean|smudge) filter '?(.+?)'? failed/.exec(stderr) ?? [];
  // A program that ran and failed is named, too.
  if (name === undefined || stderr.includes('external filter')) return undefined;
  const advice = `if you trust it, define it in your own config: git config --global filter.${name}.${kind} COMMAND`;
  return `the git filter ${name} did not run: Pawl does not run programs that a repository's own config names; ${advice}`;
}

/** For the entries of SUBMODULE_PATHS: git does not inspect what is changed in these submodules. */
export function withoutInspection(entries: readonly string[]): Settings {
  return pairsIn(entries).map(([key]) => [key.replace(/\.path$/, '.ignore'), 'dirty']);
}

function pairsIn(entries: readonly string[]): Settings {
  return entries.map((entry) => {
    const end = entry.indexOf('\n');
    // A key without a value means true.
    return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
  });
}

/** What to do about a configuration that may name programs. */
export interface Untrusted {
  /**
   * Settings that replace the programs which only the repository's own configuration names; those of the user's stay, except
   * for hooks. A file with a filter that only the repository defines cannot be added or checked out: git fails.
   */
  readonly settings: Settings;
  /** The repository names a program that git starts to reach a remote. */
  readonly connects: boolean;
}

/** `entries`: scope and setting in turn. */
export function untrustedIn(entries: readonly string[]): Untrusted {
  const isOwn = (at: number) => entries[at * 2] === 'local' || entries[at * 2] === 'worktree';
  const settings = pairsIn(entries.filter((_, at) => at % 2 === 1));
  const own = settings.filter((_, at) => isOwn(at));
  const trusted = settings.filter((_, at) => !isOwn(at));
  const drivers = new Set(own.flatMap(([key, value]) => (GIT_LFS.has(value) ? [] : (FILTER.exec(key)?.[1] ?? []))));
  const hooks = new Set(settings.flatMap(([key]) => HOOK.exec(key)?.[1] ?? []));
  return {
    settings: [
      ...programsOf(own, trusted),
      ...[...drivers].flatMap((name) => filterOf(name, own, trusted)),
      ...[...hooks].map((name) => [`hook.${name}.enabled`, 'false'] as const),
    ],
    connects: own.some(([key]) => CONNECTS.test(key)),
  };
}

function programsOf(own: Settings, trusted: Settings): Settings {
  return own.flatMap(([key]): Settings => {
    const instead = PROGRAMS.find(([pattern]) => pattern.test(key))?.[1];
    if (instead === undefined) return [];
    const users = trusted.filter(([name]) => name === key);
    // An empty helper takes back the ones before it.
    return instead === '' ? [[key, ''], ...users] : [[key, users.at(-1)?.[1] ?? instead]];
  });
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
