import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownProjects, noteProject, notedProjects } from './known-projects.js';

let home: string;
const environment = () => ({ XDG_STATE_HOME: join(home, 'state') });
const notes = () => join(home, 'state', 'pawl', 'projects');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-projects-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the projects of a user', () => {
  it('are none before the first run', () => {
    expect(notedProjects(environment())).toEqual([]);
  });

  it('are noted once each, for nobody else to read', () => {
    noteProject(join(home, 'b'), environment());
    noteProject(join(home, 'a'), environment());
    const before = statSync(join(notes(), readdirSync(notes())[0] ?? '')).ino;
    noteProject(join(home, 'a'), environment());
    noteProject(join(home, 'b'), environment());
    expect(notedProjects(environment())).toEqual([join(home, 'a'), join(home, 'b')]);
    expect(statSync(join(notes(), readdirSync(notes())[0] ?? '')).ino).toBe(before);
    for (const name of readdirSync(notes())) expect(statSync(join(notes(), name)).mode & 0o777).toBe(0o600);
  });

  it('are known as long as their folder is there', () => {
    mkdirSync(join(home, 'a\n'));
    for (const name of ['a\n', 'gone']) noteProject(join(home, name), environment());
    expect(notedProjects(environment())).toHaveLength(2);
    expect(knownProjects(environment())).toEqual([join(home, 'a\n')]);
  });

  it('are not what else stands among the notes: a draft of one who died, a relative path, a folder', () => {
    noteProject(home, environment());
    writeFileSync(join(notes(), '.draft-1'), `${home}/draft\n`);
    writeFileSync(join(notes(), 'relative'), 'relative\n');
    mkdirSync(join(notes(), 'folder'));
    expect(notedProjects(environment())).toEqual([home]);
  });
});
