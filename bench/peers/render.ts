import { writeFileSync } from 'node:fs';
import { picture } from './picture.js';
import { nameIn, type Results } from './results.js';
import { asMarkdown } from './table.js';

/** The tables of a run as a document. */
export function markdown(results: Results): string {
  const { machine, date, runners, unrunnable } = results;
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, ${date}`;
  const versions = runners
    .filter(({ cannot }) => cannot === undefined)
    .map(({ name, version }) => `${name} ${version ?? ''}`.trim());
  const left = [
    ...runners.flatMap(({ name, version, cannot }) => (cannot === undefined ? [] : `- ${name} ${version}: ${cannot}.`)),
    ...unrunnable.map(({ name, version, why }) => `- ${name} ${version}: ${why}.`),
  ];
  const network = results.hasNetwork ? 'The network was reachable.' : 'No runner could reach a network.';
  return [
    `${where}. ${network} All runners drove the same scripted \`claude\`.`,
    `Measured: ${versions.join('; ')}.`,
    ...results.tables.map((table) => asMarkdown(table, nameIn(results))),
    '### Could not be run',
    left.join('\n'),
  ].join('\n\n');
}

/** Writes the document and the picture beside the results. */
export function writeRendered(results: Results, path: string): void {
  const base = path.replace(/\.json$/, '');
  writeFileSync(`${base}.md`, `${markdown(results)}\n`);
  writeFileSync(`${base}.svg`, picture(results));
}
