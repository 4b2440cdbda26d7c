import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { anchorOf, copyLinkedFiles, escapeBraces, pageOf, resolveLinks } from './links.mjs';
import { sidebarFrom } from './sidebar.mjs';

const REPOSITORY = new URL('../..', import.meta.url);

/** Pages are Markdown files of the repository, so every link also works where the files are read as they are. */
const PAGES =
  /^(?:(?:README|SECURITY|CHANGELOG|CONTRIBUTING|ARCHITECTURE)\.md|(?:docs|bench|examples|test\/corpus)\/.*\.md)$/;
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');
const pages = files.filter((file) => PAGES.test(file) && !file.startsWith('examples/demo/'));
const others = files.filter((file) => !pages.includes(file));

export default defineConfig({
  title: 'Pawl',
  description: 'Runs AI agents in a loop and knows when to stop.',
  srcDir: '..',
  srcExclude: [...others, '**/node_modules/**', '**/.stryker-tmp/**', '**/dist/**', '**/coverage/**', '**/reports/**'],
  rewrites: pageOf,
  cacheDir: '../node_modules/.cache/vitepress',
  outDir: '.vitepress/dist',
  // The site works from any folder of any server, and without a network: no web fonts, no search service.
  base: process.env.PAWL_DOCS_BASE ?? '/',
  lastUpdated: false,
  ignoreDeadLinks: [/^\/files\//],
  markdown: {
    // As GitHub renders them: no page has HTML of its own.
    html: false,
    linkify: false,
    anchor: { slugify: anchorOf },
    languageAlias: { promql: 'txt' },
    config: (markdown) => {
      markdown.use(escapeBraces);
      markdown.use(resolveLinks, { pages });
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        // All words of a name such as idle_timeout; the guide before decisions and benchmarks.
        miniSearch: {
          searchOptions: { combineWith: 'AND', boostDocument: (id) => (id.includes('/guide/') ? 8 : 1) },
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'First run', link: '/guide/first-run' },
      { text: 'How do I ...?', link: '/guide/recipes' },
      { text: 'Commands', link: '/guide/commands' },
      { text: 'Troubleshooting', link: '/guide/troubleshooting' },
    ],
    sidebar: sidebarFrom(readFileSync(new URL('docs/guide/README.md', REPOSITORY), 'utf8')),
  },
  buildEnd: ({ outDir }) => copyLinkedFiles(outDir),
});
