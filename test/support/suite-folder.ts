import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that is there as long as the suite runs, for what its test files share. */
    readonly suiteFolder: string;
  }
}

/** Vitest loads this file once for each project; all of them have the same folder. */
const offers = globalThis as { pawlSuiteFolder?: string | undefined };

export function setup({ provide }: TestProject): void {
  offers.pawlSuiteFolder ??= mkdtempSync(join(tmpdir(), 'pawl-suite-'));
  provide('suiteFolder', offers.pawlSuiteFolder);
}

export function teardown(): void {
  const folder = offers.pawlSuiteFolder;
  offers.pawlSuiteFolder = undefined;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
