import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inProject, readPackage } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

/** The published schemas: which function of which module makes each. */
const SCHEMAS = [
  ['schema.json', 'config/config-schema', 'configSchema'],
  ['pipeline.schema.json', 'pipeline/schemas', 'manifestSchema'],
  ['pipeline-state.schema.json', 'pipeline/schemas', 'stateSchema'],
];
const DIST = inProject('dist');

/** Makes dist from nothing: the entries of the package, each in few files, all types, and the JSON Schemas of what people write and read. Returns the files in the bundles. */
export async function buildLibrary() {
  rmSync(DIST, { recursive: true, force: true });
  const types = runCommand('tsc', ['-p', 'tsconfig.build.json'], { capture: true });
  const { bundle } = await import('./bundle.mjs');
  const sources = await bundle(entriesOf(readPackage()), DIST);
  await writeSchemas(bundle);
  const { code, output } = await types;
  if (code !== 0) fail(`${output}\nThe library does not compile.`);
  const missing = foreignPackages(readPackage());
  if (missing.length > 0) fail(`The published types name ${missing.join(', ')}, which is not installed with Pawl.`);
  return sources;
}

/** What the types of the entries import, directly or through others, and what is not installed with the package. */
function foreignPackages(manifest) {
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies };
  const files = Object.keys(entriesOf(manifest)).map((name) => join(DIST, `${name}.d.ts`));
  const packages = new Set();
  for (const file of files) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
      const path = join(dirname(file), name.replace(/\.js$/, '.d.ts'));
      if (name.startsWith('.') && !files.includes(path)) files.push(path);
      else if (!name.startsWith('.')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]);
    }
  }
  return [...packages].filter(
    (name) => !name.startsWith('node:') && name !== manifest.name && !Object.hasOwn(installed, name),
  );
}

/** `index`, `agent/index` and so on, each with its source. */
function entriesOf({ exports }) {
  const files = Object.values(exports).flatMap((target) => target.default ?? []);
  const names = files.map((file) => file.replace('./dist/', '').replace(/\.js$/, ''));
  return Object.fromEntries(names.map((name) => [name, inProject('src', `${name}.ts`)]));
}

async function writeSchemas(bundle) {
  const folder = join(DIST, `.schemas-${process.pid}`);
  try {
    const modules = [...new Set(SCHEMAS.map(([, module]) => module))];
    await bundle(Object.fromEntries(modules.map((module) => [module, inProject('src', `${module}.ts`)])), folder);
    for (const [file, module, name] of SCHEMAS) {
      const { [name]: schema } = await import(pathToFileURL(join(folder, `${module}.js`)).href);
      if (typeof schema !== 'function') fail(`Cannot write dist/${file}: src/${module}.ts exports no ${name}().`);
      writeFileSync(join(DIST, file), `${JSON.stringify(schema(), null, 2)}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
