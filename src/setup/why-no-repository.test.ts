import { expect, it } from 'vitest';
import { whyNoRepository } from './why-no-repository.js';

it.each([
  'not a git repository (or any of the parent directories): .git',
  'Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).',
])('a folder without a repository is named as such, also below a mount point: %s', (why) => {
  expect(whyNoRepository('/a/folder', why)).toBe('/a/folder is not in a git repository');
});
