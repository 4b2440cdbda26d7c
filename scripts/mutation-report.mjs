import { readFileSync } from 'node:fs';

const COUNTED = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];
const TABLE_HEAD = [
  '| file | score | killed | timed out | survived | not covered | commit |',
  '|---|---:|---:|---:|---:|---:|---|',
];

const HEAD = [
  '# Mutation report',
  '',
  'Made by `npm run mutation` and `npm run mutation -- <scope>`, such as `journal`. Each mutant is one small change of the',
  'source that a test should notice; the score is the part that was noticed, and a run fails below 85 %. Left out are',
  'mutants of constants, which would need every test for each of them. A run of some files (`-m`) renews their rows, and',
  'one with some of the tests (`-t`) can only find a score too low.',
];

/**
 * The report with the rows of a run in the section of its scope: one row per file, the worst first. Rows of files that
 * were not in the run stay, as long as `isThere` says so of their file.
 */
export function updateReport(report, { scope, result, commit, isThere }) {
  const sections = new Map(report.split(/^## /m).slice(1).map(parseSection));
  const rows = new Map([...(sections.get(scope) ?? [])].filter(([file]) => isThere(file)));
  for (const row of rowsOf(result, commit)) rows.set(row.file, row);
  sections.set(scope, rows);
  const texts = [...sections]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, rowsIn]) => describeSection(name, rowsIn));
  return `${[HEAD.join('\n'), ...texts].join('\n\n')}\n`;
}

export function readResult(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function rowsOf({ files }, commit) {
  return Object.entries(files).map(([file, { mutants }]) => {
    const counts = Object.fromEntries(COUNTED.map((status) => [status, 0]));
    for (const { status } of mutants) if (status in counts) counts[status] += 1;
    return { file, commit, counts };
  });
}

/** The rows of a section by file; what does not look like one is written anew. */
function parseSection(text) {
  const [heading, ...lines] = text.split('\n');
  const rows = lines.flatMap((line) => {
    const [, file, , killed, timedOut, survived, notCovered, commit] = line.split('|').map((cell) => cell.trim());
    if (!file?.startsWith('src/')) return [];
    const counts = { Killed: +killed, Timeout: +timedOut, Survived: +survived, NoCoverage: +notCovered };
    return [[file, { file, commit, counts }]];
  });
  return [heading, new Map(rows)];
}

function describeSection(scope, rows) {
  const sorted = [...rows.values()].sort((a, b) => score(a.counts) - score(b.counts) || a.file.localeCompare(b.file));
  const all = Object.fromEntries(
    COUNTED.map((status) => [status, sorted.reduce((sum, { counts }) => sum + counts[status], 0)]),
  );
  return [
    `## ${scope}`,
    '',
    `**${percent(all)}** of ${total(all)} mutants in ${sorted.length} files were noticed.`,
    '',
    ...TABLE_HEAD,
    ...sorted.map(({ file, counts, commit }) => line(file, counts, commit)),
    line('all', all, ''),
  ].join('\n');
}

function line(name, counts, commit) {
  return `| ${name} | ${percent(counts)} | ${COUNTED.map((status) => counts[status]).join(' | ')} | ${commit} |`;
}

function score(counts) {
  return total(counts) === 0 ? 1 : (counts.Killed + counts.Timeout) / total(counts);
}

function percent(counts) {
  return total(counts) === 0 ? '-' : `${(score(counts) * 100).toFixed(1)} %`;
}

function total(counts) {
  return COUNTED.reduce((sum, status) => sum + counts[status], 0);
}
