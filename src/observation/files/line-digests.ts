import { fileKind, isWork } from '../../model/file-kind.js';
import { shortDigest } from '../../model/short-digest.js';

/** Of many lines those with the smallest digests are kept: the same change always gives the same ones. */
const MOST_DIGESTS = 32;

/** In code, settings and tables another number is another content. Elsewhere it mostly counts what was written. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|[ch]|cc|cpp|hpp|cs|rb|php|swift|scala|sh|sql|html?|s?css|vue|svelte|lua|exs?|erl|hs|mli?|clj|dart|zig|jl|r|pl|proto|graphql|tf|nix|json5?|[ct]sv|ya?ml|toml|ini|cfg|conf|config|properties|env|xml)$/i;
const TIMES = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?|\d{10,}/g;

/**
 * Digests of the changed lines of a patch (`git diff -U0`), without white space and times. Lines that were only moved,
 * indented, dated or, outside of code, numbered within their file cancel out. Lock files, notes, logs and generated files are
 * left out. Two changes with the same digests changed nothing new.
 */
export function lineDigests(patch: Buffer): readonly string[] {
  const digests = new Set<string>();
  const files = patch.toString('latin1').split(/^diff --git /m);
  for (const file of files.slice(1)) {
    for (const line of changesOf(file)) digests.add(shortDigest(line));
  }
  return [...digests].sort().slice(0, MOST_DIGESTS);
}

function changesOf(file: string): readonly string[] {
  const path = /^(?:\+\+\+ b|--- a)\/(.+?)"?\t?$/m.exec(file)?.[1] ?? /^.* b\/(.+?)"?$/m.exec(file)?.[1] ?? '';
  if (!isWork(fileKind(path))) return [];
  const start = file.search(/^@@/m);
  const head = start === -1 ? file : file.slice(0, start);
  const made = /^(?:new|deleted) file mode/m.exec(head)?.[0];
  // A binary file has no lines; the ids of its contents are in the head.
  const changes =
    start === -1 ? [...head.matchAll(/^index \w+\.\.\w+/gm)].map(([ids]) => ids) : linesOf(file.slice(start), path);
  // A new name for lines that were written before is nothing new.
  const isCopy = made?.startsWith('new') === true && start !== -1 && changes.length > 0;
  return made === undefined || isCopy ? changes : [`${made} ${path}`, ...changes];
}

interface Alike {
  readonly added: string[];
  readonly removed: string[];
}

function linesOf(hunks: string, path: string): readonly string[] {
  const isCode = CODE.test(path);
  const groups = new Map<string, Alike>();
  for (const line of hunks.split('\n')) {
    const sign = line[0];
    const content = sign === '+' || sign === '-' ? contentOf(line.slice(1)) : '';
    if (content === '') continue;
    const shape = isCode ? content : content.replace(/\d+/g, '#');
    const group = groups.get(shape) ?? { added: [], removed: [] };
    (sign === '+' ? group.added : group.removed).push(content);
    groups.set(shape, group);
  }
  return [...groups.values()].flatMap(({ added, removed }) => {
    if (added.length === removed.length) return [];
    return added.length > removed.length
      ? added.filter((line) => !removed.includes(line)).map((line) => `+${line}`)
      : removed.filter((line) => !added.includes(line)).map((line) => `-${line}`);
  });
}

function contentOf(line: string): string {
  const content = line.replace(TIMES, '').replace(/\s+/g, '');
  return /[\w\u0080-\u00ff]/.test(content) ? content : '';
}
