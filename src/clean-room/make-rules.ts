import { addsOnlySources, isRunnerVariable, isTestName, namesIn, reachedNames, staysAsBuild } from './command-words.js';
import { joinedLines } from './keyed-text.js';
import type { TestTokens } from './test-tokens.js';

/** A rule with its recipe, a variable, or anything else. */
interface Block {
  readonly kind: 'rule' | 'variable' | 'other';
  /** The targets of a rule, or the name of a variable. */
  readonly names: readonly string[];
  readonly text: string;
}

export interface RuleFile {
  readonly text: string;
  /** In a justfile a recipe may be indented by blanks. */
  readonly isJust: boolean;
  /** Others include it, so that a new rule in it can replace one of theirs. */
  readonly isIncluded: boolean;
}

/** These make rules that cannot be read from the text. */
const GENERATED = /\$[({]eval\b|^[ \t]*\.RECIPEPREFIX\b/m;
const SPECIAL = /^\.(?:IGNORE|SILENT|ONESHELL|DEFAULT|POSIX)$/;

/** A makefile or justfile with the original rules and variables that say how tests run. Sources and builds stay. */
export function putRulesBack(file: RuleFile, now: string, command: string, tokens: TestTokens): string {
  if (GENERATED.test(now)) return GENERATED.test(file.text) ? now : file.text;
  const before = blocksOf(file);
  const after = blocksOf({ ...file, text: now });
  const keys = testKeys(before, command);
  const keyOf = (block: Block) => keysOf(block).find((key) => keys.has(key));
  const originals = grouped(before, keyOf);
  for (const texts of originals.values()) texts.reverse();
  const all = grouped(before, (block) => keysOf(block)[0] ?? block.text.trim());
  const mentioned = file.isIncluded ? namesIn(command) : new Set<string>();
  const restored = after.map((block) => {
    const key = keyOf(block);
    const first = keysOf(block)[0] ?? block.text.trim();
    if (key === undefined) {
      const isNew = !all.has(first) && (isForeign(block, tokens) || block.names.some((name) => mentioned.has(name)));
      return isNew ? '' : withLists(block, all.get(first)?.[0], tokens);
    }
    // The second rule of a name takes the place of the second.
    const text = originals.get(key)?.pop();
    if (text === undefined) return '';
    const stays = block.names.every((name) => staysAsBuild(name, text, block.text));
    const addsSources = addsOnlySources(text, block.text, (token) => tokens.isTest(token));
    return stays || addsSources ? withLists(block, text, tokens) : text;
  });
  const missing = new Set([...originals.values()].flatMap((texts) => texts.toReversed()));
  return joinedLines([...restored, ...missing, ...goals(before, after, command)]);
}

/** The recipes that the tests reach. */
export function ruleCommands(file: RuleFile, command: string): readonly string[] {
  const blocks = blocksOf(file);
  const keys = testKeys(blocks, command);
  const reached = blocks.filter((block) => block.kind === 'rule' && keysOf(block).some((key) => keys.has(key)));
  return reached.map(({ text }) => text.replace(/^[\t ]*[@+-]+/gm, ''));
}

function keysOf({ kind, names }: Block): readonly string[] {
  return names.map((name) => `${kind} ${name}`);
}

function grouped(blocks: readonly Block[], keyOf: (block: Block) => string | undefined): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const block of blocks) {
    const key = keyOf(block);
    if (key === undefined) continue;
    const found = texts.get(key);
    if (found === undefined) texts.set(key, [block.text]);
    else found.push(block.text);
  }
  return texts;
}

/** What, when it is new, runs before or in place of the original rules, or is about a test file that is not there. */
function isForeign({ kind, names, text }: Block, tokens: TestTokens): boolean {
  const [name = ''] = names;
  if (kind === 'rule') return SPECIAL.test(name) || tokens.isNewTest(name);
  if (kind === 'variable') return isRunnerVariable(name);
  return (
    (/^(?:-|s)?include\s|^(?:import|mod)\s/.test(text) && !/\.d\b/.test(text)) ||
    /^\s*\$[({](?!info|warning)/.test(text)
  );
}

/** The lists of test files are those of the start, and everything else is as the agent left it. */
function withLists({ kind, text }: Block, original: string | undefined, tokens: TestTokens): string {
  if (kind === 'other') return text;
  const bare = tokens.withoutNew(text);
  const missing = original === undefined ? [] : tokens.missingFrom(original);
  if (missing.length === 0) return bare;
  const end = firstLineEnd(bare);
  return `${bare.slice(0, end)} ${missing.join(' ')}${bare.slice(end)}`;
}

function firstLineEnd(text: string): number {
  let end = text.indexOf('\n');
  while (end > 0 && text[end - 1] === '\\') end = text.indexOf('\n', end + 1);
  return end === -1 ? text.length : end;
}

/** The rules and variables that say how tests run: `rule test`, `variable PYTEST`. */
function testKeys(blocks: readonly Block[], command: string): ReadonlySet<string> {
  const rules = new Map<string, string>();
  const variables = new Map<string, string>();
  for (const { kind, names, text } of blocks) {
    const texts = kind === 'rule' ? rules : variables;
    for (const name of names) texts.set(name, (texts.get(name) ?? '') + text);
  }
  const reached = [...reachedNames(rules, `${command} ${goalOf(rules.keys(), command) ?? ''}`)];
  const recipes = [command, ...reached.map((name) => rules.get(name) ?? '')];
  const programs = new Set(recipes.flatMap(programsIn));
  for (const name of programs) for (const inner of programsIn(valueOf(variables.get(name)))) programs.add(inner);
  const named = [...variables.keys()].filter((name) => isRunnerVariable(name) || isTestName(name));
  const special = [...rules.keys()].filter((name) => SPECIAL.test(name));
  return new Set([
    ...[...reached, ...special].map((name) => `rule ${name}`),
    ...[...programs, ...named].map((name) => `variable ${name}`),
  ]);
}

function valueOf(text = ''): string {
  return `\t${text.slice(text.indexOf('=') + 1)}`;
}

/** Variables in the place of a program: `$(PYTEST) -q`. */
function programsIn(recipe: string): readonly string[] {
  return recipe.split(/[\n;]|&&|\|\|?/).flatMap((part) => {
    const program = part.split(/\s+/).find((word) => !/^[@+-]*$|^\w+=/.test(word)) ?? '';
    return /^[@+-]*\$[({]([\w.-]+)[)}]/.exec(program)?.[1] ?? [];
  });
}

/** What `make` makes when the command names no target. */
function goalOf(targets: Iterable<string>, command: string): string | undefined {
  const words = namesIn(command);
  if (!words.has('make') && !words.has('just')) return undefined;
  const names = [...targets];
  return names.some((name) => words.has(name)) ? undefined : names.find((name) => !name.startsWith('.'));
}

/** Lines that keep the original default target and the targets that are no files. */
function goals(before: readonly Block[], after: readonly Block[], command: string): readonly string[] {
  const targets = (blocks: readonly Block[]) => blocks.flatMap(({ kind, names }) => (kind === 'rule' ? names : []));
  const phony = (blocks: readonly Block[]) =>
    namesIn(blocks.flatMap(({ names, text }) => (names.includes('.PHONY') ? [text] : [])).join(' '));
  const goal = goalOf(targets(before), command);
  const isOther = goal !== undefined && goal !== targets(after).find((name) => !name.startsWith('.'));
  const stillPhony = phony(after);
  const lost = [...phony(before)].filter((name) => isTestName(name) && !stillPhony.has(name));
  return [
    ...(isOther ? [`.DEFAULT_GOAL := ${goal}\n`] : []),
    ...(lost.length > 0 ? [`.PHONY: ${lost.join(' ')}\n`] : []),
  ];
}

const VARIABLE = /^\s*(?:(?:export|override|private|unexport|alias|set)\s+)*([\w.%-]+)\s*[:?+!]{0,3}=/;
const TARGETS = /^ *@?([\w.$%/({][^:\n]*):(?!=)/;

function blocksOf({ text, isJust }: RuleFile): readonly Block[] {
  const lines = logicalLines(text);
  const isRecipe = (line = '') => line.startsWith('\t') || (isJust && /^ +\S/.test(line));
  const mayContinue = (line = '') => isRecipe(line) || /^\s*(?:#|$)|^(?:ifn?eq|ifn?def|else|endif)\b/.test(line);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const definition = /^\s*define\s+([\w.-]+)/.exec(line)?.[1];
    const block = definition === undefined ? readLine(line) : { kind: 'variable' as const, names: [definition] };
    let end = at + 1;
    if (definition !== undefined) {
      while (end < lines.length && !/^\s*endef\b/.test(lines[end - 1] ?? '')) end += 1;
    } else if (block.kind === 'rule') {
      for (let next = end; next < lines.length && mayContinue(lines[next]); next += 1) {
        if (isRecipe(lines[next])) end = next + 1;
      }
    }
    blocks.push({ ...block, text: lines.slice(at, end).join('') });
    at = end;
  }
  const values = new Map(
    blocks.flatMap(({ kind, names, text }) => (kind === 'variable' ? [[names[0], valueOf(text)]] : [])),
  );
  return blocks.map((block) => ({ ...block, names: block.names.flatMap((name) => expanded(name, values)) }));
}

/** A target whose name is in a variable, as far as it has a plain value. */
function expanded(name: string, values: ReadonlyMap<string | undefined, string | undefined>): readonly string[] {
  let text = name;
  for (let level = 0; level < 3 && text.includes('$') && text.length < 1000; level += 1) {
    text = text.replace(/\$[({]([\w.-]+)[)}]/g, (use, variable: string) =>
      (values.get(variable) ?? use).slice(0, 1000),
    );
  }
  return text === name ? [name] : [name, ...text.trim().split(/\s+/)];
}

function readLine(line: string): Pick<Block, 'kind' | 'names'> {
  const variable = VARIABLE.exec(line)?.[1];
  if (variable !== undefined) return { kind: 'variable', names: [variable] };
  const targets = /^(?:ifn?eq|ifn?def|else|include|-include)\b/.test(line) ? undefined : TARGETS.exec(line)?.[1];
  return targets === undefined ? { kind: 'other', names: [] } : { kind: 'rule', names: targets.trim().split(/\s+/) };
}

/** Lines, each with those that continue it after a backslash. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of text.split(/(?<=\n)/)) {
    line += part;
    if (/\\\r?\n$/.test(part)) continue;
    lines.push(line);
    line = '';
  }
  return line === '' ? lines : [...lines, line];
}
