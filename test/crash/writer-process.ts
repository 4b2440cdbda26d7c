import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface WriterProgram {
  readonly path: string;
  remove(): void;
}

/** Bundles the fixture, as Node 20 cannot run TypeScript. */
export async function buildWriter(): Promise<WriterProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-writer-'));
  const path = join(folder, 'journal-writer.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../fixtures/journal-writer.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: path,
    logLevel: 'error',
  });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Writer {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves once it has said something. */
  readonly spoke: Promise<void>;
  /** Resolves when it has ended and everything that it said is in `lines`. */
  readonly ended: Promise<void>;
}

export function startWriter(command: readonly string[]): Writer {
  const [program = '', ...parameters] = command;
  const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  const spoke = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      if (lines.length > 0) resolve();
    });
    child.once('close', () => resolve());
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  return { child, lines, spoke, ended };
}
