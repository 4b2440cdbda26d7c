import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const PAGE = 'bench/BENCHMARKS.md';
const opening = (bench: string) => `<!-- ${bench}: written by \`npm run bench -- ${bench} --render\` -->`;
const closing = (bench: string) => `<!-- /${bench} -->`;

/** Where a bench's own part of the page begins and ends. */
function place(page: string, bench: string): readonly [from: number, to: number] {
  const from = page.indexOf(opening(bench));
  const to = page.indexOf(closing(bench), from);
  if (from < 0 || to < 0) throw new Error(`${PAGE} has no part "${opening(bench)}" to "${closing(bench)}"`);
  return [from + opening(bench).length, to];
}

/** What the published page says of a bench. */
export function publishedPart(bench: string): string {
  const page = readFileSync(resolve(PAGE), 'utf8');
  return page.slice(...place(page, bench)).trim();
}

export function publishPart(bench: string, text: string): void {
  const page = readFileSync(resolve(PAGE), 'utf8');
  const [from, to] = place(page, bench);
  writeFileSync(resolve(PAGE), `${page.slice(0, from)}\n\n${text.trim()}\n\n${page.slice(to)}`);
}
