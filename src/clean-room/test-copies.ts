import { endOfBracket, type Language, splitOutside } from './brackets.js';
import { withOtherValues } from './other-values.js';

/** What is added to a file of tests. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

const MOST_CHARACTERS = 256 * 1024;

export function languageOf(path: string): Language | undefined {
  if (/\.[cm]?[jt]sx?$/.test(path)) return 'script';
  return ({ py: 'python', go: 'go', rs: 'rust' } as const)[path.slice(path.lastIndexOf('.') + 1) as 'py' | 'go' | 'rs'];
}

/**
 * A copy of a test that expects other values, right behind it: twice in one, so that it passes only where both sets of values do.
 * Undefined where the test or its comparisons cannot be taken apart.
 */
export function copyOfTest(path: string, text: string, name: string, added: string): Insertion | undefined {
  const language = languageOf(path);
  if (language === undefined || text.length > MOST_CHARACTERS) return undefined;
  const copies = { script: scriptCopy, python: pythonCopy, go: goCopy, rust: rustCopy };
  return copies[language](text, name, added);
}

/** Both bodies, or undefined. A test that may end early shows nothing. */
function bothOf(body: string, language: Language): readonly [string, string] | undefined {
  if (/\b(?:return|yield|skip|Skip\w*)\b(?!\s+[\w.]+\()/.test(body)) return undefined;
  const [first, second] = [withOtherValues(body, language, 0), withOtherValues(body, language, 1)];
  return first === undefined || second === undefined ? undefined : [first, second];
}

const escaped = (text: string) => text.replaceAll(/[^\w]/g, String.raw`\$&`);

const FUNCTION = /^(?:async\s+)?(?:function\s*\w*\s*\(([^)]*)\)|\(([^)]*)\)\s*=>|(\w+)\s*=>)\s*/;

function scriptCopy(text: string, title: string, added: string): Insertion | undefined {
  const call = new RegExp(`\\b(?:it|test|specify)\\(\\s*(['"\`])${escaped(title)}\\1`).exec(text);
  // Only a statement can be followed by another.
  if (call === null || !/(?:^|[;{}\n])[ \t]*$/.test(text.slice(0, call.index))) return undefined;
  const open = call.index + call[0].indexOf('(');
  const end = endOfBracket(text, open, 'script');
  if (end === undefined) return undefined;
  const [, ...given] = splitOutside(text.slice(open + 1, end - 1), ',', 'script');
  const bodies = given.map((one) => scriptBodies(one.trim().replace(/,$/, '')));
  const at = bodies.findIndex((one) => one !== undefined);
  const body = bodies[at];
  if (body === undefined) return undefined;
  const all = given.map((one, place) => (place === at ? ` ${body}${one.trimEnd().endsWith(',') ? ',' : ''}` : one));
  const name = call[0].slice(0, call[0].indexOf('('));
  return { at: end, text: `;\n${name}(${JSON.stringify(`${title} ${added}`)},${all.join('')});` };
}

/** The function of a test, with both bodies. One that takes `done` ends elsewhere. */
function scriptBodies(code: string): string | undefined {
  const [head, named, listed, single] = FUNCTION.exec(code) ?? [];
  if (head === undefined) return undefined;
  const given = named ?? listed ?? single ?? '';
  if (!/^(?:t|\{[^}]*\}|)$/.test(given.trim())) return undefined;
  const body = code.slice(head.length);
  const isBlock = body.startsWith('{');
  const both = bothOf(isBlock ? body.slice(1, -1) : body, 'script');
  if (both === undefined) return undefined;
  const runs = both.map((one) => `await (async () => ${isBlock ? `{${one}}` : `(${one})`})();`).join(' ');
  return head.includes('function') ? `async function (${given}) { ${runs} }` : `async (${given}) => { ${runs} }`;
}

function pythonCopy(text: string, name: string, added: string): Insertion | undefined {
  const found = new RegExp(`(?:^|\\n)([ \\t]*)def ${name}\\(([^)]*)\\)[^:\\n]*:[ \\t]*\\n`).exec(text);
  if (found === null || /@[^\n]*$/.test(text.slice(0, found.index).trimEnd().split('\n').at(-1) ?? ''))
    return undefined;
  const [head, indent = '', given = ''] = found;
  const lines = text.slice(found.index + head.length).split(/(?<=\n)/);
  const isInside = (line: string) => line.trim() === '' || /^[ \t]*/.exec(line)?.[0].startsWith(`${indent} `) === true;
  const end = lines.findIndex((line) => !isInside(line) && !(line.startsWith('\t') && indent === ''));
  const body = lines
    .slice(0, end < 0 ? lines.length : end)
    .join('')
    .trimEnd();
  const both = bothOf(`${body}\n`, 'python');
  if (both === undefined) return undefined;
  const copy = `${indent}def ${name}_${added}(${given}):\n${both.join('')}`;
  return { at: found.index + head.length + body.length, text: `\n\n${copy.trimEnd()}` };
}

function goCopy(text: string, name: string, added: string): Insertion | undefined {
  const found = new RegExp(`^func ${name}\\(t \\*testing\\.T\\)\\s*\\{`, 'm').exec(text);
  return found === null
    ? undefined
    : blockCopy(text, found, 'go', (both) => {
        const bodies = both.map((one) => `\tfunc() {${one}\n\t}()\n`).join('');
        return `\n\nfunc ${name}_${added}(t *testing.T) {\n${bodies}}`;
      });
}

function rustCopy(text: string, name: string, added: string): Insertion | undefined {
  const found = new RegExp(`^[ \\t]*#\\[test\\]\\s*\\n[ \\t]*(?:pub )?fn ${name}\\(\\)\\s*\\{`, 'm').exec(text);
  return found === null
    ? undefined
    : blockCopy(text, found, 'rust', (both) => {
        const bodies = both.map((one) => `    {${one}}\n`).join('');
        return `\n\n#[test]\n#[allow(overflowing_literals)]\nfn ${name}_${added}() {\n${bodies}}`;
      });
}

function blockCopy(
  text: string,
  { index, 0: head }: RegExpExecArray,
  language: Language,
  print: (both: readonly [string, string]) => string,
): Insertion | undefined {
  const open = index + head.length - 1;
  const end = endOfBracket(text, open, language);
  const body = end === undefined ? '' : text.slice(open + 1, end - 1);
  const both = /\?\s*;/.test(body) ? undefined : bothOf(body, language);
  return end === undefined || both === undefined ? undefined : { at: end, text: print(both) };
}
