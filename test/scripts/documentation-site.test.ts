import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let site = '';
beforeAll(() => {
  site = mkdtempSync(join(tmpdir(), 'pawl-site-'));
  const built = spawnSync(process.execPath, ['scripts/docs.mjs', '--outDir', site], { encoding: 'utf8' });
  expect(built.status, `${built.stdout}${built.stderr}`).toBe(0);
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

describe('the documentation site', () => {
  it('has no link to a page, a file or an anchor that is missing', () => {
    const pages = pagesOf(site);
    expect(pages.length).toBeGreaterThan(80);
    expect(pages.flatMap((page) => brokenLinks(site, page))).toEqual([]);
  });

  it('has every page of the guide in its sidebar', () => {
    const home = readFileSync(join(site, 'index.html'), 'utf8');
    const names = readdirSync('docs/guide').filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(names.filter((name) => !home.includes(`href="/guide/${name.replace('.md', '.html')}"`))).toEqual([]);
  });

  it('finds commands, keys and messages by the search', () => {
    const chunks = join(site, 'assets', 'chunks');
    const [index = ''] = readdirSync(chunks).filter((name) => name.includes('localSearchIndex'));
    const text = readFileSync(join(chunks, index), 'utf8');
    expect(['unpause', 'troubleshooting', 'oscillation'].filter((word) => !text.includes(word))).toEqual([]);
  });

  it('shows the braces of a prompt as text', () => {
    expect(readFileSync(join(site, 'guide', 'running.html'), 'utf8')).toContain('{{feedback}}');
  });

  it('reports a link to an anchor that is missing', () => {
    const found = brokenLinks(
      site,
      'guide/cost.html',
      '<a href="/guide/running.html#nowhere"><a href="/guide/nothing.html">',
    );
    expect(found).toEqual(['guide/cost.html: /guide/running.html#nowhere', 'guide/cost.html: /guide/nothing.html']);
  });
});

function pagesOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => name.endsWith('.html') && name !== '404.html' && !name.startsWith('files/'));
}

function brokenLinks(folder: string, page: string, text = readFileSync(join(folder, page), 'utf8')): readonly string[] {
  const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
  return [...new Set(links)]
    .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && !isThere(folder, page, link))
    .map((link) => `${page}: ${link}`);
}

function isThere(folder: string, page: string, link: string): boolean {
  const [path = '', anchor] = decodeURI(link).split('#');
  const target = path === '' ? page : posix.join(path.startsWith('/') ? '' : posix.dirname(page), path);
  const file = [target, `${target}.html`, posix.join(target, 'index.html')]
    .map((name) => join(folder, name))
    .find((name) => existsSync(name) && statSync(name).isFile());
  if (file === undefined) return false;
  return anchor === undefined || anchor === '' || readFileSync(file, 'utf8').includes(`id="${anchor}"`);
}
