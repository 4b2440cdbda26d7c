import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** Where the site has files that are no pages: examples, recorded data. */
const RAW = 'files';

/** The page of the site that a file of the repository becomes. */
export function pageOf(file) {
  if (file === 'README.md') return 'index.md';
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

const linked = new Set();

/** Links between files of the repository become links between pages of the site. */
export function resolveLinks(markdown, { pages }) {
  markdown.core.ruler.push('pawl-links', ({ tokens, env }) => {
    const file = posix.normalize(relative(REPOSITORY, env.realPath ?? env.path));
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const link = siteLink(file, href, pages);
      token.attrSet('href', link);
      // The browser opens what is no page; the router of the site would look for a page.
      if (link.startsWith(`/${RAW}/`)) token.attrSet('target', '_self');
    }
  });
}

function siteLink(file, href, pages) {
  const [path, anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), decodeURI(path)).replace(/\/$/, '');
  const page = [target, `${target}/README.md`].find((candidate) => pages.includes(candidate));
  if (page !== undefined) return `/${pageOf(page)}${anchor === undefined ? '' : `#${anchor}`}`;
  if (!existsSync(join(REPOSITORY, target))) throw new Error(`${file} links to ${href}, which does not exist`);
  linked.add(target);
  const isFolder = statSync(join(REPOSITORY, target)).isDirectory();
  return `/${RAW}/${target}${isFolder ? '/' : ''}`;
}

/** Copies what pages link to and is no page itself. A folder gets a list of its files. */
export function copyLinkedFiles(outDir) {
  for (const path of linked) {
    const to = join(outDir, RAW, path);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(REPOSITORY, path), to, { recursive: true, filter: (from) => !/node_modules|\.ralph/.test(from) });
    if (statSync(to).isDirectory()) listFiles(to, path);
  }
}

function listFiles(folder, title) {
  const names = readdirSync(folder, { withFileTypes: true }).map(
    (entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`,
  );
  for (const name of names) if (name.endsWith('/')) listFiles(join(folder, name), posix.join(title, name));
  const items = names.map((name) => `<li><a href="${encodeURI(name)}">${name}</a></li>`).join('\n');
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><title>${title}</title><h1>${title}</h1><ul>\n${items}\n</ul>\n`,
  );
}

/** Vue would evaluate what is in double braces; in these pages they are text. */
export function escapeBraces(markdown) {
  for (const rule of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}

/** The anchor of a heading is the same as on GitHub, so a link to it works in both places. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
