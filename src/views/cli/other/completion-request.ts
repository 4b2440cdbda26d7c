import type { Argument, Command, Option } from 'commander';
import { AGENT_NAMES } from '../../../agents/find-adapter.js';
import { isRepeatable, OVERRIDES } from '../../../config/override-table.js';

/** A word that can stand at the cursor. */
export interface Candidate {
  readonly word: string;
  readonly about?: string | undefined;
}

/** What can stand at the cursor. */
export type Wish =
  | { readonly kind: 'nothing' | 'files' | 'directories' }
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'runs'; readonly which: WhichRuns }
  | { readonly kind: 'fleet'; readonly what: WhatOfFleet };

/** The runs that a command can do something with. */
export type WhichRuns = 'all' | 'live' | 'resumable';

/** What only the database of a fleet knows. */
export type WhatOfFleet = 'runs' | 'open-runs' | 'batches' | 'labels';

export interface CursorPlace {
  readonly wish: Wish;
  /** What stands before the part to be completed in the same word: `--agent=`. */
  readonly before: string;
  readonly typed: string;
  /** The value of `--cwd`, as it was typed. */
  readonly folder?: string | undefined;
  /** The value of `--postgres`, as it was typed. */
  readonly postgres?: string | undefined;
}

const NOTHING: Wish = { kind: 'nothing' };

/** Commands for a run that someone runs now. */
const STEERING = new Set([
  'stop',
  'pause',
  'unpause',
  'skip',
  'reboot',
  'approve',
  'reject',
  'steer',
  'answer',
  'extend',
]);

/** Commands with an agent's own after `--`. */
const TAKES_COMMAND = new Set(['run', 'submit']);

/** What is wanted at the cursor, which is at the end of the last word; the words begin after `pawl`. */
export function completionRequest(program: Command, words: readonly string[]): CursorPlace {
  const typed = words.at(-1) ?? '';
  const walk = walkTo(program, words.slice(0, -1));
  const { folder, postgres } = walk;
  const at = { folder, postgres };
  const { awaiting } = walk;
  if (awaiting !== undefined && (awaiting.required || !typed.startsWith('-'))) {
    return { wish: valueRequest(awaiting), before: '', typed, ...at };
  }
  const equals = typed.indexOf('=');
  if (!walk.isOver && typed.startsWith('--') && equals > 0) {
    const option = optionOf(walk.command, typed.slice(0, equals));
    const wish = option === undefined ? NOTHING : valueRequest(option);
    return { wish, before: typed.slice(0, equals + 1), typed: typed.slice(equals + 1), ...at };
  }
  if (!walk.isOver && typed.startsWith('-')) return { wish: optionsRequest(walk), before: '', typed, ...at };
  const wish = operandRequest(walk);
  const isEmpty = wish.kind === 'nothing' && typed === '' && !walk.isOver && walk.command !== program;
  return { wish: isEmpty ? optionsRequest(walk) : wish, before: '', typed, ...at };
}

interface Walk {
  command: Command;
  readonly operands: string[];
  readonly given: Set<Option>;
  /** An option whose value comes next. */
  awaiting?: Option | undefined;
  /** After `--`. */
  isOver: boolean;
  folder?: string | undefined;
  postgres?: string | undefined;
}

function walkTo(program: Command, words: readonly string[]): Walk {
  const walk: Walk = { command: program, operands: [], given: new Set(), isOver: false };
  for (const word of words) step(walk, word);
  return walk;
}

function step(walk: Walk, word: string): void {
  const { awaiting } = walk;
  walk.awaiting = undefined;
  if (awaiting !== undefined && (awaiting.required || !word.startsWith('-'))) take(walk, awaiting, word);
  else if (walk.isOver) walk.operands.push(word);
  else if (word === '--') walk.isOver = true;
  else if (word.startsWith('-') && word !== '-') takeOption(walk, word);
  else takeOperand(walk, word);
}

function takeOption(walk: Walk, word: string): void {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const option = optionOf(walk.command, equals < 0 ? word : word.slice(0, equals));
  if (option === undefined) return;
  walk.given.add(option);
  if (equals >= 0) take(walk, option, word.slice(equals + 1));
  else if (option.required || option.optional) walk.awaiting = option;
}

function take(walk: Walk, option: Option, value: string): void {
  if (option.long === '--cwd') walk.folder = value;
  if (option.long === '--postgres') walk.postgres = value;
}

function takeOperand(walk: Walk, word: string): void {
  const inner =
    walk.operands.length === 0 ? walk.command.commands.find((command) => command.name() === word) : undefined;
  if (inner === undefined) walk.operands.push(word);
  else walk.command = inner;
}

function optionOf(command: Command, name: string): Option | undefined {
  return visibleOptions(command).find(({ long, short }) => long === name || short === name);
}

function visibleOptions(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function optionsRequest({ command, given }: Walk): Wish {
  const words = visibleOptions(command)
    .filter((option) => !given.has(option) || isGivenAgain(option))
    .flatMap(({ long, short, description }) =>
      [long, short].flatMap((word) => (typeof word === 'string' ? [{ word, about: description }] : [])),
    );
  return { kind: 'words', words };
}

function isGivenAgain(option: Option): boolean {
  return OVERRIDES.some((override) => override.flag === option.name() && isRepeatable(override));
}

/** What the help calls the value says what it is. */
function valueRequest({ flags, long, argChoices }: Option): Wish {
  const name = /[<[](.+?)[>\]]/.exec(flags)?.[1] ?? '';
  if (argChoices !== undefined) return wordsOf(argChoices);
  if (long === '--batch') return { kind: 'fleet', what: 'batches' };
  if (long === '--label' || long === '--labels') return { kind: 'fleet', what: 'labels' };
  if (name === 'FILE') return { kind: 'files' };
  if (name === 'DIR') return { kind: 'directories' };
  if (name === 'AGENT') return wordsOf(AGENT_NAMES);
  if (name === 'RUN') return { kind: 'runs', which: 'all' };
  return name.includes('|') ? wordsOf(name.split('|')) : NOTHING;
}

function operandRequest({ command, operands, isOver }: Walk): Wish {
  // The agent's own command.
  if (isOver && TAKES_COMMAND.has(command.name())) return { kind: 'files' };
  const isHelp = command.parent === null && operands[0] === 'help' && operands.length === 1;
  if (isHelp || (operands.length === 0 && command.commands.length > 0)) return commandsRequest(command);
  const argument = argumentAt(command, operands.length);
  return argument === undefined ? NOTHING : argumentRequest(command, argument, operands.length);
}

function commandsRequest(command: Command): Wish {
  const visible = command.createHelp().visibleCommands(command);
  return { kind: 'words', words: visible.map((one) => ({ word: one.name(), about: one.description() })) };
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

function argumentRequest(command: Command, argument: Argument, index: number): Wish {
  if (argument.argChoices !== undefined) return wordsOf(argument.argChoices);
  switch (argument.name().toLowerCase()) {
    case 'file':
    case 'config':
      return { kind: 'files' };
    case 'run':
      return runsFor(command);
    // Only runs of a fleet are called so.
    case 'id':
      return { kind: 'fleet', what: command.name() === 'logs' ? 'runs' : 'open-runs' };
    // The text of a command may have the run before it.
    case 'text':
      return index === 0 ? runsFor(command) : NOTHING;
    default:
      return NOTHING;
  }
}

function runsFor(command: Command): Wish {
  const name = command.name();
  return { kind: 'runs', which: STEERING.has(name) ? 'live' : name === 'resume' ? 'resumable' : 'all' };
}

function wordsOf(words: readonly string[]): Wish {
  return { kind: 'words', words: words.map((word) => ({ word })) };
}
