import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';

const NOTE = '// Made by `npm run conditions` from the other files of this folder. Do not edit.\n';
const MADE = ['catalog.ts', 'factories.ts'];

const FOLDER = inProject('src', 'model', 'conditions');

const files = inOrder(conditionFiles());
const stale = Object.entries({ 'catalog.ts': catalogOf(files), 'factories.ts': factoriesOf(files) }).filter(
  ([name, text]) => !existsSync(join(FOLDER, name)) || readFileSync(join(FOLDER, name), 'utf8') !== text,
);
if (!process.argv.includes('--check')) for (const [name, text] of stale) writeFileSync(join(FOLDER, name), text);
else if (stale.length > 0) {
  process.stderr.write(
    `${stale.map(([name]) => name).join(' and ')} of ${FOLDER} are not current: npm run conditions\n`,
  );
  process.exitCode = 1;
}

/** What each file holds: its shape, its definition and its factories. */
function conditionFiles() {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !MADE.includes(name))
    .map((name) => {
      const text = readFileSync(join(FOLDER, name), 'utf8');
      const shape = /^export interface (\w+)(<Inner>)? \{\n {2}readonly type: '(\w+)';/m.exec(text);
      if (shape === null || !/^export const definition = /m.test(text))
        throw new Error(`${join(FOLDER, name)}: export an interface with its \`type\` first, and \`definition\``);
      const [, shapeName, isComposite, type] = shape;
      const factories = [...text.matchAll(/^export const (\w+) = \(/gm)].map(([, factory]) => factory);
      return { name: name.slice(0, -'.ts'.length), type, shapeName, isComposite: isComposite !== undefined, factories };
    });
}

/** The order shows in the schema and in messages: what is listed keeps its place, and new ones are added at the end. */
function inOrder(unordered) {
  const path = join(FOLDER, 'catalog.ts');
  const listed = existsSync(path)
    ? [...readFileSync(path, 'utf8').matchAll(/^ {2}(\w+): \w+,$/gm)].map(([, type]) => type)
    : [];
  const place = ({ type }) => (listed.includes(type) ? listed.indexOf(type) : listed.length);
  return unordered.toSorted((a, b) => place(a) - place(b) || a.type.localeCompare(b.type));
}

function catalogOf(conditions) {
  const byName = conditions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const local = ({ shapeName }) => `${shapeName.charAt(0).toLowerCase()}${shapeName.slice(1)}Definition`;
  const imports = byName.map((file) => {
    const line = `import { type ${file.shapeName}, definition as ${local(file)} } from './${file.name}.js';`;
    return line.length <= 120 ? line : line.replace('{ ', '{\n  ').replace(', ', ',\n  ').replace(' }', ',\n}');
  });
  const shapes = conditions.map(
    ({ shapeName, isComposite }) => `  | ${shapeName}${isComposite ? '<Whole<Shape>>' : ''}`,
  );
  const entries = conditions.map((file) => `  ${file.type}: ${local(file)},`);
  const whole = "import type { Whole } from '../judging/condition-definition.js';";
  return `${NOTE}${[whole, ...imports].join('\n')}

/** Every condition. */
export type Shape =
${shapes.join('\n')};

export const DEFINITIONS = {
${entries.join('\n')}
};
`;
}

function factoriesOf(conditions) {
  const exported = conditions.flatMap(({ name, factories }) =>
    factories.length === 0 ? [] : [`export { ${factories.toSorted().join(', ')} } from './${name}.js';`],
  );
  return `${NOTE}${exported.join('\n')}\n`;
}
