import { isTestCode, suiteFileOf } from './suite-files.js';

/** A line that was added to a file, with its number. */
interface CodeLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The same line where code cannot know its tests, and cannot replace what they measure with. */
export interface BlindedLine extends CodeLine {
  /** What the line of the agent does, in the words of the flags. */
  readonly what: string;
}

interface Blinding {
  readonly what: string;
  readonly blind: (text: string, place: Place) => string;
}

interface Place {
  /** What was added right after the line. */
  readonly following: string;
  /** The class that was added last above it. */
  readonly above: string;
  readonly isTestFile: (token: string) => boolean;
}

const STACK =
  /\bsys\._getframe\b|\binspect\.(?:stack|currentframe)\b|\bco_(?:name|filename)\b|\bnew Error\([^)\n]{0,40}\)\.stack\b|\bruntime\.FuncForPC\(/;
const STRING = /(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g;
/** `/test/.test(stack)`: what a regular expression asks. */
const ASKED = /\/((?:[^/\\\n]|\\.)+)\/(?=[a-z]*\.(?:test|exec)\()/g;
const IMPORT = /^\s*(?:import|export)\s|\brequire\(/;
const SCRIPT_PART =
  /^((?:globalThis|global|window)\.(?:fetch|Date|Math|performance|crypto|JSON|set(?:Timeout|Interval|Immediate)|queueMicrotask|XMLHttpRequest|WebSocket)|(?:Date|performance)\.now|(?:Math|JSON)\.\w+|process\.hrtime(?:\.bigint)?)\s*=(?![=>])/;
const PYTHON_PART =
  /^(time|datetime|random|math|json|socket|subprocess|threading|asyncio|urllib\.request)\.(\w+)\s*=(?!=)/;
const VALUE_CLASS = /\((?:[^)]*[\s,.])?(?:int|float|complex|str|bytes|bool|list|dict|tuple|set|Decimal|Fraction)\b/;

const BLINDINGS: readonly Blinding[] = [
  {
    what: 'reads the call stack',
    blind: (text) => {
      if (!STACK.test(text)) return text;
      const absent = (whole: string) => whole.replace(/tests?|specs?/gi, 'absent');
      return text.replace(STRING, absent).replace(ASKED, absent);
    },
  },
  {
    what: 'reads or writes tests',
    blind: (text, { isTestFile }) => {
      if (IMPORT.test(text)) return text;
      const absent = (token: string) => (isTestFile(token) ? token.replace(/[^/]*$/, 'absent-$&') : token);
      return text.replace(STRING, (whole: string) => whole.replace(/[\w./-]+/g, absent));
    },
  },
  {
    what: 'replaces a part of the language',
    // What is missing may be added. In a function, replacing may be what it is for.
    blind: (text) =>
      text.replace(SCRIPT_PART, '$1 ??=').replace(PYTHON_PART, (whole: string, module: string, name: string) => {
        return `if not hasattr(${module}, "${name}"): ${whole}`;
      }),
  },
  {
    what: 'is equal to everything',
    // Of a number or a text: a value of its own may be made for that.
    blind: (text, { above, following }) => {
      const isEqual = /\breturn (?:True|False)\s*$/.test(`${text}\n${following}`);
      return isEqual && VALUE_CLASS.test(above) ? text.replace(/\bdef __(eq|ne)__\(/, 'def not_$1(') : text;
    },
  },
];

/**
 * Of the lines that were added to code, those in which it learns of its tests or replaces what they measure with, as lines that do
 * not. What runs instead is what ran before the line was there: nothing is started that was not started then.
 */
export function blindedLines(added: readonly CodeLine[], testFiles: readonly string[]): readonly BlindedLine[] {
  const files = testFiles.filter(isTestCode);
  const isTestFile = (token: string) => {
    const path = token.replace(/^(?:\.{0,2}\/)+/, '');
    return suiteFileOf(path) === 'test' && files.some((file) => file === path || file.endsWith(`/${path}`));
  };
  let above = '';
  return added.flatMap((one, at) => {
    const [before, next] = [added[at - 1], added[at + 1]];
    if (before?.path !== one.path) above = '';
    if (/^\s*class\s/.test(one.text)) above = one.text;
    if (!isTestCode(one.path) || suiteFileOf(one.path) !== undefined) return [];
    const following = next?.path === one.path && next.line === one.line + 1 ? next.text : '';
    const blindings = BLINDINGS.map(({ what, blind }) => ({
      what,
      text: blind(one.text, { following, above, isTestFile }),
    }));
    const found = blindings.find(({ text }) => text !== one.text);
    return found === undefined ? [] : [{ path: one.path, line: one.line, ...found }];
  });
}

/** The text with these lines in place of those of the agent. */
export function withBlindedLines(text: string, lines: readonly BlindedLine[]): string {
  const all = text.split('\n');
  for (const { line, text: blinded } of lines) all[line - 1] = blinded;
  return all.join('\n');
}
