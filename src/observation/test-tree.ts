import type { TestDetail } from '../model/test-results.js';

/**
 * The tests of an indented list, each named after the groups above it: jest and mocha print groups as bare lines. Lines at
 * the margin belong to no group.
 */
export function testTree(
  lines: readonly string[],
  testIn: (text: string) => TestDetail | undefined,
): readonly TestDetail[] {
  const groups: { readonly indent: number; readonly path: string }[] = [];
  const details: TestDetail[] = [];
  for (const line of lines) {
    const text = line.trimStart();
    if (text === '') continue;
    const indent = line.length - text.length;
    while ((groups.at(-1)?.indent ?? -1) >= indent) groups.pop();
    const test = indent === 0 ? undefined : testIn(text);
    const above = groups.at(-1)?.path;
    if (test !== undefined) details.push({ ...test, name: nestedName(above, test.name) });
    else if (indent > 0) groups.push({ indent, path: nestedName(above, text) });
  }
  return details;
}

/** A test or group within a group. What a hostile output nests must not grow with its depth. */
export function nestedName(group: string | undefined, name: string): string {
  return group === undefined ? name : `${group.slice(0, GROUP_CHARACTERS)} > ${name}`;
}

const GROUP_CHARACTERS = 500;
