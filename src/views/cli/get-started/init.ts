import { join, dirname } from 'node:path';
import { runsNoTests } from '../../../config/review-policy.js';
import { ConfigError, FileSystemError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { configText } from '../../../setup/config-text.js';
import { type IgnorePlan, planIgnore } from '../../../setup/ignore-runs.js';
import { outsidePath } from '../../../setup/outside-programs.js';
import { ProjectFiles } from '../../../setup/project-files.js';
import { promptText } from '../../../setup/prompt-text.js';
import { checklistGoal, DEFAULT_COST_USD, type SetupChoices } from '../../../setup/setup-choices.js';
import { isThere, type NewFile, writeFiles } from '../../../setup/write-files.js';
import { jsonText } from '../../text/json-text.js';
import { checkWritten } from './init-check.js';
import { type InitFlags, type InitOptions, readInitFlags } from './init-flags.js';
import { inspectProject, type Seen } from './inspect-project.js';
import { printInit } from './init-report.js';
import { folderOf, searchFrom } from './setup-place.js';
import { type Environment, stateHome } from '../../../journal/run-places.js';
import type { CommandContext } from '../command-context.js';
import { loadConfig } from '../../../config/load-config.js';
import { trustConfig } from '../../../setup/trust.js';

export type { InitOptions } from './init-flags.js';

const CONFIG_NAME = 'pawl.yaml';
const OTHER_CONFIG_NAMES = ['pawl.yml', 'pawl.json'];
const PROMPT_NAMES = ['PROMPT.md', 'prompt.md'];
const DEFAULT_ITERATIONS = 25;

/** Looks at a project and writes what a first run needs. What is there already is not touched unless that was asked. */
export async function initCommand(options: InitOptions, context: CommandContext): Promise<ExitCode> {
  try {
    return await setUp(options, context);
  } catch (error) {
    if (options.json !== true || !(error instanceof ConfigError)) throw error;
    context.terminal.raw(`${jsonText({ ok: false, issues: error.issues }, 2)}\n`);
    return EXIT_CODES.usage;
  }
}

async function setUp(options: InitOptions, context: CommandContext): Promise<ExitCode> {
  const { environment, terminal } = context;
  const folder = folderOf(context, options.cwd);
  const flags = readInitFlags(options, folder, environment);
  const there = whatIsThere(folder, options);
  const seen = inspectProject(folder, environment);
  const asks = options.yes !== true && options.json !== true && context.stdin.isTTY && terminal.isInteractive;
  const choices = await choose(flags, seen, there, asks ? context : undefined);
  if (choices === undefined) {
    terminal.note('Nothing was written.');
    return EXIT_CODES.operator;
  }
  // Not even git is taken from the tree.
  const ignore = await planIgnore(folder, {
    ...environment,
    PATH: outsidePath(searchFrom(folder, environment)),
  });
  const files = newFiles(folder, choices, there, ignore, environment);
  write(files);
  if (!there.config) trustWritten(join(folder, CONFIG_NAME), environment);
  // After the questions.
  if (asks) terminal.say();
  const wrote = files.map(({ path }) => path.slice(folder.length + 1));
  printInit({ choices, wrote, kept: there.kept, ignore, seen, options }, terminal);
  return EXIT_CODES.goal;
}

/** What of the files is there already. */
interface There {
  readonly config: boolean;
  readonly prompt: string | undefined;
  /** What stays as it is. */
  readonly kept: readonly string[];
}

/** Throws ConfigError when something is in the way; nothing is written then. */
function whatIsThere(folder: string, { keep, force }: InitOptions): There {
  const has = (name: string) => isThere(join(folder, name));
  const config = has(CONFIG_NAME);
  const others = OTHER_CONFIG_NAMES.filter(has);
  const prompt = new ProjectFiles(folder).names.find((name) => PROMPT_NAMES.includes(name));
  const found = [...(config ? [CONFIG_NAME] : []), ...others, ...(prompt === undefined ? [] : [prompt])];
  if (keep !== true && found.length > 0 && force !== true) {
    throw inTheWay(found, '--keep keeps it and writes the rest, --force overwrites it');
  }
  // Two configs would be a mistake, and no one asked to delete one.
  if (keep !== true && others.length > 0) throw inTheWay(others, 'remove it first');
  if (keep !== true) return { config: false, prompt: undefined, kept: [] };
  return { config: config || others.length > 0, prompt, kept: found };
}

function inTheWay(names: readonly string[], hint: string): ConfigError {
  return new ConfigError(names.map((name) => ({ path: '', place: name, message: `already exists; ${hint}` })));
}

/** Flags first, then what is asked, then what was found; undefined when the user would rather not. */
async function choose(
  flags: InitFlags,
  seen: Seen,
  there: There,
  /** Whom to ask what no flag says. */
  asked: CommandContext | undefined,
): Promise<SetupChoices | undefined> {
  const given =
    asked === undefined || there.config
      ? flags
      : await (await import('./init-questions.js')).askQuestions(flags, seen, asked);
  if (given === undefined) return undefined;
  const agent = given.agent ?? seen.likely;
  const tests = given.tests === null ? undefined : (given.tests ?? seen.tests?.command);
  return {
    agent,
    model: given.model,
    tests,
    testsWhy: tests === seen.tests?.command ? seen.tests?.why : undefined,
    testsUncounted: tests !== undefined && (tests === seen.tests?.command ? !seen.tests.isCounted : runsNoTests(tests)),
    task: given.task ?? 'build',
    goals: given.checklist === undefined ? given.goals : [checklistGoal(given.checklist, tests !== undefined)],
    checklist: given.checklist,
    review: given.review,
    protect: given.protect ?? [],
    testFiles: tests === undefined ? [] : (seen.tests?.testFiles ?? []),
    maxIterations: given.maxIterations ?? DEFAULT_ITERATIONS,
    maxCostUsd: given.maxCostUsd ?? DEFAULT_COST_USD,
    promptPath: there.prompt ?? 'PROMPT.md',
    schemaPath: seen.schemaPath,
  };
}

function newFiles(
  folder: string,
  choices: SetupChoices,
  there: There,
  ignore: IgnorePlan,
  environment: Environment,
): readonly NewFile[] {
  const config = configText(choices);
  if (!there.config) checkWritten(config, folder, choices, environment);
  const file = (name: string, text: string): NewFile => {
    const path = join(folder, name);
    return { path, text, replaces: isThere(path) };
  };
  return [
    ...(there.config ? [] : [file(CONFIG_NAME, config)]),
    ...(there.prompt === undefined ? [file('PROMPT.md', promptText(choices))] : []),
    ...(ignore.kind === 'write' ? [ignore.file] : []),
  ];
}

function write(files: readonly NewFile[]): void {
  const failed = writeFiles(files);
  if (failed !== undefined) throw new FileSystemError('write', files[0]?.path ?? '', failed.error);
}

/** Anyone who has a config written has confirmed what it executes. Where that cannot be kept, the first run asks. */
function trustWritten(configPath: string, environment: NodeJS.ProcessEnv): void {
  try {
    trustConfig(loadConfig({ cwd: dirname(configPath), configPath, env: environment }), stateHome(environment));
  } catch {
    // A broken config of the user's own is reported by `pawl check` and by the run.
  }
}
