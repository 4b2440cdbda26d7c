import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

/** The published schemas: which function of which module makes each. */
const SCHEMAS = [
  ['schema.json', 'config/config-schema', 'configSchema'],
  ['pipeline.schema.json', 'pipeline/schemas', 'manifestSchema'],
  ['pipeline-state.schema.json', 'pipeline/schemas', 'stateSchema'],
];

/** Makes dist from nothing: every module with its types, and the JSON Schemas of what people write and read. */
export async function buildLibrary() {
  rmSync(inProject('dist'), { recursive: true, force: true });
  const { code, output } = await runCommand('tsc', ['-p', 'tsconfig.build.json'], { capture: true });
  if (code !== 0) fail(`${output}\nThe library does not compile.`);
  for (const [file, module, name] of SCHEMAS) await writeSchema(file, module, name);
}

async function writeSchema(file, module, name) {
  const source = inProject('dist', `${module}.js`);
  const { [name]: schema } = existsSync(source) ? await import(pathToFileURL(source).href) : {};
  if (typeof schema !== 'function') fail(`Cannot write dist/${file}: src/${module}.ts exports no ${name}().`);
  writeFileSync(inProject('dist', file), `${JSON.stringify(schema(), null, 2)}\n`);
}
