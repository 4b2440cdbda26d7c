import { endOfBracket, type Language, splitOutside } from './brackets.js';

/** Names of functions that compare what they are given with what is expected. */
const EQUAL =
  /(?:^|_)(?:is$|(?:same|equals?|near|close|approx|alike|matches|eq)(?=$|[A-Z_]|to\b))|(?:^|[a-z_])(?:Same|Equals?|Near|Close|Approx|Alike|Matches|Eq)(?=$|[A-Z_]|To\b)/;
const CHECK = /^(?:assert|expect|verify)/i;
/** Many values pass these, or the value is no expected one. */
const LOOSE =
  /not|differ|unequal|least|most|than|less|great|more|below|above|under|over|min|max|within|between|after|before|until|timeout|wait|delay|ignor|contain|include|instance|type|kind|throw|reject|raise|seed|set_?up|log|print|range|limit|any|some|(?:^|_)ne(?:$|_)/i;
const NUMBER = /^-?\d[\d_]*(?:\.\d+)?(?:[iuf]\d+|n)?$/;
const TEXT = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')$/;
const CALL = /\w\s*!?\([^)]*\w/;
const NAME = /^[A-Za-z_]\w*$/;
const APPROX = /^((?:pytest\.)?approx\(\s*)(-?\d[\d_.]*)(\s*(?:,.*)?\))$/s;
const MATCHER =
  /\.(?:(?:toBe|toEqual|toStrictEqual|toBeCloseTo)|(?:to\.(?:be\.|deep\.)*(?:equal|equals|eq|eql|closeTo|approximately)))$/;

/** A longer statement is no comparison. */
const MOST_CHARACTERS = 1000;

/** Which of two values takes the place of an expected one: both differ from it, and a comparison lets at most one of them pass. */
export type Other = 0 | 1;

/** The statements with another expected value in each comparison; undefined when there is none. */
export function withOtherValues(body: string, language: Language, which: Other): string | undefined {
  const statements = splitOutside(body, language === 'python' ? '\n' : '\n;', language);
  let found = false;
  const changed = statements.map((statement) => {
    const other = otherStatement(statement, language, which);
    found ||= other !== undefined;
    return other ?? statement;
  });
  return found ? changed.join('') : undefined;
}

function otherStatement(statement: string, language: Language, which: Other): string | undefined {
  if (statement.length > MOST_CHARACTERS) return undefined;
  const [, before = '', code = '', after = ''] =
    /^(\s*(?:(?:return|await)\s+)*)([\s\S]*?)([\s;]*)$/.exec(statement) ?? [];
  const changed = language === 'python' ? otherAssert(code, which) : undefined;
  const other = changed ?? otherCall(code, language, which);
  return other === undefined ? undefined : before + other + after;
}

/** `assert add(1, 2) == 3`, `assert close(add(1, 2), 3)` */
function otherAssert(code: string, which: Other): string | undefined {
  const [, keyword = '', given = ''] = /^(assert\s+)([\s\S]+)$/.exec(code) ?? [];
  if (keyword === '' || /\b(?:and|or|not|if|in|is)\b|[<>!]=?/.test(given)) return undefined;
  const [compared = '', ...message] = splitOutside(given, ',', 'python');
  const [, left = '', sign = '', right = ''] = /^(.*?)(\s*==\s*)(.*?),?$/s.exec(compared) ?? [];
  if (sign === '') {
    const call = otherCall(compared.replace(/,$/, ''), 'python', which);
    return call === undefined ? undefined : `${keyword}${call}${compared.endsWith(',') ? ',' : ''}${message.join('')}`;
  }
  const end = compared.endsWith(',') ? `,${message.join('')}` : '';
  if (CALL.test(left)) {
    const other = otherValue(right, which, true);
    if (other !== undefined) return `${keyword}${left}${sign}${other}${end}`;
  }
  const other = CALL.test(right) && !APPROX.test(right) ? otherValue(left, which, true) : undefined;
  return other === undefined ? undefined : `${keyword}${other}${sign}${right}${end}`;
}

/** `same(sum(1, 2), 3)`, `assert_eq!(sum(1, 2), 3)`, `expect(sum(1, 2)).toBe(3)` */
function otherCall(code: string, language: Language, which: Other): string | undefined {
  const start = code.lastIndexOf(lastArguments(code, language));
  if (start <= 0 || !code.endsWith(')')) return undefined;
  const [callee, inside] = [code.slice(0, start), code.slice(start + 1, -1)];
  const given = splitOutside(inside, ',', language).map((part) => part.replace(/,$/, ''));
  if (MATCHER.test(callee)) {
    if (!callee.startsWith('expect(') || /\.not\./.test(callee)) return undefined;
    return replaced(code, { start, given, at: 0, which, isText: true });
  }
  const name = /^[\w.:$]*?(\w+)!?$/.exec(callee)?.[1];
  if (name === undefined || LOOSE.test(name)) return undefined;
  const isEqual = EQUAL.test(name);
  if (!isEqual && !CHECK.test(name)) return undefined;
  const values = given.map((one) => one.trim());
  const at = values.findIndex(
    (value, place) => place < 3 && (NUMBER.test(value) || APPROX.test(value) || (isEqual && TEXT.test(value))),
  );
  const others = values.slice(0, 3).filter((_, place) => place !== at);
  const isCompared = others.some((value) => CALL.test(value) || (isEqual && NAME.test(value) && value !== 't'));
  return isCompared ? replaced(code, { start, given, at, which, isText: isEqual }) : undefined;
}

/** The brackets of the last call. */
function lastArguments(code: string, language: Language): string {
  for (let at = code.indexOf('('); at >= 0; ) {
    const end = endOfBracket(code, at, language);
    if (end === undefined) return '\0';
    if (end === code.length) return code.slice(at);
    at = code.indexOf('(', end);
  }
  return '\0';
}

interface Replacement {
  readonly start: number;
  readonly given: readonly string[];
  readonly at: number;
  readonly which: Other;
  readonly isText: boolean;
}

function replaced(code: string, { start, given, at, which, isText }: Replacement): string | undefined {
  const value = given[at];
  const other = value === undefined ? undefined : otherValue(value.trim(), which, isText);
  if (value === undefined || other === undefined) return undefined;
  const all = given.with(
    at,
    value.replace(value.trim(), () => other),
  );
  return `${code.slice(0, start)}(${all.join(',')})`;
}

/** Numbers up to one may be within a tolerance of each other. */
function otherValue(value: string, which: Other, isText: boolean): string | undefined {
  const [, open, inside = '', close] = APPROX.exec(value) ?? [];
  if (open !== undefined) return open + (otherValue(inside, which, false) ?? inside) + close;
  if (isText && TEXT.test(value))
    return which === 0 ? value[0] + (value[0] ?? '') : `${value.slice(0, -1)} absent${value[0]}`;
  if (!NUMBER.test(value)) return undefined;
  const [, digits = '', kind = ''] = /^(-?[\d_.]+)(.*)$/.exec(value) ?? [];
  const number = Number(digits.replaceAll('_', ''));
  const other = Math.abs(number) > 1 ? number * 2 * which : number + 7 + 7 * which;
  if (!Number.isSafeInteger(Math.trunc(other))) return undefined;
  return `${other}${digits.includes('.') && Number.isInteger(other) ? '.0' : ''}${kind}`;
}
