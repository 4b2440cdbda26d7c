import { type ChildProcess, spawn } from 'node:child_process';
import { type BundledFixture, bundleFixture } from './bundled-fixture.js';

export type WriterProgram = BundledFixture;

export function buildWriter(): Promise<WriterProgram> {
  return bundleFixture('journal-writer');
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
