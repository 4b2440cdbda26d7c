import { writeFileSync } from 'node:fs';
import { publishPart } from '../published-page.js';
import { hazardPicture, iterationPicture } from './picture.js';
import { machineLine, nameIn, type Results } from './results.js';
import { summary } from './summary.js';
import { asMarkdown } from './table.js';

export const LATEST = 'bench/peers/results/latest.json';

/** The tables of a run as a document. */
export function markdown(results: Results): string {
  const { runners, unrunnable } = results;
  const versions = runners
    .filter(({ cannot }) => cannot === undefined)
    .map(({ name, version }) => `${name} ${version ?? ''}`.trim());
  const left = [
    ...runners.flatMap(({ name, version, cannot }) => (cannot === undefined ? [] : `- ${name} ${version}: ${cannot}.`)),
    ...unrunnable.map(({ name, version, why }) => `- ${name} ${version}: ${why}.`),
  ];
  const network = results.hasNetwork ? 'The network was reachable.' : 'No runner could reach a network.';
  return [
    `${machineLine(results)}. ${network} All runners drove the same scripted \`claude\`.`,
    `Measured: ${versions.join('; ')}.`,
    ...results.tables.map((table) => asMarkdown(table, nameIn(results))),
    '### Could not be run',
    left.join('\n'),
  ].join('\n\n');
}

/** What is made of a result file, by the end of its name. */
export function rendered(results: Results): Readonly<Record<string, string>> {
  return {
    '.md': `${markdown(results)}\n`,
    '.svg': hazardPicture(results),
    '-iteration.svg': iterationPicture(results),
  };
}

/** Writes the document and the pictures beside the results. */
export function writeRendered(results: Results, path: string): void {
  const base = path.replace(/\.json$/, '');
  for (const [ending, text] of Object.entries(rendered(results))) writeFileSync(`${base}${ending}`, text);
}

/** Brings the page of all benchmarks up to date. */
export function publish(results: Results): void {
  publishPart('peers', summary(results));
}
