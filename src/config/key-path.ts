import { clip } from '../model/field-rules.js';

/** `stop` + `limits` is `stop.limits`; a key that would not read well there is quoted: `checks["a b"]`. */
export function keyPath(parent: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${parent}[${JSON.stringify(clip(key))}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

export function itemPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** The steps of a path, as text and as list positions. */
export function stepsOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, key, index, quoted] of path.matchAll(/([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
    else if (key !== undefined) steps.push(key);
  }
  return steps;
}
