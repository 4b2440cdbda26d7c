import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { AGENT_NAMES, findAdapter } from './find-adapter.js';
import { AGENTS } from './index.js';

const script = fileURLToPath(new URL('../../scripts/agents.mjs', import.meta.url));
const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8');

it('the list is made from the files of its folder', () => {
  const { stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
});

it('every name leads to the agent of that name, and no other word to any', () => {
  expect(AGENT_NAMES.map((name) => findAdapter(name)?.name)).toEqual([
    'claude',
    'codex',
    'gemini',
    'opencode',
    'copilot',
    'qwen',
    'pi',
    'command',
  ]);
  expect(['Claude', '', 'constructor', '__proto__'].map(findAdapter)).toEqual(Array(4).fill(undefined));
});

it('the guide has a row for every agent, with the signals that end it and the program it was tested with', () => {
  const rows = [...guide.matchAll(/^\| `([\w-]+)` \|(?:[^|\n]*\|){4} ([^|\n]+) \| ([^|\n]+) \|$/gm)];
  const known = AGENTS.map(({ name, title, signals, graceMs }) => {
    return { name, ended: signals.map((signal) => `${signal}, ${graceMs / 1000} s`).join(', '), title };
  });
  const listed = rows.map(([, name, ended, tested = '']) => ({ name, ended, title: tested.replace(/ [\d.]+$/, '') }));
  expect(listed.filter(({ name }) => name !== 'command')).toEqual(known);
});
