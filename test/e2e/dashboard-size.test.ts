/** What the browser is sent: it is small, and loads nothing but itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli } from '../support/cli-project.js';

const MOST_SCRIPT_BYTES = 250 * 1024;
/** Of all that is loaded when it is first needed. */
const MOST_LATER_BYTES = 40 * 1024;
/** Names of things, which nobody loads: XML namespaces, and the explanations of React's errors. */
const NAMES = /^https?:\/\/(?:www\.w3\.org\/|react\.dev\/errors\/|localhost$)/;

let cli: BuiltCli;
let files: ReadonlyMap<string, Buffer>;
beforeAll(() => {
  cli = new BuiltCli('dashboard-size');
  const folder = join(cli.folder, 'bin', 'web');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  files = new Map(
    names.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path)];
    }),
  );
});
afterAll(() => cli?.remove());

const ending = (end: string) => [...files].filter(([name]) => name.endsWith(end));

describe('the built page', () => {
  it('has a script that is small when it is packed', () => {
    const html = files.get('index.html')?.toString() ?? '';
    const packed = (isAtStart: boolean) =>
      ending('.js')
        .filter(([name]) => html.includes(name) === isAtStart)
        .reduce((sum, [, content]) => sum + gzipSync(content).length, 0);
    expect(packed(true)).toBeGreaterThan(10_000);
    expect(packed(true)).toBeLessThan(MOST_SCRIPT_BYTES);
    expect(packed(false)).toBeLessThan(MOST_LATER_BYTES);
  });

  it('has neither script nor style in its HTML, which the content policy would not let run', () => {
    const html = files.get('index.html')?.toString() ?? '';
    expect(html).toMatch(/<script type="module"[^>]* src="\/assets\/[\w-]+\.js"><\/script>/);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('names no address that it could load something from', () => {
    const addresses = [...ending('.js'), ...ending('.css'), ...ending('.html')].flatMap(
      ([, content]) => content.toString().match(/(?:https?:)?\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s"'`)]*/gi) ?? [],
    );
    expect(addresses.filter((address) => !NAMES.test(address))).toEqual([]);
    expect([...ending('.css')].some(([, content]) => /url\((?!["']?data:)/.test(content.toString()))).toBe(false);
  });

  it('has its assets under names that change with what is in them, and no source maps', () => {
    const others = [...files.keys()].filter(
      (name) => !/^index\.html$|^assets\/[\w.-]+-[\w-]{8}\.(?:js|css|svg)$/.test(name),
    );
    expect(others).toEqual([]);
    expect(ending('.js').some(([, content]) => content.includes('sourceMappingURL'))).toBe(false);
  });
});
