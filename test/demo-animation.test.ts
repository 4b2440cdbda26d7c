import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { need } from './environment.js';

describe('the animation of the README', () => {
  it('shows what `pawl demo` prints today', (context) => {
    need('tmux', context);
    const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/demo-animation.mjs'), '--check'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 300_000);

  it('is small, loads nothing and runs no script', () => {
    const svg = readFileSync(resolve('docs/demo.svg'), 'utf8');
    expect(svg.length).toBeLessThan(200_000);
    expect(svg).not.toMatch(/<script|<image|<foreignObject|@import|url\(|\son\w+=/i);
    expect([...svg.matchAll(/\bhref="(?!#)[^"]*"/g)]).toEqual([]);
  });
});
