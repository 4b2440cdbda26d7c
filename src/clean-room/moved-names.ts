import type { Candidate } from './files-of-tests.js';

const REPLACE = /^[ \t]*(?:replace[ \t]+)?([\w./~-]+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*(\S.*?)[ \t]*(?:\/\/.*)?$/gm;

/** A name that a manifest leads elsewhere than it did: a `replace` of go.mod, an entry of `imports` of package.json. */
export interface MovedName extends Candidate {
  readonly name: string;
  /** Of the manifest. */
  readonly path: string;
}

export function movedNames(path: string, original: string, now: string): readonly MovedName[] {
  const [before, after] = [leadsOf(path, original), leadsOf(path, now)];
  const moved = [...before.keys()].filter((name) => after.has(name) && after.get(name) !== before.get(name));
  return moved.map((name) => ({
    name,
    path,
    words: [`"${name}`, `'${name}`],
    isUsedBy: (file) =>
      file.path !== path && new RegExp(`["']${name.replaceAll(/[^\w]/g, '\\$&')}["'/]`).test(file.text),
  }));
}

/** The text of now, in which these names of a manifest lead to where they did. */
export function putNamesBack(original: string, now: string, moved: readonly MovedName[]): string {
  const path = moved[0]?.path ?? '';
  const before = leadsOf(path, original);
  const isMoved = (name: string) => moved.some((one) => one.name === name);
  if (path === 'go.mod') {
    return now.replace(REPLACE, (line, name: string, target: string) => {
      return isMoved(name) ? line.replace(`=> ${target}`, () => `=> ${before.get(name) ?? target}`) : line;
    });
  }
  const fields = JSON.parse(now) as { readonly imports: object };
  const back = Object.entries(fields.imports).map(([name, target]: [string, unknown]) => {
    return [name, isMoved(name) ? (JSON.parse(before.get(name) ?? 'null') as unknown) : target];
  });
  return `${JSON.stringify({ ...fields, imports: Object.fromEntries(back) as unknown }, null, 2)}\n`;
}

/** Where each name leads to, as text. */
function leadsOf(path: string, text: string): ReadonlyMap<string, string> {
  if (path === 'go.mod')
    return new Map([...text.matchAll(REPLACE)].map(([, name = '', target = '']) => [name, target]));
  try {
    const { imports } = JSON.parse(text) as { readonly imports?: object };
    return new Map(Object.entries(imports ?? {}).map(([name, target]) => [name, JSON.stringify(target)]));
  } catch {
    return new Map();
  }
}
