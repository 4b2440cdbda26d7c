import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const INSIDE = `${sep}node_modules${sep}`;
const RULE = '-'.repeat(80);

/** The names, versions and licences of all packages that have a file in a bundle, with the text of each licence. */
export function licensesOf(files) {
  const packages = [...new Set(files.flatMap((file) => packageFolder(file) ?? []))].map(describe).sort(byName);
  const unlicensed = packages.filter(({ license, text }) => license === undefined && text === undefined);
  if (unlicensed.length > 0) throw new Error(`no licence is known of ${unlicensed.map(({ id }) => id).join(', ')}`);
  return [
    'Pawl contains code of these packages:',
    '',
    ...packages.map(({ id, license }) => `  ${id} (${license ?? 'see its licence'})`),
    '',
    ...packages.flatMap(({ id, license, text }) => [
      RULE,
      id,
      '',
      text?.trim() ?? `Licence: ${license}. The package has no licence file.`,
      '',
    ]),
  ].join('\n');
}

/** The folder of the package that a file belongs to; undefined for a file of our own. */
function packageFolder(file) {
  const path = file.replace(/^\0/, '').replace(/\?.*$/, '');
  const at = path.lastIndexOf(INSIDE);
  if (at === -1) return undefined;
  const inside = path.slice(at + INSIDE.length).split(sep);
  const name = inside.slice(0, inside[0].startsWith('@') ? 2 : 1);
  return join(path.slice(0, at), 'node_modules', ...name);
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i.test(entry));
  const path = file && join(folder, file);
  const text = path && existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  return { id: `${name} ${version}`, license, text };
}

function byName(a, b) {
  return a.id < b.id ? -1 : 1;
}
