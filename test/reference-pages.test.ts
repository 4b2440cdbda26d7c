import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONFIG } from '../src/config/config-shape.js';
import { MANIFEST } from '../src/pipeline/manifest/manifest-shape.js';
import { createProgram } from '../src/views/cli/program.js';
import { commandReference } from './support/command-reference.js';
import { conditionReference } from './support/condition-reference.js';
import { keyReference } from './support/key-reference.js';
import { unknownCommands } from './support/named-commands.js';
import { contextOf, recordingTerminal } from './support/terminal.js';

// These pages are generated from the code. After a change: `npx vitest run test/reference-pages.test.ts -u`.

it.each([
  [
    'keys.md',
    'Every key of pawl.yaml',
    'How the keys work together is in [policy and configuration](configuration.md). `pawl check --schema` prints the same as JSON Schema.',
    CONFIG,
  ],
  [
    'pipeline-keys.md',
    'Every key of pipeline.yaml',
    'How a pipeline works is in [pipelines](pipeline.md). `pawl/pipeline.schema.json` is the same as JSON Schema.',
    MANIFEST,
  ],
])('docs/guide/%s lists the keys that are read', async (file, title, intro, schema) => {
  const page = `# ${title}\n\n${intro}\n\n${keyReference(schema)}`;
  await expect(page).toMatchFileSnapshot(`../docs/guide/${file}`);
});

it('docs/guide/commands.md lists every command, argument and flag', async () => {
  const context = contextOf(recordingTerminal(100));
  const program = await createProgram({ context, end: () => {} }, undefined);
  const page = `# Every command and flag

This page is generated from the command line itself. \`pawl COMMAND --help\` prints the same. [Running](running.md) explains how
the commands work together.

${commandReference(program)}`;
  await expect(page).toMatchFileSnapshot('../docs/guide/commands.md');
});

it('docs/guide/condition-fields.md lists every condition and field', async () => {
  const page = `# Every condition and field

This page is generated from the definitions that Pawl judges by. [Stop conditions](conditions.md) explains how they are judged
and combined. A field with a short form can be written as \`max_iterations: 30\`.

${conditionReference()}`;
  await expect(page).toMatchFileSnapshot('../docs/guide/condition-fields.md');
});

it('the README and the guide name only commands and flags that exist', async () => {
  const program = await createProgram({ context: contextOf(recordingTerminal(100)), end: () => {} }, undefined);
  const guide = readdirSync('docs/guide').filter((name) => name.endsWith('.md'));
  const pages = ['README.md', ...guide.map((name) => `docs/guide/${name}`)];
  expect(pages.flatMap((page) => unknownCommands(program, readFileSync(page, 'utf8')))).toEqual([]);
  expect(unknownCommands(program, '`pawl lst` and `pawl stats --al`, not `pawl list --json`')).toEqual([
    'lst',
    'stats --al',
  ]);
});
