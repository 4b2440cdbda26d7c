import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadManifest } from './load-manifest.js';
import { manifestCommands } from './manifest-commands.js';

let base: string;
let folder: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-manifest-commands-')));
  folder = join(base, 'project');
  mkdirSync(folder);
  writeFileSync(join(base, 'secret.txt'), 'hidden');
  writeFileSync(join(folder, 'items.txt'), 'a');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const AGENT = 'generate: { agent: claude, prompt: "{{item.id}}" }\nlimits: [{ max_cost: 1 }]';

/** What is asked about before items from this source are made. */
function askedAbout(items: string, generate = AGENT) {
  writeFileSync(join(folder, 'p.yaml'), `items: ${items}\n${generate}\n`);
  const manifest = loadManifest('p.yaml', { cwd: folder, env: {}, hasOwnAgent: true });
  return manifestCommands(manifest).map(({ what, shown, place }) => `${what}: ${shown} (${place})`);
}

describe('a working directory', () => {
  it('outside the folder is asked about, so that its files are not sent or changed unasked', () => {
    const asked = askedAbout('{ file: secret.txt }', `${AGENT}\nworking_dir: ..`);
    expect(asked).toEqual([`works in: ${base} (p.yaml:4:14)`]);
    symlinkSync('..', join(folder, 'docs'));
    expect(askedAbout('[a]', `${AGENT}\nworking_dir: docs`)).toEqual([`works in: ${base} (p.yaml:4:14)`]);
  });

  it('in the folder is not asked about', () => {
    mkdirSync(join(folder, 'inner'));
    expect(askedAbout('[a]', `${AGENT}\nworking_dir: inner`)).toEqual([]);
  });
});

describe('items from outside the folder', () => {
  it.each([
    ['a path that leads up', '{ file: ../secret.txt }', 'secret.txt', '16'],
    ['a link', '{ file: link.txt }', 'secret.txt', '16'],
    ['a folder that is a link', '{ file: docs/secret.txt }', 'secret.txt', '16'],
    ['a glob that leads up', '{ glob: "../x*" }', 'x*', '16'],
    ['a glob in a folder that is a link', '{ glob: "docs/**/*.txt" }', '**/*.txt', '16'],
    ['a path for a glob', '{ glob: ../secret.txt }', 'secret.txt', '16'],
  ])('by %s are asked about before an agent gets them', (_how, items, shown, column) => {
    symlinkSync('../secret.txt', join(folder, 'link.txt'));
    symlinkSync('..', join(folder, 'docs'));
    expect(askedAbout(items)).toEqual([`sends to the model: ${join(base, shown)} (p.yaml:1:${column})`]);
  });

  it('by an absolute path are asked about before an agent gets them', () => {
    const secret = join(base, 'secret.txt');
    expect(askedAbout(`{ file: ${secret} }`)).toEqual([`sends to the model: ${secret} (p.yaml:1:16)`]);
  });

  it('are not asked about when they are in the folder, or go to a command that is asked about', () => {
    symlinkSync('items.txt', join(folder, 'link.txt'));
    for (const items of ['{ file: items.txt }', '{ file: ./link.txt }', '{ glob: "**/*.txt" }', '[a]']) {
      expect(askedAbout(items)).toEqual([]);
    }
    const byCommand = askedAbout('{ file: ../secret.txt }', 'generate: { command: "true" }').join('\n');
    expect(byCommand).toContain('makes an item: true');
    expect(byCommand).not.toContain('sends to the model');
  });
});
