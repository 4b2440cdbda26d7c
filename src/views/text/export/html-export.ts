import { printable } from '../../../words/printable.js';
import { type Report, reportOf, type ReportTable, type ReportText } from './report.js';
import type { ReportSummary } from './make-export.js';
import type { RunExport } from './run-export.js';

const MOST_ROWS = 2000;
const MOST_CELL_CHARACTERS = 2000;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid #8885; }
td, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
pre { background: #8881; padding: 0.6rem; margin: 0.3rem 0; }
.why { font-size: 1.15rem; }
.note { border-left: 4px solid #d90; padding-left: 0.8rem; }
footer { color: #888; font-size: 0.85rem; }
`;

/** A page of its own: it loads nothing, runs nothing, and shows what others wrote as text. */
export function htmlExport(exported: RunExport, summary: ReportSummary): string {
  const report = reportOf(exported, summary, MOST_ROWS);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${text(report.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${text(report.title)}: ${text(report.outcome)}</h1>
${report.sentences.map((sentence) => `<p class="why">${text(sentence)}</p>\n`).join('')}${notes(report)}<table>
${report.facts.map(([label, ...texts]) => `<tr><th scope="row">${text(label)}</th><td>${texts.map(text).join(' ')}</td></tr>`).join('\n')}
</table>
${section('Conditions', report.conditions)}${section(report.work.title, report.work)}${section('Reviews', report.reviews)}${output(report)}<footer>${report.footer.map(text).join(' ')}</footer>
</body>
</html>
`;
}

function notes({ warnings }: Report): string {
  return warnings.length === 0 ? '' : `<p class="note">${warnings.map(text).join(' ')}</p>\n`;
}

function section(title: string, { columns, rows, leftOut }: ReportTable): string {
  if (rows.length === 0) return '';
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`);
  if (leftOut !== undefined) {
    lines.splice(leftOut.after, 0, `<tr><td colspan="${columns.length}">… ${text(leftOut.words)}</td></tr>`);
  }
  const head = columns.map((column) => `<th scope="col">${text(column)}</th>`).join('');
  return `<h2>${text(title)}</h2>\n<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table>\n`;
}

function output({ output: said }: Report): string {
  if (said === undefined) return '';
  const omitted = said.omitted === 0 ? '' : `<p class="note">${said.omitted} earlier entries left out.</p>\n`;
  const entries = said.entries.map((entry) =>
    typeof entry === 'string' ? `<h3>${text(entry)}</h3>` : `<pre>${escaped(printable(entry.foreign))}</pre>`,
  );
  return `<h2>Output</h2>\n${omitted}${entries.join('\n')}\n`;
}

function text(shown: ReportText): string {
  const words = printable(typeof shown === 'string' ? shown : shown.foreign);
  return escaped(words.length > MOST_CELL_CHARACTERS ? `${words.slice(0, MOST_CELL_CHARACTERS)}…` : words);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(words: string): string {
  return words.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
