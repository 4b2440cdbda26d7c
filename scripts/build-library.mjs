import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

const SCHEMA_SOURCE = inProject('dist', 'config', 'config-schema.js');

/** Makes dist from nothing: every module with its types, and the JSON Schema of the configuration. */
export async function buildLibrary() {
  rmSync(inProject('dist'), { recursive: true, force: true });
  const { code, output } = await runCommand('tsc', ['-p', 'tsconfig.build.json'], { capture: true });
  if (code !== 0) fail(`${output}\nThe library does not compile.`);
  await writeSchema();
}

async function writeSchema() {
  const { configSchema } = existsSync(SCHEMA_SOURCE) ? await import(pathToFileURL(SCHEMA_SOURCE).href) : {};
  if (typeof configSchema !== 'function')
    fail('Cannot write dist/schema.json: src/config/config-schema.ts exports no configSchema().');
  writeFileSync(inProject('dist', 'schema.json'), `${JSON.stringify(configSchema(), null, 2)}\n`);
}
