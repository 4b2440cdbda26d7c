import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BuiltCli } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('licenses');
});
afterAll(() => cli.remove());

it('the package has the licence of everything that is bundled into it, with versions for a search of advisories', () => {
  const bin = join(cli.folder, 'bin');
  const licenses = readFileSync('dist/THIRD_PARTY_LICENSES', 'utf8');
  const chunks = readdirSync(join(bin, 'chunks')).map((name) => readFileSync(join(bin, 'chunks', name), 'utf8'));
  const found = chunks.flatMap((text) => [...text.matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)]);
  const bundled = new Set([...found.map(([, name = '']) => name), 'react', 'react-dom', 'scheduler', 'uplot']);
  expect(bundled.size).toBeGreaterThan(8);
  for (const name of bundled) {
    const { version } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
    expect(licenses).toContain(`  ${name} ${version} (`);
  }
  expect(licenses).toContain('Permission is hereby granted, free of charge');
});
