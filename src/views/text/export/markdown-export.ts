import { printable } from '../../../words/printable.js';
import { type Report, reportOf, type ReportTable, type ReportText } from './report.js';
import type { ReportSummary } from './make-export.js';
import type { RunExport } from './run-export.js';

const MOST_ROWS = 50;
const MOST_WORDS = 200;
const MOST_SENTENCE = 1000;
/** A forge takes 65,536 characters at most. */
const MOST_OUTPUT_CHARACTERS = 20_000;

/** Words and figures that no dialect takes for markup, and that name no person, issue, commit or address. */
const PLAIN = /^(?!.*(?:\b[0-9a-f]{7,}\b|www\.|GH-))(?:[\p{L}\p{N} ,;%()'"?…]|[.:](?=["' ]|$)|(?<=\p{L})-(?=\p{L}))*$/u;
/** The same for what Pawl writes itself: also amounts and times. */
const OWN_PLAIN = /^(?!.*(?:\b[0-9a-f]{7,}\b|www\.|GH-))[A-Za-z0-9 ,;:.%()'…$-]*$/;

/** A report for a pull request or an issue. Nothing in it that others wrote becomes markup: it is in code spans. */
export function markdownExport(exported: RunExport, summary: ReportSummary): string {
  const report = reportOf(exported, summary, MOST_ROWS);
  return [
    `## ${report.title}: ${inline(report.outcome)}`,
    ...report.sentences.map((sentence) => inline(sentence, MOST_SENTENCE)),
    ...(report.warnings.length === 0 ? [] : [`> **Note:** ${report.warnings.map((text) => inline(text)).join(' ')}`]),
    table({ columns: ['', ''], rows: report.facts.map(([label, ...texts]) => [label, ...texts]) }),
    ...section('Conditions', report.conditions),
    ...section(report.work.title, report.work),
    ...section('Reviews', report.reviews),
    ...outputSection(report),
    `<sub>${report.footer.map((text) => inline(text)).join(' ')}</sub>`,
    '',
  ].join('\n\n');
}

function section(title: string, shown: ReportTable): readonly string[] {
  return shown.rows.length === 0 ? [] : [`### ${title}`, table(shown)];
}

function table({ columns, rows, leftOut }: ReportTable): string {
  const lines = rows.map((cells) => row(cells));
  if (leftOut !== undefined) {
    const gap = columns.map((_, index) => (index === columns.length - 1 ? leftOut.words : '…'));
    lines.splice(leftOut.after, 0, row(gap));
  }
  const rule = `| ${columns.map(() => '---').join(' | ')} |`;
  return [row(columns), rule, ...lines].join('\n');
}

function row(texts: readonly ReportText[]): string {
  return `| ${texts.map((text) => inline(text)).join(' | ')} |`;
}

/** Plain words stay as they are; everything else is shown in a code span. */
function inline(text: ReportText, most = MOST_WORDS): string {
  const words = typeof text === 'string' ? text : text.foreign;
  // A bar ends a cell even inside of code, and how to escape it there differs.
  const line = printable(words).replaceAll('|', '¦').replace(/\s+/g, ' ').trim();
  const cut = line.length > most ? `${wellFormed(line.slice(0, most - 1))}…` : line;
  const plain = typeof text === 'string' ? OWN_PLAIN : PLAIN;
  return plain.test(cut) ? cut : codeSpan(cut);
}

/** The fence is longer than any within it. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

function outputSection({ output }: Report): readonly string[] {
  if (output === undefined) return [];
  let left = MOST_OUTPUT_CHARACTERS;
  const shown: string[] = [];
  for (const entry of output.entries.toReversed()) {
    const block = typeof entry === 'string' ? `**${inline(entry)}**` : fenced(entry.foreign);
    left -= block.length;
    if (left < 0) break;
    shown.unshift(block);
  }
  const omitted = output.entries.length - shown.length + output.omitted;
  return ['### Output', ...(omitted === 0 ? [] : [`${omitted} earlier entries left out.`]), ...shown];
}

/** No line in it ends the block: the fence is longer than any run of its character. */
function fenced(text: string): string {
  const clean = wellFormed(printable(text));
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${clean}\n${fence}`;
}

/** Without half of a character at its end. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString().replaceAll('\ufffd', '');
}
