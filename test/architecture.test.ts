import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../src/agents/index.js';
import { CONDITION_TYPES } from '../src/model/condition-catalog.js';
import { conformanceCases } from './architecture/conformance-cases.js';
import { importCycle, wrongImports } from './architecture/direction.js';
import { impurities } from './architecture/impurity.js';
import { processReads } from './architecture/process-reads.js';
import { reliabilityCases } from './architecture/reliability-cases.js';
import { securityCases } from './architecture/security-cases.js';
import { tooLong } from './architecture/size.js';
import { isTest, parseSource, ROOT, sourcesIn } from './architecture/source-file.js';
import { isPrinted, MAY_HAVE_WORST_WORDS, userStrings, worstWords } from './architecture/user-strings.js';

/** At most five, each with its reason. */
const MAY_BE_LONGER: Readonly<Record<string, string>> = {
  'src/model/run-event.ts': 'one table of all events',
  'src/words/event-words.ts': 'one table of the words of all events',
};

/**
 * The files that read the environment, the working directory, the streams or the clock of the process themselves.
 * Everything else gets them from its caller, so that a test can run it with others.
 */
const MAY_READ_PROCESS: Readonly<Record<string, string>> = {
  'src/views/cli/command-context.ts': 'makes the context of every command',
  'src/views/cli/main.ts': 'is the program: it prints the version before anything else is loaded',
  'src/agent/agent-sources.ts': 'library: a folder is named from where the program runs',
  'src/agent/deep-factor-agent.ts': 'library: the environment and the clock are options',
  'src/agent/model-reviewer.ts': 'library: the clock is an option',
  'src/agent/to-ai-sdk-stop-condition.ts': 'library: the AI SDK gives a condition no clock',
  'src/config/resolve-config.ts': 'library: the folder and the environment are options',
  'src/pipeline/create-pipeline.ts': 'library: the environment is an option',
  'src/pipeline/run-pipeline.ts': 'library: the folder and the environment are options',
  'src/pricing/price-usage.ts': 'library: the day of a price is an option',
  'src/run/resume-run.ts': 'library: the environment is an option',
  'src/run/run-source.ts': 'library: the environment and the clock are options',
  'src/standalone/observe-probes.ts': 'library: the folder and the environment are options',
  'src/journal/memory-journal.ts': 'library: the clock is an option',
  'src/fleet/engine/memory-fleet.ts': 'library: the clock is an option',
  'src/journal/open-file-journal.ts': 'the clock is an option',
  'src/fleet/postgres-journal.ts':
    'takes every secret of the worker out of records, also those that its agents do not get',
  'src/iteration/agent-stream.ts': 'an agent CLI writes its own times by the clock of the machine',
  'src/observation/files/snapshot-store.ts': 'a commit has the time at which git would make it',
  'src/journal/lock.ts': 'compares with the time of a file, and says since when a lock is held',
  'src/workspace/mirror.ts': 'compares with the time of a file',
  'src/workspace/clone-folder.ts': 'compares with the time of a folder',
  'src/observation/files/snapshot-taker.ts': 'compares with the times of files',
  'src/iteration/observe.ts': 'compares with the times of files',
  'src/pipeline/output-store.ts': 'compares with the times of files',
  'src/run/control-place.ts': 'compares with the time of a file',
  'src/journal/delete-run.ts': 'makes a name that no other process has',
  'src/observation/files/restore-tree.ts': 'makes a name that no other process has',
  'src/config/review-policy.ts': 'takes the last slash off an absolute path',
  'src/observation/open-inside.ts': 'takes the last slash off an absolute path',
};

/** The files that compare the type of a condition with a name. */
const MAY_NAME_A_CONDITION: Readonly<Record<string, string>> = {
  'src/agents/claude/parse.ts': 'the word is one of the agent',
  'src/model/reduce-streaks.ts': 'the state counts by the version of a rule',
  'src/pipeline/manifest/manifest-settings.ts': 'each condition under the key of the manifest that writes it',
  'src/setup/config-text.ts': 'writes a policy as text',
};

/** The files that name an agent CLI, except in examples. */
const MAY_NAME_AN_AGENT: Readonly<Record<string, string>> = {
  'src/config/file-layer.ts': 'the key `session.claude_command`',
  'src/pricing/model-name.ts': 'the prefix of a provider of models',
};

/** What is about composites as such is not in their files. */
const COMPOSITES = /^(?:all|any|not|for|never)$/;

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|bench|config|contract))?\.(?:tsx?|mjs)$/;
const SAYS_NOTHING = /(?:^|-)(?:utils?|helpers?|types|managers?|services?)(?=[-.])/;
const PATH_OF_A_MACHINE = /(?<![\w.])\/(?:home|root|Users|work)\/\w|[A-Z]:\\\\?Users/;

const sources = sourcesIn('src');
const shipped = sources.filter((file) => !isTest(file));
/** A page in a browser has no process. */
const readers = shipped.filter(({ path }) => !path.startsWith('src/views/web/client/'));
const reads = readers.flatMap((file) => processReads(file).map((read) => ({ path: file.path, read })));
const long = [...shipped, ...sourcesIn('scripts')].flatMap(tooLong);
const everything = [...sources, ...['test', 'scripts', 'bench', 'examples'].flatMap((folder) => sourcesIn(folder))];

describe('architecture', () => {
  it('imports go in one direction', () => {
    expect(shipped.flatMap(wrongImports)).toEqual([]);
  });

  it('no file imports itself through others', () => {
    expect(importCycle(shipped)?.join(' -> ')).toBeUndefined();
  });

  it('only src/process starts programs', () => {
    const starters = shipped.filter((file) => file.imports.some((name) => /^(?:node:)?child_process$/.test(name)));
    expect(starters.map((file) => file.path).filter((path) => !path.startsWith('src/process/'))).toEqual([]);
  });

  it('only one file runs git', () => {
    const runners = shipped.filter(({ text }) => /command: 'git'/.test(text)).map(({ path }) => path);
    expect(runners).toEqual(['src/workspace/git.ts']);
  });

  it('the model and the decision use neither Node nor a clock nor chance', () => {
    expect(shipped.filter((file) => /^src\/(?:model|stop)\//.test(file.path)).flatMap(impurities)).toEqual([]);
  });

  it('only a few files read the environment, the streams or the clock of the process', () => {
    expect(reads.filter(({ path }) => !(path in MAY_READ_PROCESS)).map(({ read }) => read)).toEqual([]);
  });

  it('the page uses nothing of Node, although its tests do', () => {
    const page = shipped.filter(({ path }) => path.startsWith('src/views/web/client/'));
    const uses = /from 'node:|import\('node:|\bprocess\.|\bBuffer\b/;
    expect(page.filter(({ text }) => uses.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('each of them has to', () => {
    const needed = new Set(reads.map(({ path }) => path));
    expect(Object.keys(MAY_READ_PROCESS).filter((path) => !needed.has(path))).toEqual([]);
  });

  it('only the wait policy says what a refusal is, and which reason says that a wait is too long', () => {
    const knows = /[!=]== 'limited'|path[^,;]* [!=]== 'max_wait'|path: 'max_wait'/;
    const found = shipped.filter(({ text }) => knows.test(text)).map(({ path }) => path);
    expect(found).toEqual(['src/model/wait-policy.ts']);
  });

  it('what is decided about a condition is in its file: no other file compares its type with a name', () => {
    const names = CONDITION_TYPES.filter((type) => !COMPOSITES.test(type)).join('|');
    // `function` is also a kind of probe, and what a factory makes.
    const compares = new RegExp(
      `type [!=]== '(?:${names})'|(?:case |ConditionOf<|\\?\\.\\[|versionOf\\(\\w+, )'(?!function')(?:${names})'`,
    );
    const others = shipped.filter(({ path }) => !/^src\/model\/(?:conditions|judging)\//.test(path));
    const found = others.filter(({ text }) => compares.test(text)).map(({ path }) => path);
    expect(found.toSorted()).toEqual(Object.keys(MAY_NAME_A_CONDITION));
  });

  it('what is known of an agent is in its object: no other file names one', () => {
    const names = new RegExp(`['"\`](?:${AGENTS.map(({ name }) => name).join('|')})['"\`]`);
    const others = shipped.filter(({ path }) => !path.startsWith('src/agents/'));
    const found = others.filter(({ text }) => names.test(text.replaceAll(/^ *\*.*$/gm, '')));
    expect(found.map(({ path }) => path)).toEqual(Object.keys(MAY_NAME_AN_AGENT));
  });

  it('files and functions can be read at one sitting', () => {
    expect(long.filter(({ what }) => !(what in MAY_BE_LONGER))).toEqual([]);
  });

  it('there are at most five exceptions to that, and each is needed', () => {
    const needed = new Set(long.map(({ what }) => what));
    expect(Object.keys(MAY_BE_LONGER).filter((what) => !needed.has(what))).toEqual([]);
    expect(Object.keys(MAY_BE_LONGER).length).toBeLessThanOrEqual(5);
  });

  it('files are named after what they hold', () => {
    const names = everything.map((file) => file.path).filter((path) => !path.startsWith('test/fixtures/'));
    expect(names.filter((path) => !NAME.test(basename(path)) || SAYS_NOTHING.test(basename(path)))).toEqual([]);
  });

  it('nothing is left to do later, and no machine is named, in the sources', () => {
    const notes = shipped.filter(
      (file) => /\b(?:TODO|FIXME|XXX)\b/.test(file.text) || PATH_OF_A_MACHINE.test(file.text),
    );
    expect(notes.map((file) => file.path)).toEqual([]);
  });
});

describe('the words of every string in the source', () => {
  const found = worstWords(userStrings(sources));

  it('are plain', () => {
    expect(found.filter(({ where }) => where === undefined)).toEqual([]);
  });

  it('need each exception', () => {
    const needed = new Set(found.map(({ where }) => where));
    expect(Object.keys(MAY_HAVE_WORST_WORDS).filter((where) => !needed.has(where))).toEqual([]);
  });

  it('are found in quotes, in a template and in a page', () => {
    const text = 'const a = "nobody"; const b = `${a} goes on`; const c = <p>It was told.</p>; // nobody';
    expect(worstWords(userStrings([parseSource('src/a.tsx', text)])).map((one) => one.text)).toEqual([
      'nobody',
      '… goes on',
      'It was told.',
    ]);
  });
});

describe('the messages that the troubleshooting page lists', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/troubleshooting.md'), 'utf8');
  const messages = [...page.matchAll(/^### `(.+)`$/gm)].map(([, message = '']) => message);

  it('are those that the code prints', () => {
    const strings = userStrings(sources);
    expect(messages.length).toBeGreaterThan(35);
    expect(messages.filter((message) => !isPrinted(message, strings))).toEqual([]);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>;
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };

  it('exports files that the build makes', () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    const missing = [...targets, ...Object.values(manifest.bin)].filter(
      (target) => !existsSync(join(ROOT, sourceOf(target))),
    );
    expect(missing).toEqual([]);
  });

  it('names no address to download from in the lockfile', () => {
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"/);
  });
});

/** What a file of the package is made from. */
function sourceOf(target: string): string {
  if (target.endsWith('dist/bin/pawl.js')) return 'src/views/cli/main.ts';
  if (target.endsWith('dist/schema.json')) return 'src/config/config-schema.ts';
  if (/dist\/pipeline[a-z-]*\.schema\.json$/.test(target)) return 'src/pipeline/schemas.ts';
  return target.replace('dist/', 'src/').replace(/\.d\.ts$|\.js$/, '.ts');
}

describe('the checks themselves notice', () => {
  it('an import in the wrong direction', () => {
    expect(wrongImports(parseSource('src/model/a.ts', "import { b } from '../stop/b.js';"))).toHaveLength(1);
    expect(wrongImports(parseSource('src/model/a.ts', "import type { b } from '../stop/b.js';"))).toHaveLength(1);
    expect(wrongImports(parseSource('src/views/cli/a.ts', "await import('../../process/b.js');"))).toHaveLength(1);
    expect(wrongImports(parseSource('src/stop/a.ts', "export * from '../model/b.js';"))).toHaveLength(0);
    expect(wrongImports(parseSource('src/nowhere/a.ts', ''))).toHaveLength(1);
  });

  it('a circle of type imports', () => {
    const a = parseSource('src/model/a.ts', "import type { B } from './b.js';");
    const b = parseSource('src/model/b.ts', "export type B = import('./a.js').A;");
    expect(importCycle([a, b])).toEqual(['src/model/a.ts', 'src/model/b.ts', 'src/model/a.ts']);
    expect(importCycle([a])).toBeUndefined();
  });

  it.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'performance.now()',
    'setTimeout(() => 1)',
    'Math.random()',
    "import 'node:fs'",
    'process.env.HOME',
  ])('%s in a pure folder', (code) => {
    expect(impurities(parseSource('src/model/a.ts', code))).toHaveLength(1);
  });

  it.each([
    'new Date(at)',
    'state.process',
    'const x = { performance: 1 }',
    'function f(process: string) { return process; }',
    '// Date.now()',
    'interface A { readonly process: string }',
  ])('nothing wrong with %s', (code) => {
    expect(impurities(parseSource('src/model/a.ts', code))).toEqual([]);
  });

  it.each([
    'process.env.HOME',
    'const { env: environment } = process;',
    'function f(environment = process.env) {}',
    'process.stdout.write(text)',
    'const now = Date.now;',
    'new Date().toISOString()',
    'resolve(path)',
    "resolve(cwd ?? '.')",
    'join(tmpdir(), name)',
    'join(homedir(), name)',
    "process['env'].HOME",
    'globalThis.process.cwd()',
    "import { env } from 'node:process';",
    'Date()',
    "Date['now']()",
    'performance.timeOrigin',
  ])('%s outside of the files that may read the process', (code) => {
    expect(processReads(parseSource('src/run/a.ts', code))).toHaveLength(1);
  });

  it.each([
    'process.pid',
    'new Date(at)',
    'performance.now()',
    'resolve(cwd, path)',
    'resolve(...paths)',
    'new Promise((resolve) => resolve(path))',
    'const { environment, now } = context;',
  ])('nothing of the process in %s', (code) => {
    expect(processReads(parseSource('src/run/a.ts', code))).toEqual([]);
  });

  it('a long file, a long function, a long loop', () => {
    const longFile = `export function f() {\n${'  work();\n'.repeat(59)}}\n`;
    expect(tooLong(parseSource('src/a.ts', longFile))).toEqual([{ what: 'src/a.ts f', lines: 61 }]);
    expect(tooLong(parseSource('src/a.ts', longFile.replace('  work();\n', '')))).toEqual([]);
    expect(tooLong(parseSource('src/a.ts', 'a();\n'.repeat(401)))).toEqual([{ what: 'src/a.ts', lines: 401 }]);
    expect(tooLong(parseSource('src/run/loop.ts', 'a();\n'.repeat(101)))).toHaveLength(1);
  });
});

conformanceCases();
reliabilityCases();
securityCases();
