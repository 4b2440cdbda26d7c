import { isRunnerVariable, isTestName, namesIn, programsIn } from './command-words.js';

type IsTestKey = (path: readonly string[]) => boolean;

const DEPENDENCIES = /^(?:dependencies|extra-dependencies|features|deps|extras|requires|dependency_groups)$/;
/** Sections whose keys are commands with a name of their own. */
const TASKS = /^tool\.(?:poe\.tasks|pdm\.scripts|taskipy\.tasks|rye\.scripts|pixi\.tasks)\.([^.]+)/;
const PYTHON_RUNNERS = /^tool\.(?:pytest[^.]*|coverage|tox|nox|nose2?)(?:\.|$)/;
const CHECKER = /^(?:ruff|mypy|(?:based)?pyright|flake8|pylint|black|isort)$/;
const PYTEST_PLUGINS = /^(?:project\.entry-points|tool\.poetry\.plugins)\.pytest11(?:\.|$)/;

/** The keys of pyproject.toml that say how tests run. */
export function pyprojectKeys(command: string): IsTestKey {
  const mentioned = namesIn(command);
  const runsTests = (name: string) => mentioned.has(name) || isTestName(name);
  const programs = programsIn(command);
  return (path) => {
    // A check that the test command runs: `ruff check && pytest`.
    if (path[0] === 'tool' && CHECKER.test(path[1] ?? '') && programs.has(path[1] ?? '')) return true;
    const key = path.join('.');
    const task = TASKS.exec(key)?.[1];
    if (task !== undefined) return runsTests(task);
    if (!key.startsWith('tool.hatch.envs.')) return PYTHON_RUNNERS.test(key) || PYTEST_PLUGINS.test(key);
    const [environment = '', field = '', script = ''] = path.slice(3);
    if (field === '' || DEPENDENCIES.test(field)) return false;
    return isTestName(environment) || (field === 'scripts' && runsTests(script));
  };
}

/** The keys of setup.cfg that say how tests run. */
export const setupKeys: IsTestKey = ([section = '', key]) =>
  /^(?:tool:pytest|pytest|nosetests|aliases|test|unittest|coverage:.*|tox:.*)$/.test(section) ||
  (section === 'options.entry_points' && key === 'pytest11');

/** What tox.ini says about tests: not what they depend on, and not the settings of linters. */
export const toxKeys: IsTestKey = ([section = '', key]) =>
  /^pytest$|^coverage:/.test(section) ||
  (/^(?:tox|testenv.*)$/.test(section) && key !== undefined && !DEPENDENCIES.test(key));

/** The keys of Cargo.toml that say how tests run. */
export const cargoKeys: IsTestKey = (path) => {
  const [section = '', second = ''] = path;
  const last = path.at(-1) ?? '';
  if (section === 'test') return true;
  if (section === 'package') return second === 'autotests';
  if (section === 'profile') return second === 'test' || /^(?:debug-assertions|overflow-checks)$/.test(last);
  return /^(?:lib|bin|example|bench)$/.test(section) && path.length > 1 && /^(?:test|doctest|harness)$/.test(last);
};

const FEATURES = /^[ \t]*\[features\][ \t]*(?:#[^\n]*)?\n((?:(?![ \t]*\[)[^\n]*(?:\n|$))*)/m;
const DEFAULTS = /^([ \t]*default[ \t]*=[ \t]*\[)([^\]]*)(\])/m;

/** Cargo.toml with the default features of the start that still exist: they decide which tests are built, and how they compare. */
export function withEarlierDefaults(original: string, now: string): string {
  const before = defaultsOf(FEATURES.exec(original)?.[1]);
  const features = FEATURES.exec(now)?.[1];
  if (features === undefined) return now;
  const left = defaultsOf(features);
  const exists = (name: string) => new RegExp(`^[ \\t]*"?${name}"?[ \\t]*=`, 'm').test(features);
  const gone = before.filter((name) => !left.includes(name) && /^[\w-]+$/.test(name) && exists(name));
  if (gone.length === 0) return now;
  const list = [...left, ...gone].map((name) => JSON.stringify(name)).join(', ');
  const changed = DEFAULTS.test(features)
    ? features.replace(DEFAULTS, (_, start: string, _list: string, end: string) => start + list + end)
    : `default = [${list}]\n${features}`;
  return now.replace(features, () => changed);
}

function defaultsOf(features = ''): readonly string[] {
  return [...(DEFAULTS.exec(features)?.[2] ?? '').matchAll(/"([^"\n]*)"/g)].map(([, name = '']) => name);
}

/** Variables that were there, and those that change how a runner starts. What the agent's code needs in addition stays. */
export function environmentKeys(original: string): IsTestKey {
  const before = new Set(
    [...original.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:]/gm)].map(([, name]) => name),
  );
  return ([name]) => name !== undefined && (before.has(name) || isRunnerVariable(name));
}
