import { variableOf } from './template.js';

/** Where in a shell command a position is. */
type Context = 'plain' | 'double' | 'single' | 'substitution' | 'backquote' | 'arithmetic';

const PLACEHOLDER = /^\{\{ *([A-Za-z_]\w*(?:\.\w+)?) *\}\}/;

/**
 * A command line in which every name is a variable: `{{item.id}}` becomes `"${PAWL_ITEM_ID}"`. The value is never part
 * of what the shell reads as code, whatever it holds; the quotes only keep it in one piece. Undefined where a name
 * stands in single quotes, in which a shell puts nothing in, or in `$(( ))`, where some shells run what a value holds.
 */
export function shellCommand(template: string): string | undefined {
  const contexts: Context[] = ['plain'];
  let command = '';
  for (let at = 0; at < template.length; ) {
    const here = contexts.at(-1) ?? 'plain';
    const placeholder = PLACEHOLDER.exec(template.slice(at, at + 200));
    if (placeholder !== null) {
      if (here === 'single' || here === 'arithmetic') return undefined;
      const variable = `\${${variableOf(placeholder[1] ?? '')}}`;
      command += here === 'double' ? variable : `"${variable}"`;
      at += placeholder[0].length;
      continue;
    }
    const piece = pieceAt(template, at, here);
    follow(contexts, here, piece);
    command += piece;
    at += piece.length;
  }
  return command;
}

/** The next characters that belong together. */
function pieceAt(template: string, at: number, here: Context): string {
  if (template[at] === '\\' && here !== 'single') return template.slice(at, at + 2);
  if (template.startsWith('$((', at) && here !== 'single') return '$((';
  return template.startsWith('$(', at) && here !== 'single' ? '$(' : template.slice(at, at + 1);
}

function follow(contexts: Context[], here: Context, piece: string): void {
  const enter = (context: Context) => void contexts.push(context);
  const toggle = (context: Context) => void (here === context ? contexts.pop() : contexts.push(context));
  if (here === 'single') {
    if (piece === "'") contexts.pop();
    return;
  }
  if (piece === '$((') contexts.push('arithmetic', 'arithmetic');
  else if (piece === '$(') enter('substitution');
  else if (piece === '`') toggle('backquote');
  else if (piece === '"') toggle('double');
  else if (here === 'double') return;
  else if (piece === "'") enter('single');
  else if (piece === '(') enter(here === 'arithmetic' ? 'arithmetic' : 'substitution');
  else if (piece === ')' && (here === 'substitution' || here === 'arithmetic')) contexts.pop();
}
