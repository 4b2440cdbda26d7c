import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { pageOf } from './links.mjs';

/** The sidebar has the groups and pages of the guide's index, so there is one list of them. */
export function sidebarFrom(index) {
  return index
    .split(/^## /m)
    .slice(1)
    .map((group) => {
      const [title = '', ...lines] = group.split('\n');
      const links = lines
        .filter((line) => /^- |^ {2}/.test(line))
        .flatMap((line) => [...line.matchAll(/\]\(([^)#:]+\.md)\)/g)]);
      const files = [...new Set(links.map(([, link]) => posix.join('docs/guide', link)))];
      return {
        text: title,
        collapsed: false,
        items: files.map((file) => ({ text: titleOf(file), link: `/${pageOf(file)}` })),
      };
    })
    .filter(({ items }) => items.length > 0);
}

function titleOf(file) {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file;
}
