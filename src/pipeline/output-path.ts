import { posix, resolve } from 'node:path';
import { isInside, realPlace } from '../config/config-file.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { fieldText, type Item } from './item.js';
import { fieldOf, fillIn } from './manifest/template.js';

const LONGEST_NAME_BYTES = 255;
const LONGEST_PATH_BYTES = 3500;
const MOST_ISSUES = 100;

/**
 * Where the output of each item goes, relative to the working directory. Throws ConfigError when one would leave the
 * folder that the template names, could not be a file name, or is another item's.
 */
export function outputPaths(template: string, items: readonly Item[]): readonly string[] {
  const base = posix.dirname(`${template.slice(0, template.indexOf('{{'))}x`);
  const issues: Issue[] = [];
  const taken = new Map<string, Item>();
  const paths = items.map((item) => {
    const rendered = fillIn(template, (name) => fieldText(item.fields[fieldOf(name) ?? '']));
    const path = posix.normalize(rendered);
    const problem = pathProblem(rendered, path, base) ?? takenBy(taken.get(path));
    if (problem !== undefined && issues.length < MOST_ISSUES) {
      issues.push({
        path: 'generate.output',
        place: item.place,
        message: `${clip(JSON.stringify(rendered))} ${problem}`,
      });
    }
    taken.set(path, item);
    return path;
  });
  const nested = nestedIssues(paths, items, taken);
  if (issues.length + nested.length > 0) throw new ConfigError([...issues, ...nested].slice(0, MOST_ISSUES));
  return paths;
}

/** Throws ConfigError when the folder of the outputs is a link that leads outside the working directory. */
export function checkOutputFolder(template: string, workingDir: string): void {
  const base = posix.dirname(`${template.slice(0, template.indexOf('{{'))}x`);
  const folder = resolve(workingDir, base);
  if (isInside(folder, workingDir)) return;
  const message = `its folder ${clip(base)} is outside the working directory, in ${clip(realPlace(folder))}`;
  throw new ConfigError([{ path: 'generate.output', message }]);
}

/** What is the file of one item cannot be the folder of another. */
function nestedIssues(
  paths: readonly string[],
  items: readonly Item[],
  taken: ReadonlyMap<string, Item>,
): readonly Issue[] {
  return paths.flatMap((path, index) => {
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      const other = taken.get(folder);
      if (other === undefined) continue;
      const owner = `${clip(JSON.stringify(folder))} is the output of ${clip(JSON.stringify(other.id))} (${other.place})`;
      const message = `${clip(JSON.stringify(path))} cannot be written: its folder ${owner}`;
      return [{ path: 'generate.output', place: items[index]?.place ?? '', message }];
    }
    return [];
  });
}

function pathProblem(rendered: string, path: string, base: string): string | undefined {
  const isInside = base === '.' ? !path.startsWith('/') : path.startsWith(`${base}/`);
  if (rendered.split('/').includes('..') || !isInside) return `is outside the folder ${clip(base)}`;
  if (rendered.includes('\0')) return 'contains a NUL';
  if (path.endsWith('/')) return 'is not the name of a file';
  const longest = Math.max(...path.split('/').map((name) => Buffer.byteLength(name)));
  if (longest > LONGEST_NAME_BYTES)
    return `is too long for a file name: ${longest} bytes, ${LONGEST_NAME_BYTES} may be`;
  const [first] = path.split('/');
  if (first === '.ralph' || first === '.git') return `lies in ${first}`;
  return Buffer.byteLength(path) > LONGEST_PATH_BYTES ? 'is too long for a path' : undefined;
}

function takenBy(other: Item | undefined): string | undefined {
  return other === undefined ? undefined : `is the output of ${clip(JSON.stringify(other.id))} too (${other.place})`;
}
