import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkRunId,
  findGit,
  findRunPlaces,
  findSecondHome,
  importedFolder,
  importedPlace,
  importedRunId,
  isGone,
  isRunId,
  knownProjects,
  newRunId,
  noteProject,
  notedProjects,
} from './run-places.js';
import { type Disk, folderOf, makeFolder, NODE_DISK } from './disk.js';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-home-')));
});
afterEach(() => rmSync(root, { recursive: true }));

function makeGitDir(path: string): void {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
}

describe('the second home', () => {
  it('is in the .git folder above the working directory', () => {
    makeGitDir(join(root, '.git'));
    const inside = join(root, 'packages', 'one');
    mkdirSync(inside, { recursive: true });
    expect(folderOf(findSecondHome(inside, {}).runs)).toBe(join(root, '.git', 'pawl', 'runs'));
    // A run in one folder of a work tree sees what a run in another one changes.
    expect(folderOf(findSecondHome(inside, {}).tree)).toBe(folderOf(findSecondHome(root, {}).tree));
    expect(folderOf(findSecondHome(root, {}).tree)).toMatch(new RegExp(`^${root}/.git/pawl/trees/[0-9a-f]{16}$`));
  });

  it('is not looked for in what would never end to be read', () => {
    execFileSync('mkfifo', [join(root, '.git')]);
    expect(findGit(root)).toBeUndefined();
  });

  it('is shared by linked work trees, each with a lock of its own', () => {
    makeGitDir(join(root, 'main', '.git'));
    const gitDir = join(root, 'main', '.git', 'worktrees', 'side');
    makeGitDir(gitDir);
    writeFileSync(join(gitDir, 'commondir'), '../..\n');
    mkdirSync(join(root, 'side'));
    writeFileSync(join(root, 'side', '.git'), `gitdir: ${gitDir}\n`);
    expect(findGit(join(root, 'side'))?.commonDir).toBe(join(root, 'main', '.git'));
    const [side, main] = [findSecondHome(join(root, 'side'), {}), findSecondHome(join(root, 'main'), {})];
    expect(side.runs).toEqual(main.runs);
    expect(side.tree).not.toEqual(main.tree);
  });

  it('is in the folder that a submodule points to, given as a relative path', () => {
    makeGitDir(join(root, '.git', 'modules', 'sub'));
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'sub', '.git'), 'gitdir: ../.git/modules/sub\n');
    expect(findGit(join(root, 'sub'))?.commonDir).toBe(join(root, '.git', 'modules', 'sub'));
  });

  it('is where a .git file says, with or without an end of its line, and not where it only mentions it', () => {
    makeGitDir(join(root, 'real'));
    for (const end of ['', '\n', '\r\n']) {
      writeFileSync(join(root, '.git'), `gitdir: real${end}`);
      expect(findGit(root)?.commonDir).toBe(join(root, 'real'));
    }
    writeFileSync(join(root, '.git'), 'not gitdir: real\n');
    expect(findGit(root)).toBeUndefined();
  });

  it.each(['', 'gitdir: nowhere\n', 'something else'])('is not where a .git file says %j', (text) => {
    writeFileSync(join(root, '.git'), text);
    expect(findGit(root)).toBeUndefined();
  });

  it('is in the state folder outside git, apart for each working directory', () => {
    const environment = { XDG_STATE_HOME: join(root, 'state') };
    const [one, two] = [findSecondHome('/one', environment), findSecondHome('/two', environment)];
    expect(folderOf(one.runs)).toMatch(new RegExp(`^${root}/state/pawl/[0-9a-f]{16}/runs$`));
    expect(folderOf(one.tree)).toMatch(new RegExp(`^${root}/state/pawl/[0-9a-f]{16}$`));
    expect([one.runs.makesBase, one.tree.makesBase]).toEqual([true, true]);
    expect(one.tree).not.toEqual(two.tree);
  });

  it('is below HOME when no state folder is set, or a relative one', () => {
    expect(findSecondHome('/one', { HOME: '/home/a' }).tree.base).toBe('/home/a/.local/state');
    expect(findSecondHome('/one', { HOME: '/home/a', XDG_STATE_HOME: 'state' }).tree.base).toBe('/home/a/.local/state');
  });

  it.each([undefined, 'relative'])('is below the home of the user when HOME is %s', (HOME) => {
    expect(findSecondHome('/one', { HOME }).tree.base).toBe(join(homedir(), '.local', 'state'));
  });

  it('is in the git folder itself when what that says of a shared one leads nowhere', () => {
    makeGitDir(join(root, '.git'));
    writeFileSync(join(root, '.git', 'commondir'), '../nowhere\n');
    expect(findGit(root)?.commonDir).toBe(join(root, '.git'));
  });
});

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
    const odd = ['a\n', 'b\nc'];
    for (const name of odd) mkdirSync(join(home, name));
    for (const name of [...odd, 'gone']) noteProject(join(home, name), environment());
    expect(notedProjects(environment())).toHaveLength(3);
    expect(knownProjects(environment())).toEqual(odd.map((name) => join(home, name)));
  });

  it('are not what else stands among the notes: a draft of one who died, a relative path, a folder', () => {
    noteProject(home, environment());
    writeFileSync(join(notes(), '.draft-1'), `${home}/draft\n`);
    writeFileSync(join(notes(), 'relative'), 'relative\n');
    mkdirSync(join(notes(), 'folder'));
    expect(notedProjects(environment())).toEqual([home]);
  });

  it('are noted in no folder that a link leads to', () => {
    mkdirSync(join(home, 'state', 'pawl'), { recursive: true });
    mkdirSync(join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), notes());
    expect(() => noteProject(home, environment())).toThrow(/symbolic link/);
    expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
  });
});

describe('the records of imported runs', () => {
  it('lie in the state folder, from the first import on, also where there was none', () => {
    expect(importedFolder(environment())).toBeUndefined();
    const folder = makeFolder(NODE_DISK, importedPlace(environment()), 'refuse');
    expect(folder).toBe(join(home, 'state', 'pawl', 'imported'));
    expect(importedFolder(environment())).toBe(folder);
  });

  it('have ids that sort by when they took place, also those without a sensible time', () => {
    const [old, late] = [importedRunId(Date.UTC(2020, 0)), importedRunId(Date.UTC(2026, 0))];
    const before1970 = importedRunId(-5);
    expect([late, old, before1970].sort()).toEqual([before1970, old, late]);
    for (const id of [old, late, before1970]) expect([isRunId(id), id.startsWith('imported_')]).toEqual([true, true]);
  });
});

describe('a working directory', () => {
  const refusing = (code: string): Disk => ({
    ...NODE_DISK,
    lstatSync: () => {
      throw Object.assign(new Error(code), { code });
    },
  });

  it('is gone when it was removed, and not when it cannot be looked at', () => {
    const places = findRunPlaces(home, newRunId(), environment());
    expect(isGone(NODE_DISK, places)).toBe(false);
    expect(isGone(refusing('EACCES'), places)).toBe(false);
    expect(isGone(refusing('ENOENT'), places)).toBe(true);
  });
});

it('what is no id is named in the error as it was given, at no place of the config', () => {
  expect(() => checkRunId('x')).toThrow(/^"x" is not the id of a run/);
});
