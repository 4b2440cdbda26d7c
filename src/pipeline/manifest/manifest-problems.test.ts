import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../model/errors.js';
import { listItems } from './list-items.js';
import { loadManifest } from './load-manifest.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-manifest-problems-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'], HOME: folder };

/** What is wrong with a manifest, its items included. */
async function problems(text: string, cwd = folder): Promise<string> {
  writeFileSync(join(folder, 'p.yaml'), text);
  try {
    const { source } = loadManifest('p.yaml', { cwd, env });
    await listItems(source, { workingDir: folder, environment: env, cookie: `problems.${process.pid}` });
    return '';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ place, path, message }) => `${place} ${path}: ${message}`).join('\n');
  }
}

const command = (line: string) => `items: [a]\ngenerate:\n  command: ${JSON.stringify(line)}\n`;

describe('a command that no shell could be started with', () => {
  it('is refused: it is too long', async () => {
    expect(await problems(command(`true ${'x'.repeat(100_000)}`))).toMatch(
      /^p\.yaml:3:12 generate\.command: is too long .* at most 100,000/,
    );
  });

  it('is refused where it lists the items, too', async () => {
    const said = await problems(`items: { command: "echo ${'x'.repeat(100_000)}" }\ngenerate: { command: "true" }\n`);
    expect(said).toMatch(/items\.command: .*too long.*100,005 bytes/);
  });

  it('but one that just fits is not', async () => {
    expect(await problems(command(`true ${'$PAWL_ITEM_ID '.repeat(7000)}`))).toBe('');
  });
});

describe('a message', () => {
  it('about a folder that is not there names the folder', async () => {
    const nowhere = join(folder, 'nowhere');
    expect(await problems(command('true'), nowhere)).toContain('no such folder');
    expect(await problems(command('true'), join(folder, 'p.yaml'))).toContain('is not a folder');
  });

  it('about a NUL in a variable says so', async () => {
    const said = await problems('items: [a]\ngenerate: { command: "true", env: { A: "x\\0y" } }\n');
    expect(said).toContain('must not contain a NUL');
    expect(said).not.toContain('number');
  });

  it('about an id that an alias repeats has both places', async () => {
    expect(await problems('items: [&x 1.50, *x]\ngenerate: { command: "true" }\n')).toMatch(
      /^p\.yaml:1:18 items: .*"1\.50".* p\.yaml:1:12/,
    );
  });

  it.each(['.inf', '.nan', '-.inf'])('refuses %s as an id', async (id) => {
    expect(await problems(`items: [${id}]\ngenerate: { command: "true" }\n`)).toContain('put quotes around it');
  });

  it('about a name in braces has its place, and what to write', async () => {
    const said = await problems(command("cat <<'E'\n{{item.id}}\nE"));
    expect(said).toBe('p.yaml:3:12 generate.command: {{item.id}} is not replaced in a command: write "$PAWL_ITEM_ID"');
    expect(await problems(command('cat {{item.id}}'))).toContain('(pawl check --fix rewrites it)');
  });
});
