import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type * as Context from '../../src/views/cli/command-context.js';
import type * as Program from '../../src/views/cli/program.js';

export interface CliOutcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs a command as a process would that has no terminal and nothing on its standard input. */
export async function runParts(chunks: string, words: readonly string[], place: ProcessPlace): Promise<CliOutcome> {
  const [{ runProgram }, { createContext }] = await Promise.all([
    load<typeof Program>(chunks, 'program'),
    load<typeof Context>(chunks, 'command-context'),
  ]);
  const [out, err] = [capture(), capture()];
  const stdin = Object.assign(Readable.from([]), { isTTY: false }) as unknown as NodeJS.ReadStream;
  const parts = { env: place.environment, cwd: () => place.cwd, stdin, stdout: out.stream, stderr: err.stream };
  const status = await runProgram(words, createContext(parts));
  return { status, stdout: out.text(), stderr: err.text() };
}

/** A part of the built command. It loads faster than hundreds of source files. */
async function load<T>(chunks: string, name: string): Promise<T> {
  const [file] = readdirSync(chunks).filter((one) => new RegExp(`^${name}-[A-Z0-9]+\\.js$`).test(one));
  if (file === undefined) throw new Error(`the built command has no part ${name}`);
  return (await import(pathToFileURL(join(chunks, file)).href)) as T;
}

function capture() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream,
    text: () => Buffer.concat(chunks).toString(),
  };
}
