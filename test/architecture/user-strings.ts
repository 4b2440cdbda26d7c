import ts from 'typescript';
import { isTest, type SourceFile } from './source-file.js';

/** A literal of the source that can be part of a text for a person. `…` represents each value in it. */
export interface UserString {
  /** The file and the line. */
  readonly place: string;
  readonly text: string;
}

/** Every string literal, template and text of a page, without imports, types and tests. */
export function userStrings(files: readonly SourceFile[]): readonly UserString[] {
  return files.filter((file) => !isTest(file)).flatMap(stringsIn);
}

function stringsIn({ path, syntax }: SourceFile): readonly UserString[] {
  const found: UserString[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const text = textOf(node);
    const { line } = syntax.getLineAndCharacterOfPosition(node.getStart(syntax));
    if (text !== undefined && text !== '') found.push({ place: `${path}:${line + 1}`, text });
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
  }
  return ts.isJsxText(node) ? node.text.trim() : undefined;
}

/** A message begins and ends where its literal does, or with `…`. */
export function isPrinted(message: string, strings: readonly UserString[]): boolean {
  const inside = message.replace(/^…|…$/g, '');
  return strings.some(({ text }) => {
    if (text === inside.trim()) return true;
    const place = text.indexOf(inside);
    if (place === -1 || (place > 0 && !message.startsWith('…'))) return false;
    return message.endsWith('…') || place + inside.length === text.length;
  });
}

/** Words of the glossary's last list that a reader stumbles over, in the forms in which they were written. */
const WORST =
  /\b(?:whoever|nobody|somebody|anew|(?:goes|went|gone) on|go(?:ing)? on with|(?:is|are) none|once more|told|tells|beside|wish(?:es|ed)?|glance|bell|believed|looks? at|looked at|stands? (?:by|for|in|there|here)|any more|is no (?:number|verdict|feature))\b/i;

/** Where such a word may be, and why. */
export const MAY_HAVE_WORST_WORDS: Readonly<Record<string, string>> = {
  'src/observation/message/person-phrases.ts': 'finds these words in what an agent says',
  'src/fleet/': 'SQL: a column of the tables has this name',
};

/** Strings with one of the worst words: `where` is the file or folder that may have it, if any. */
export function worstWords(strings: readonly UserString[]): readonly (UserString & { readonly where?: string })[] {
  const allowed = Object.keys(MAY_HAVE_WORST_WORDS);
  return strings
    .filter(({ text }) => WORST.test(text))
    .map((found) => {
      const where = allowed.find((start) => found.place.startsWith(start));
      return where === undefined ? found : { ...found, where };
    });
}
