import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { noticesOf } from './notices.mjs';
import { inProject, readPackage } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

/** The published schemas: which function of which module makes each. */
const SCHEMAS = [
  ['schema.json', 'config/config-schema', 'configSchema'],
  ['pipeline.schema.json', 'pipeline/schemas', 'manifestSchema'],
  ['pipeline-state.schema.json', 'pipeline/schemas', 'stateSchema'],
];
const DIST = inProject('dist');

/** Makes dist from nothing: the entries of the package, each in few files, all types, and the JSON Schemas of what people write and read. */
export async function buildLibrary() {
  rmSync(DIST, { recursive: true, force: true });
  const types = runCommand('tsc', ['-p', 'tsconfig.build.json'], { capture: true });
  const { bundle } = await import('./bundle.mjs');
  const sources = await bundle(entriesOf(readPackage()), DIST);
  writeFileSync(join(DIST, 'THIRD_PARTY_NOTICES.txt'), noticesOf('The modules of Pawl contain', sources));
  await writeSchemas(bundle);
  const { code, output } = await types;
  if (code !== 0) fail(`${output}\nThe library does not compile.`);
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
