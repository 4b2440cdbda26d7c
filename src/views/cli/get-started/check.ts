import { resolve } from 'node:path';
import { type LoadedConfig, loadConfig } from '../../../config/load-config.js';
import type { Origin, Origins } from '../../../config/layer.js';
import { reviewPolicy, type Warning, withPlace } from '../../../config/review-policy.js';
import { leavesOf, type StopCondition } from '../../../model/condition.js';
import { formatDuration } from '../../../model/duration.js';
import { ConfigError, formatIssue } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { policyEntries } from '../../../model/policy.js';
import type { RunSpec } from '../../../model/run-spec.js';
import { tooManyFiles } from '../../../observation/files/tree-size.js';
import { specRedactor } from '../../../run/spec-redactor.js';
import { STOP_CLASSES, type StopClass } from '../../../model/stop-class.js';
import { describe } from '../../../stop/judge.js';
import { isLive } from '../../../stop/evaluate-policy.js';
import { jsonText } from '../../text/json-text.js';
import { configFlags } from '../config-flags.js';
import { findManifest } from '../run/find-manifest.js';
import { checkManifest } from './check-manifest.js';
import { isManifest } from '../../../pipeline/manifest/manifest-file.js';
import { entryText } from '../../../words/clock-text.js';
import { reviewNotes } from '../../text/policy-lines.js';
import { printable, visibleLines } from '../../../words/printable.js';
import { reviewAgent, reviewAlso } from '../../../app/review-agent.js';
import { checkStart } from '../../../app/start-run.js';
import { type Terminal, wrap } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';
import type { SchemaName } from './schema.js';
import type { Environment } from '../../../journal/run-places.js';
import { programOf } from '../../../model/condition-catalog.js';

export interface CheckOptions {
  readonly cwd?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly fix?: boolean;
  readonly schema?: SchemaName;
  readonly [flag: string]: unknown;
}

const HEADINGS: Readonly<Record<StopClass, string>> = {
  veto: 'A run is rejected, whatever else is met',
  goal: 'A run is done',
  operator: 'A run stops on request',
  blocked: 'A run needs you',
  failure: 'A run gives up',
  limit: 'A run stops at its limits',
};

const PERMITTED = {
  bypass: 'with every permission, without asking',
  agent: 'with whatever its own settings permit, without asking',
} as const;

/** Prints what a run with this config would do, who set it, and what looks wrong. A config that is wrong throws. */
export async function checkConfig(
  argument: string | undefined,
  options: CheckOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const configPath = argument ?? options.config;
  const cwd = resolve(context.cwd, options.cwd ?? '.');
  const asJson = options.json === true;
  const manifest = argument === undefined && options.fix === true ? findManifest(undefined, cwd) : argument;
  if (manifest !== undefined && isManifest(resolve(cwd, manifest)))
    return checkManifest(manifest, { cwd, json: asJson, fix: options.fix }, context);
  try {
    const config = loadConfig({ cwd, configPath, env: context.environment, flags: configFlags(options) });
    const { spec, origins } = config;
    const review = [...reviewPolicy(spec, { now: context.now(), origins }), ...reviewAgent(spec, origins, true)];
    const warnings = [
      ...config.warnings,
      ...review,
      ...(await reviewTree(config, context.environment)),
      ...(await reviewAlso(config, context.environment)),
    ];
    const report: Report = { ...config, warnings };
    if (!asJson) printReport(report, terminal);
    const problem = await startProblem(config, context);
    if (problem !== undefined && !asJson) throw problem;
    if (asJson) printJson(report, problem, context);
    return problem === undefined ? EXIT_CODES.goal : EXIT_CODES.usage;
  } catch (error) {
    if (!asJson || !(error instanceof ConfigError)) throw error;
    terminal.raw(`${jsonText({ ok: false, issues: error.issues }, 2)}\n`);
    return EXIT_CODES.usage;
  }
}

type Report = LoadedConfig;

/** Why a run of this config would not start here; undefined when it would. */
async function startProblem(config: LoadedConfig, context: CommandContext): Promise<ConfigError | undefined> {
  try {
    await checkStart(config, context);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** What a run will miss because of the folder that it is in. */
async function reviewTree({ spec, origins }: LoadedConfig, environment: Environment): Promise<readonly Warning[]> {
  const problem = spec.trackFileChanges ? await tooManyFiles(spec.workingDir, environment) : undefined;
  return problem === undefined ? [] : [withPlace({ path: 'track_file_changes', message: problem }, origins)];
}

function printReport({ spec, origins, warnings, projectFile }: Report, terminal: Terminal): void {
  if (projectFile === undefined) {
    terminal.say('No pawl.yaml here; these are the defaults.');
    terminal.say();
  }
  printPolicy(spec, origins, terminal);
  printRun(spec, origins, terminal);
  printWarnings(warnings, terminal);
}

function printJson(
  { spec, origins, warnings }: Report,
  problem: ConfigError | undefined,
  context: CommandContext,
): void {
  const policy = policyEntries(spec.policy).map(({ path, class: stopClass, condition }) => ({
    path,
    class: stopClass,
    condition,
    description: describe(condition),
    live: isLive(condition),
    origin: origins[path],
  }));
  const ok = problem === undefined;
  const report = { ok, ...(ok ? {} : { issues: problem.issues }), policy, spec, origins, warnings };
  const redacted = specRedactor(spec, context.environment).json(JSON.stringify(report));
  context.terminal.raw(`${jsonText(JSON.parse(redacted), 2)}\n`);
}

function printPolicy(spec: RunSpec, origins: Origins, terminal: Terminal): void {
  const entries = policyEntries(spec.policy);
  for (const stopClass of STOP_CLASSES) {
    const own = entries.filter((entry) => entry.class === stopClass);
    if (own.length === 0) continue;
    terminal.say(terminal.style('bold', HEADINGS[stopClass]));
    for (const entry of own)
      printRow(entryText(entry, spec.policy), origins[entry.path], terminal, hasScript(entry.condition));
    terminal.say();
  }
  if (!entries.some((entry) => entry.class === 'limit')) {
    terminal.say(terminal.style(['bold', 'yellow'], 'No limit'));
    terminal.say('  no limit: the run ends only by its goals, its failure conditions or by you');
    terminal.say();
  }
}

function printRun(spec: RunSpec, origins: Origins, terminal: Terminal): void {
  const { agent, tests, checks } = spec;
  terminal.say(terminal.style('bold', 'Each iteration'));
  const command = agent.command === undefined ? '' : `: ${agent.command.join(' ')}`;
  printRow(
    `runs ${agent.name}${command}${agent.model === undefined ? '' : ` with ${agent.model}`}`,
    origins['agent.name'],
    terminal,
    true,
  );
  if (agent.permissions !== 'edit') printRow(PERMITTED[agent.permissions], origins['agent.permissions'], terminal);
  if (tests !== undefined)
    printRow(`then runs the tests: ${tests.command}`, origins['tests.command'] ?? origins['tests'], terminal, true);
  for (const [name, check] of Object.entries(checks)) {
    printRow(
      `then runs the check ${name}: ${check.command}`,
      origins[`checks.${name}.command`] ?? origins[`checks.${name}`],
      terminal,
      true,
    );
  }
  const also = spec.progressAlso?.join(', ');
  if (also !== undefined)
    printRow(`then checks ${also}: new content there is progress`, origins['progress.also'], terminal);
  printRow(`and may take ${formatDuration(spec.iterationTimeoutMs)}`, origins['iteration_timeout'], terminal);
  const notes = reviewNotes(spec);
  if (notes.length === 0) return;
  terminal.say();
  terminal.say(terminal.style('bold', 'The review'));
  const origin = origins['review.agent'] ?? origins['review.command'] ?? origins['review'];
  for (const note of notes) printRow(note, origin, terminal, true);
}

function hasScript(condition: StopCondition): boolean {
  return leavesOf(condition).some((leaf) => programOf(leaf) !== undefined);
}

/** A sentence on the left, who set it on the right. Of one with a command every character is to be seen. */
function printRow(text: string, origin: Origin | undefined, terminal: Terminal, isExecuted = false): void {
  const place = origin?.source === 'default' ? 'default' : printable(origin?.place ?? origin?.source ?? '');
  const width = terminal.columns - place.length - 2;
  const [first = '', ...rest] = isExecuted ? visibleLines(text, width - 4) : wrap(printable(text), width - 2);
  terminal.say(`  ${first.padEnd(width)}${terminal.style('dim', place)}`.trimEnd());
  for (const line of rest) terminal.say(`    ${line}`);
}

function printWarnings(warnings: readonly Warning[], terminal: Terminal): void {
  if (warnings.length === 0) return;
  terminal.say();
  terminal.say(
    terminal.style(['bold', 'yellow'], warnings.length === 1 ? 'One warning' : `${warnings.length} warnings`),
  );
  for (const warning of warnings) {
    const [first = '', ...rest] = wrap(printable(formatIssue(warning)), terminal.columns - 4);
    terminal.say(`  ${first}`);
    for (const line of rest) terminal.say(`    ${line}`);
  }
}
