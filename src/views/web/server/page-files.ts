import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** The files of the page by the path that each is asked for by, read once: a path from outside never reaches the disk. */
export function readPageFiles(folder = pageFolder()): ReadonlyMap<string, PageFile> {
  const names = folder === undefined ? [] : filesBelow(folder);
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      const path = `/${relative(folder ?? '', name)
        .split(sep)
        .join('/')}`;
      return type === undefined ? [] : [[path, { type, bytes: new Uint8Array(readFileSync(name)) }]];
    }),
  );
}

/** Next to the command that was built, or next to its chunks. */
function pageFolder(): string | undefined {
  const places = ['./web/', '../web/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => statSync(join(place, 'index.html'), { throwIfNoEntry: false })?.isFile() === true);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
