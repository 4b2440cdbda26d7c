import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadManifest } from './load-manifest.js';
import { planPipeline } from '../plan-pipeline.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-load-manifest-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const environment = { PATH: process.env['PATH'] };

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

async function planOf(manifest: string) {
  write('p.yaml', manifest);
  return planPipeline(loadManifest('p.yaml', { cwd: folder, env: environment }), { environment });
}

const fails = (manifest: string) => expect(planOf(manifest)).rejects;

describe('the names in a manifest', () => {
  it('may be those of ordinary columns, wherever they stand', async () => {
    write('rows.csv', 'id,file-name,Alt Text,größe\n1,a.png,A duck,3\n');
    const { paths } = await planOf(
      `items: { file: rows.csv }\ngenerate: { command: 'x $PAWL_ITEM_ALT_TEXT', output: 'o/{{item.file-name}}-{{item.größe}}' }\n`,
    );
    expect(paths).toEqual(['o/a.png-3']);
  });

  it('that no item has are errors, whatever they are made of', async () => {
    await fails(`items: [a]\ngenerate: { command: 'x $PAWL_ITEM_FILE_NAME' }\n`).toThrow(
      'has no field for $PAWL_ITEM_FILE_NAME',
    );
    await fails(`items: [a]\ngenerate: { command: x, output: 'o/{{item.Alt Text}}' }\n`).toThrow('has no Alt Text');
  });

  it('are suggested only when they are near', async () => {
    const naming = (field: string) => `items: [{ id: a, tone: 1 }]\ngenerate: { command: 'x $PAWL_ITEM_${field}' }\n`;
    await fails(naming('NOPE')).toThrow('has no field for $PAWL_ITEM_NOPE; it has id, tone');
    await fails(naming('TONNE')).toThrow('did you mean "tone"?');
  });

  it('that would be one variable are errors, if a command names it', async () => {
    const items = 'items: [{ id: a, x-y: 1, x y: 2 }]\n';
    const message = 'p.yaml:1:9 items: "x-y" and "x y" would both be the variable PAWL_ITEM_X_Y';
    await fails(`${items}generate: { command: 'x $PAWL_ITEM_X_Y' }\n`).toThrow(message);
    await fails(`${items}generate: { command: x }\naudit: 'y "$PAWL_ITEM_X_Y"'\n`).toThrow(message);
    await expect(planOf(`${items}generate: { command: x }\n`)).resolves.toBeDefined();
  });

  it.each([
    [
      'a command',
      `generate: { command: 'x > $PAWL_OUTPUT' }`,
      'p.yaml:2:22 generate.command: $PAWL_OUTPUT would be empty',
    ],
    [
      'an audit',
      `generate: { command: x }\naudit: 'y {{output}}'`,
      'p.yaml:3:8 audit.command: {{output}} is not replaced in a command: write "$PAWL_OUTPUT"',
    ],
    ['a prompt', `generate: { agent: { command: cat }, prompt: 'to {{output}}' }`, 'generate.prompt: {{output}}'],
    ['a file', `generate: { agent: { command: cat }, prompt_path: ask.md }`, 'generate.prompt_path: {{last_output}}'],
  ])('ask for no output in %s when there is none', async (_what, generate, message) => {
    write('ask.md', 'look at {{last_output}}');
    await fails(`items: [a]\n${generate}\n`).toThrow(message);
  });
});

describe('an agent that is not there', () => {
  it.each([
    ['by its name', 'agent: clawd, prompt: x', /p\.yaml:2:20 .*there is no agent "clawd"/],
    [
      'by its program',
      'agent: { command: ./none.sh }, prompt: x',
      /p\.yaml:2:\d+ generate\.agent\.command: \.\/none\.sh/,
    ],
  ])('%s is an error with its place before anything is begun', async (_how, generate, message) => {
    await fails(`items: [a]\ngenerate: { ${generate} }\n`).toThrow(message);
  });
});

describe('ids without quotes', () => {
  it('are what is written, not the number that YAML makes of it', async () => {
    const { items } = await planOf(
      'items: [1.50, 007, 1e3, { id: 0x1F, n: 1.50 }, -0, text]\ngenerate: { command: x }\n',
    );
    expect(items.map((item) => item?.id)).toEqual(['1.50', '007', '1e3', '0x1F', '-0', 'text']);
    expect(items[3]?.fields['n']).toBe(1.5);
  });
});

describe('what is wrong with items and outputs is said before the work', () => {
  it('an output that would lie in the output of another', async () => {
    await fails(`items: [a, a/b]\ngenerate: { command: x, output: 'o/{{item.id}}' }\n`).toThrow(
      /p\.yaml:1:12 generate\.output: "o\/a\/b" cannot be written: its folder "o\/a" is the output of "a" \(p\.yaml:1:9\)/,
    );
  });

  it('an output that is no path is not told of globs', async () => {
    await fails(`items: [a]\ngenerate: { command: x, output: '/o/{{item.id}}' }\n`).toThrow(
      'must be a path inside the working directory',
    );
  });

  it('a missing file, with the path that was tried', async () => {
    await fails('items: { file: none.csv }\ngenerate: { command: x }\n').toThrow(
      `none.csv: no such file (${join(folder, 'none.csv')})`,
    );
    await fails('items: [a]\ngenerate: { agent: { command: cat }, prompt_path: none.md }\n').toThrow(
      `p.yaml:2:51 generate.prompt_path: ${join(folder, 'none.md')} cannot be read: no such file`,
    );
  });

  it('a header that has a name twice, and one without the id', async () => {
    write('rows.csv', 'id,id\n1,2\n');
    await fails('items: { file: rows.csv }\ngenerate: { command: x }\n').toThrow('line 1: the header has "id" twice');
    write('rows.csv', 'name,size\na,2\n');
    await fails('items: { file: rows.csv }\ngenerate: { command: x }\n').toThrow(
      'rows.csv:2 items: an item needs an id: a text; it has name, size',
    );
  });
});
