import { isKnownName, PLACEHOLDER, variableOf } from './template.js';

/** Signs after which a position in a command may mean something else. */
const HARD_TO_READ = /['\\`#]|\$(?:[({]|$)|<</;

/** A command line of an earlier version, which named values as `{{item.id}}`, with the variables that hold them. */
export function withVariables(command: string): string | undefined {
  const variables = variablesForNames(command);
  return variables && withEachName(command, (index) => variables[index] ?? '');
}

/**
 * What each name of such a command becomes, in order. Undefined where the command is more than words and double quotes:
 * there a person has to say what is meant.
 */
export function variablesForNames(command: string): readonly string[] | undefined {
  if (HARD_TO_READ.test(withEachName(command, () => ''))) return undefined;
  const variables: string[] = [];
  let isQuoted = false;
  let end = 0;
  for (const { 0: braces, 1: name = '', index } of command.matchAll(PLACEHOLDER)) {
    for (const sign of command.slice(end, index)) if (sign === '"') isQuoted = !isQuoted;
    end = index + braces.length;
    if (!isKnownName(name)) continue;
    const isOpen = isQuoted && /\w/.test(command[end] ?? '');
    const variable = isOpen ? `\${${variableOf(name)}}` : `$${variableOf(name)}`;
    variables.push(isQuoted ? variable : `"${variable}"`);
  }
  return variables;
}

/** Replaces the names that earlier versions replaced in a command, by their index. */
export function withEachName(text: string, replacement: (index: number) => string): string {
  let index = -1;
  return text.replace(PLACEHOLDER, (braces, name: string) => {
    if (!isKnownName(name)) return braces;
    index += 1;
    return replacement(index);
  });
}

/** The names in braces that earlier versions replaced in a command. Other braces belong to the command. */
export function oldNamesIn(command: string): readonly string[] {
  return [...new Set([...command.matchAll(PLACEHOLDER)].map(([, name = '']) => name).filter(isKnownName))];
}

/** The variables of fields that commands name. */
export function itemVariablesIn(commands: readonly string[]): ReadonlySet<string> {
  return new Set(commands.flatMap((command) => command.match(/PAWL_ITEM_\w+/g) ?? []));
}

/** Which of the fields these variables hold. Several fields may have the same variable. */
export function fieldsOf(
  variables: ReadonlySet<string>,
  fields: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const held = new Map<string, readonly string[]>();
  for (const field of fields) {
    const variable = variableOf(`item.${field}`);
    if (variables.has(variable)) held.set(variable, [...(held.get(variable) ?? []), field]);
  }
  return held;
}

const EXPANDED = /(?<!\\)\$(?:(PAWL_\w+)|\{(PAWL_\w+)(:?[-+=?])?)/g;

/** Variables that a command expands without a default of its own: empty ones would be a mistake. */
export function variablesIn(command: string): readonly string[] {
  const found = [...command.matchAll(EXPANDED)];
  return [...new Set(found.flatMap(([, plain, braced, fallback]) => (fallback ? [] : (plain ?? braced ?? []))))];
}
