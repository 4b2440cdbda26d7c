import { isScalar, parseDocument, Scalar } from 'yaml';
import { variablesForNames, withEachName, withVariables } from './command-variables.js';

const COMMANDS = [['generate', 'command'], ['audit', 'command'], ['audit']] as const;

/**
 * The text of a manifest whose commands name values as `{{item.id}}`, with variables in their place. Everything else stays
 * as it is written. A command that cannot be rewritten with certainty is left alone; checking the manifest reports it.
 */
export function fixManifest(text: string): string {
  return COMMANDS.reduce(fixCommand, text);
}

function fixCommand(text: string, path: readonly string[]): string {
  const node = commandAt(text, path);
  const variables = node && variablesForNames(node.value);
  if (!node?.range || variables === undefined || variables.length === 0) return text;
  const [start, end] = node.range;
  const written = withEachName(text.slice(start, end), (index) => {
    const variable = variables[index] ?? '';
    return node.type === Scalar.QUOTE_DOUBLE ? variable.replaceAll('"', '\\"') : variable;
  });
  const fixed = `${text.slice(0, start)}${written}${text.slice(end)}`;
  return commandAt(fixed, path)?.value === withVariables(node.value) ? fixed : text;
}

function commandAt(text: string, path: readonly string[]): Scalar<string> | undefined {
  const document = parseDocument(text, { logLevel: 'error' });
  const node = document.errors.length > 0 ? undefined : document.getIn(path, true);
  return isScalar(node) && typeof node.value === 'string' ? (node as Scalar<string>) : undefined;
}
