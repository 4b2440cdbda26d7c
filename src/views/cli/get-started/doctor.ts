import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { probeCleanRoom } from '../../../clean-room/clean-room.js';
import { type Environment, stateHome } from '../../../journal/run-places.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { formatByteSize } from '../../../model/byte-size.js';
import { storeAdvice, storeBytes } from '../../../observation/files/snapshot-store.js';
import { tooManyFiles } from '../../../observation/files/tree-size.js';
import { sharedPath } from '../../../run/control-place.js';
import type { DoctorRequest, Finding, FindingGroup, Level } from '../../../setup/finding.js';
import { outsidePath } from '../../../setup/outside-programs.js';
import { plural } from '../../../model/figures.js';
import { VERSION } from '../../../version.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { folderOf, homeOf, searchFrom } from './setup-place.js';
import { type Style, type Terminal, wrap } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';
import { examineAgents } from '../../../setup/examine-agents.js';
import { examineConfig } from '../../../setup/examine-config.js';
import { examineDisk } from '../../../setup/examine-disk.js';
import { examineMachine } from '../../../setup/examine-machine.js';

export interface DoctorOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** A program that has not said its version by then will not. */
const PROBE_MS = 10_000;

const HEADINGS: Readonly<Record<FindingGroup, string>> = {
  machine: 'This machine',
  agents: 'Agents',
  disk: 'Disk',
  config: 'Config',
};

const MARKS: Readonly<Record<Level, readonly [mark: string, style: Style]>> = {
  ok: ['✓', 'green'],
  note: ['·', 'dim'],
  warning: ['!', 'yellow'],
  problem: ['✗', 'red'],
};

/** Prints what a run needs, what is there, and what to do about the rest. Exits with 1 if there is a problem. */
export async function doctorCommand(options: DoctorOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const request = doctorRequest(folderOf(context, options.cwd), context);
  const found = await Promise.all([examine(request), examineTracking(request), examineRoom(request)]);
  const findings = found.flat();
  const isFine = findings.every(({ level }) => level !== 'problem');
  if (options.json === true) {
    terminal.raw(`${jsonText({ ok: isFine, version: VERSION, findings }, 2)}\n`);
  } else printFindings(findings, request.search.home, terminal);
  return isFine ? EXIT_CODES.goal : EXIT_CODES.error;
}

/** Whether the files of the folder can be tracked, and what the snapshots take. */
async function examineTracking({ folder, environment, search }: DoctorRequest): Promise<readonly Finding[]> {
  const problem = await tooManyFiles(folder, { ...environment, PATH: outsidePath(search) });
  const bytes = storeBytes(folder, environment);
  const finding = { group: 'disk', name: 'snapshots' } as const;
  const take = bytes === undefined ? 'an unknown amount of space' : formatByteSize(bytes);
  const size = bytes === 0 ? 'none for this folder yet' : `${take} for this folder`;
  const fix = storeAdvice(bytes);
  const room: Finding = { ...finding, level: fix === undefined ? 'ok' : 'warning', found: size, fix };
  return problem === undefined ? [room] : [{ ...finding, level: 'warning', found: problem }, room];
}

/** Where the original tests are run when the agent changed tests. */
async function examineRoom({ environment }: DoctorRequest): Promise<readonly Finding[]> {
  const finding = { group: 'machine', name: 'clean room' } as const;
  const scratchDir = await mkdtemp(join(environment['TMPDIR'] ?? '/tmp', 'pawl-doctor-'));
  const room = await probeCleanRoom({ scratchDir });
  await rm(scratchDir, { recursive: true, force: true });
  if ('unusable' in room) {
    const fix = 'without it a run whose agent changed tests ends as needs you';
    return [{ ...finding, level: 'warning', found: `cannot be used: ${room.unusable}`, fix }];
  }
  const why = room.refusals.length === 0 ? '' : ` (${room.refusals.join('; ')})`;
  if (room.kind === 'overlay') return [{ ...finding, level: 'ok', found: 'an overlay mount' }];
  return [{ ...finding, level: 'note', found: `a copy of the folder, which takes longer${why}` }];
}

function doctorRequest(folder: string, { environment, now }: CommandContext): DoctorRequest {
  return {
    folder,
    environment,
    now,
    search: searchFrom(folder, environment),
    platform: process.platform,
    nodeVersion: process.versions.node,
    userId: process.getuid?.(),
    stateFolder: join(stateHome({ ...environment, HOME: homeOf(environment) }), 'pawl'),
    runtimeFolder: runtimeFolder(environment),
    timeoutMs: PROBE_MS,
  };
}

/** Where a run would have its socket. */
function runtimeFolder(environment: Environment): string {
  const { XDG_RUNTIME_DIR: home = '' } = environment;
  const isUsable = isAbsolute(home) && existsSync(home);
  return isUsable ? join(home, 'pawl') : sharedPath(environment);
}

function printFindings(findings: readonly Finding[], home: string, terminal: Terminal): void {
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const group of ['machine', 'agents', 'disk', 'config'] as const) {
    const own = findings.filter((finding) => finding.group === group);
    if (own.length === 0) continue;
    terminal.say(terminal.style('bold', HEADINGS[group]));
    for (const finding of own) printFinding(finding, { width, home }, terminal);
    terminal.say();
  }
  terminal.say(summary(findings, terminal));
}

function printFinding(
  { name, level, found, fix }: Finding,
  { width, home }: { readonly width: number; readonly home: string },
  terminal: Terminal,
): void {
  const [mark, style] = MARKS[level];
  const room = terminal.columns - width - 6;
  const [first = '', ...rest] = wrap(printable(withoutHome(found, home)), room);
  const indent = ' '.repeat(width + 6);
  terminal.say(`  ${terminal.style(style, mark)} ${name.padEnd(width)}  ${first}`.trimEnd());
  for (const text of rest) terminal.say(`${indent}${text}`);
  if (fix === undefined) return;
  const [start = '', ...more] = wrap(printable(withoutHome(fix, home)), room - 2);
  terminal.say(`${indent}${terminal.style('dim', `→ ${start}`)}`);
  for (const text of more) terminal.say(`${indent}  ${terminal.style('dim', text)}`);
}

function withoutHome(text: string, home: string): string {
  return home.length < 2 ? text : text.replaceAll(`${home}/`, '~/');
}

function summary(findings: readonly Finding[], terminal: Terminal): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const also = warnings === 0 ? '' : `, ${plural(warnings, 'warning')}`;
  if (problems > 0) return terminal.style(['bold', 'red'], `${plural(problems, 'problem')}${also}.`);
  return terminal.style(warnings > 0 ? ['bold', 'yellow'] : ['bold', 'green'], `No problem${also}.`);
}

/**
 * Looks at everything that a run needs, all at once. Executes nothing of the tree, writes nothing, spends nothing, and
 * ends: each look has a time limit. Never rejects.
 */
export async function examine(request: DoctorRequest): Promise<readonly Finding[]> {
  const looks: readonly (readonly [FindingGroup, () => readonly Finding[] | Promise<readonly Finding[]>])[] = [
    ['machine', () => examineMachine(request)],
    ['agents', () => examineAgents(request)],
    ['disk', () => examineDisk(request)],
    ['config', () => examineConfig(request)],
  ];
  const findings = await Promise.all(looks.map(async ([group, look]) => guarded(group, look)));
  return findings.flat();
}

async function guarded(
  group: FindingGroup,
  look: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const found = `could not be checked: ${error instanceof Error ? error.message : String(error)}`;
    return [{ group, name: group, level: 'problem', found }];
  }
}
