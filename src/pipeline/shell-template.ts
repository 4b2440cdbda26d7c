import { ShellReader } from './shell-reader.js';
import { nameAt, namesIn, variableOf } from './template.js';

/**
 * A command line in which every name is a variable: `{{item.id}}` becomes `"${PAWL_ITEM_ID}"`. The value is never part
 * of what the shell reads as code, whatever it holds; the quotes only keep it in one piece. Undefined where a name stands
 * where a shell puts nothing in, such as in single quotes, or in `$(( ))`, where some shells run what a value holds.
 */
export function shellCommand(template: string): string | undefined {
  if (namesIn(template).length === 0) return template;
  const reader = new ShellReader(template);
  const pieces: string[] = [];
  while (reader.at < template.length) {
    const found = nameAt(template, reader.at);
    if (found === undefined) {
      // A backslash would take the value's dollar sign, another dollar sign its braces.
      if (/[\\$]/.test(template[reader.at] ?? '') && nameAt(template, reader.at + 1) !== undefined) return undefined;
      pieces.push(reader.next());
      continue;
    }
    const { form } = reader;
    if (form === undefined) return undefined;
    const variable = `\${${variableOf(found.name)}}`;
    pieces.push(form === 'quoted' ? variable : `"${variable}"`);
    reader.pass(found.length);
  }
  return reader.isWhole ? pieces.join('') : undefined;
}
