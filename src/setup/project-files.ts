import { opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigFile } from '../config/config-file.js';

/** More entries than a project has at its top. */
const MOST_ENTRIES = 2000;

/** The files of a folder that may hold anything. Nothing here throws, follows a loop, blocks or reads without end. */
export class ProjectFiles {
  readonly folder: string;
  /** What is at the top. */
  readonly names: readonly string[];

  constructor(folder: string) {
    this.folder = folder;
    this.names = namesIn(folder);
  }

  hasFile(name: string): boolean {
    return this.#kindOf(name) === 'file';
  }

  hasFolder(name: string): boolean {
    return this.#kindOf(name) === 'folder';
  }

  hasAny(...names: readonly string[]): boolean {
    return names.some((name) => this.hasFile(name));
  }

  /** Text of up to 1 MB; undefined for all else. */
  text(name: string): string | undefined {
    const file = readConfigFile(join(this.folder, name));
    return file.kind === 'read' ? file.text : undefined;
  }

  /** A JSON object; undefined when it is none. */
  json(name: string): Readonly<Record<string, unknown>> | undefined {
    return asRecord(parsed(this.text(name)));
  }

  /** The files of a folder below. */
  at(name: string): ProjectFiles {
    return new ProjectFiles(join(this.folder, name));
  }

  #kindOf(name: string): 'file' | 'folder' | undefined {
    try {
      const found = statSync(join(this.folder, name));
      return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : undefined;
    } catch {
      return undefined;
    }
  }
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    // Some editors write a mark at the beginning.
    return text === undefined ? undefined : JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  const names: string[] = [];
  try {
    const directory = opendirSync(folder);
    try {
      for (
        let entry = directory.readSync();
        entry !== null && names.length < MOST_ENTRIES;
        entry = directory.readSync()
      ) {
        names.push(entry.name);
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    // What cannot be listed has nothing to show.
  }
  return names.sort();
}
