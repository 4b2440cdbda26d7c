import { readFileSync } from 'node:fs';

const COUNTED = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];

/** A table of a mutation run that can be committed and compared: one row per file, the worst first. */
export function describeMutation(resultFile, commit) {
  const { files, thresholds } = JSON.parse(readFileSync(resultFile, 'utf8'));
  const rows = Object.entries(files).map(([file, { mutants }]) => ({ file, ...count(mutants) }));
  const everything = count(Object.values(files).flatMap(({ mutants }) => mutants));
  return [
    '# Mutation report',
    '',
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}. Made by \`npm run mutation\`.`,
    '',
    `Each mutant is one small change of \`src/stop\` or \`src/model\` that a test should notice. Score: **${percent(everything)}** of`,
    `${total(everything)} were noticed; the run fails below ${thresholds.break ?? 85} %. Left out: ${ignored(files)} mutants of constants, which`,
    'would need every test for each of them.',
    '',
    '| file | score | killed | timed out | survived | not covered |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows.sort((a, b) => score(a) - score(b) || a.file.localeCompare(b.file)).map((row) => line(row.file, row)),
    line('all', everything),
    '',
  ].join('\n');
}

function ignored(files) {
  return Object.values(files)
    .flatMap(({ mutants }) => mutants)
    .filter(({ status }) => status === 'Ignored').length;
}

function count(mutants) {
  const counts = Object.fromEntries(COUNTED.map((status) => [status, 0]));
  for (const { status } of mutants) if (status in counts) counts[status] += 1;
  return counts;
}

function line(name, counts) {
  return `| ${name} | ${percent(counts)} | ${COUNTED.map((status) => counts[status]).join(' | ')} |`;
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
