import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';

const folder = inProject('src', 'model', 'conditions');
const catalog = readFileSync(join(folder, 'catalog.ts'), 'utf8');
const isListed = (name) => name === 'catalog' || catalog.includes(`'./${name}.js'`);

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => !isListed(name))
  .toSorted();
const lines = names.map((name) => `export * from './${name}.js';\n`);
const note = '// Every condition that has a factory for users. `npm run format` adds the files of this folder.\n';
writeFileSync(join(folder, 'factories.ts'), `${note}${lines.join('')}`);
