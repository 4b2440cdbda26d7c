import { expect, it } from 'vitest';
import { CONFIG } from '../src/config/config-shape.js';
import { MANIFEST } from '../src/pipeline/manifest-shape.js';
import { keyReference } from './support/key-reference.js';

/** Written from the schemas that read a config. After a change: `npx vitest run test/key-reference.test.ts -u`. */
it.each([
  [
    'keys.md',
    'Every key of pawl.yaml',
    'How the keys work together is in [policy and configuration](configuration.md). `pawl schema` prints the same as JSON Schema.',
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
