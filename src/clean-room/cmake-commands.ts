import type { TestTokens } from './test-tokens.js';

interface CmakeCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const REGISTERS = /^(?:add_test|enable_testing|(?:gtest|catch|doctest)_(?:discover|add)_tests)$/;
const RUNNER_VARIABLE = /^(?:CMAKE_(?:CTEST|CROSSCOMPILING_EMULATOR|TEST_LAUNCHER)|CTEST_|BUILD_TESTING)/;
/** These may be left with an empty list. */
const LISTS = /^(?:set|list|file|foreach|source_group|install|configure_file|(?:target|set)_\w+)$/;

/** CMakeLists.txt with the original tests and lists of test files. Sources and build settings stay. */
export function putCmakeTestsBack(original: string, now: string, tokens: TestTokens): string {
  const before = commandsIn(original);
  const after = commandsIn(now);
  const originals = new Map(before.map((command) => [keyOf(command), command.text]));
  const tests = new Set(before.flatMap((command) => (kindOf(command) === 'test' ? [testName(command)] : [])));
  const registered = after.filter((command) => kindOf(command) === 'test').map(testName);
  const added = new Set(registered.filter((name) => !tests.has(name) && !name.includes('$')));
  const gone = newTargets(after, originals, tokens);
  const restored = (command: CmakeCommand): string => {
    if (command.words.some((word) => gone.has(word))) return '';
    const text = originals.get(keyOf(command));
    const kind = kindOf(command);
    if (kind === 'test') return text ?? command.text;
    if (kind === 'variable') return text ?? '';
    // A property that an original test did not have. The name of a test may be in a variable.
    if (kind === 'property')
      return text ?? (propertyTests(command).every((name) => added.has(name)) ? command.text : '');
    const bare = tokens.withoutNew(command.text);
    const missing = tokens.missingFrom(text ?? '');
    return missing.length === 0 ? bare : `${bare.slice(0, -1)} ${missing.join(' ')})`;
  };
  const lost = lostCommands(before, after, tokens);
  const enabling = lost.filter(({ name }) => name === 'enable_testing' || name === 'include');
  let text = '';
  let at = 0;
  for (const command of after) {
    text += now.slice(at, command.start) + restored(command);
    if (command.name === 'project') text += enabling.map((each) => `\n${each.text}`).join('');
    at = command.end;
  }
  const others = lost.filter((command) => !enabling.includes(command)).map((command) => `${command.text}\n`);
  const rest = now.slice(at);
  return text + rest + (others.length > 0 && !`${text}${rest}`.endsWith('\n') ? '\n' : '') + others.join('');
}

type Kind = 'test' | 'property' | 'variable' | 'other';

function kindOf({ name, words }: CmakeCommand): Kind {
  if (REGISTERS.test(name) || (name === 'include' && words[0] === 'CTest')) return 'test';
  if (name === 'set_tests_properties' || (name === 'set_property' && words[0] === 'TEST')) return 'property';
  return /^(?:set|option)$/.test(name) && RUNNER_VARIABLE.test(words[0] ?? '') ? 'variable' : 'other';
}

function testName({ words }: CmakeCommand): string {
  return (words[0] === 'NAME' ? words[1] : words[0]) ?? '';
}

/** The tests that a property is set for. */
function propertyTests({ name, words }: CmakeCommand): readonly string[] {
  const [from, end] = name === 'set_property' ? [1, words.indexOf('PROPERTY')] : [0, words.indexOf('PROPERTIES')];
  return words.slice(from, end < 0 ? undefined : end);
}

function keyOf(command: CmakeCommand): string {
  const kind = kindOf(command);
  if (kind === 'property') return `property ${command.words.join(' ')}`;
  return `${command.name} ${kind === 'test' ? testName(command) : (command.words[0] ?? '')}`;
}

/** New targets of which every file is a test that is not there. */
function newTargets(
  after: readonly CmakeCommand[],
  originals: ReadonlyMap<string, string>,
  tokens: TestTokens,
): ReadonlySet<string> {
  const isNew = (command: CmakeCommand) => {
    const { name, words } = command;
    const files = words.filter((word) => /\.\w+$/.test(word));
    if (LISTS.test(name) || originals.has(keyOf(command))) return false;
    return files.length > 0 && files.every((file) => tokens.isNewTest(file));
  };
  return new Set(after.filter(isNew).map(testName));
}

/** What says how tests run, or makes a target of tests, and is not there now. */
function lostCommands(
  before: readonly CmakeCommand[],
  after: readonly CmakeCommand[],
  tokens: TestTokens,
): readonly CmakeCommand[] {
  const present = new Set(after.map(keyOf));
  const isTarget = ({ name, words }: CmakeCommand) =>
    name === 'add_executable' && words.some((word) => tokens.isTest(word));
  const lostTargets = new Set(
    before.filter((command) => isTarget(command) && !present.has(keyOf(command))).map(({ words }) => words[0]),
  );
  return before.filter(
    (command) => lostTargets.has(command.words[0]) || (kindOf(command) !== 'other' && !present.has(keyOf(command))),
  );
}

function commandsIn(text: string): readonly CmakeCommand[] {
  const commands: CmakeCommand[] = [];
  const opening = /#\[(=*)\[|#|(?<!\w)([A-Za-z_]\w*)[ \t]*\(/g;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [, level, name] = found;
    if (name === undefined) {
      opening.lastIndex = commentEnd(text, found.index, level);
    } else {
      const { words, end } = argumentsFrom(text, opening.lastIndex);
      commands.push({ name: name.toLowerCase(), words, text: text.slice(found.index, end), start: found.index, end });
      opening.lastIndex = end;
    }
    if (opening.lastIndex >= text.length) break;
  }
  return commands;
}

function commentEnd(text: string, start: number, level: string | undefined): number {
  const sign = level === undefined ? '\n' : `]${level}]`;
  const end = text.indexOf(sign, start);
  return end === -1 ? text.length : end + sign.length;
}

function argumentsFrom(text: string, start: number): { words: readonly string[]; end: number } {
  const piece = /\s+|#\[(=*)\[|#|\[(=*)\[|"|[()]|[^\s()"#]+/y;
  const words: string[] = [];
  let depth = 1;
  let at = start;
  while (at < text.length && depth > 0) {
    piece.lastIndex = at;
    const [found = '', comment, bracket] = piece.exec(text) ?? [];
    at += Math.max(1, found.length);
    if (found === '(') depth += 1;
    else if (found === ')') depth -= 1;
    else if (found.startsWith('#')) at = commentEnd(text, at, comment);
    else if (bracket !== undefined) at = commentEnd(text, at, bracket);
    else if (found === '"') {
      const begin = at;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      words.push(text.slice(begin, at));
      at += 1;
    } else if (found.trim() !== '') words.push(found);
  }
  return { words, end: Math.min(at, text.length) };
}
