import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownIdentity } from '../../src/journal/lock.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { ALL } from '../support/full-form.js';
import {
  IS_ROOT,
  mountedAnywhere,
  ROOM_RUN,
  ROOM_USERS,
  RoomProgram,
  type RoomReport,
  RoomScene,
  type RoomUser,
} from '../support/room-task.js';
import { DEAD_PROCESS } from './scratch-run.js';

let program: RoomProgram;
const scenes: RoomScene[] = [];
/** Where mounts are refused, the room is a copy, and tests of an overlay have nothing to test. */
const canMount = new Map<RoomUser, boolean>();

beforeAll(async () => {
  program = await RoomProgram.build();
  for (const user of ROOM_USERS) canMount.set(user, (await sceneOf(user).run({})).kind === 'overlay');
});
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.remove();
});
afterAll(() => program.remove());

function sceneOf(user: RoomUser, name?: string): RoomScene {
  const scene = new RoomScene(program, user, name);
  scenes.push(scene);
  return scene;
}

/** Everything in a folder: kinds, contents, permissions, times. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name);
    const stats = lstatSync(path, { bigint: true });
    hash.update(`${name}\0${stats.mode} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}\0`);
    if (stats.isFile()) hash.update(readFileSync(path));
    if (stats.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest('hex');
}

const CHANGED = [
  { path: 'test/kept.js', content: 'as it was\n' },
  { path: 'test/added.js' },
  { path: 'test/deleted/deep.js', content: 'deleted by the agent\n', mode: 0o100755 },
  { path: 'bin/runner', content: '../lib/runner.js', mode: 0o120000 },
];

/** A work tree in which the agent changed, added and deleted tests. */
function changedTree(user: RoomUser, name?: string): RoomScene {
  const scene = sceneOf(user, name);
  scene.write('src/code.js', 'code\n');
  scene.write('test/kept.js', 'weakened\n');
  scene.write('test/added.js', 'added\n');
  scene.write('bin/runner', 'a shim\n');
  scene.write('dist/old.js', 'old\n');
  scene.giveToUser();
  return scene;
}

const SHOW = 'cat test/kept.js test/deleted/deep.js; readlink bin/runner; ls test; test -x test/deleted/deep.js && pwd';
const SHOWN = 'as it was\ndeleted by the agent\n../lib/runner.js\ndeleted\nkept.js';

function expectNothingLeft(scene: RoomScene): void {
  expect(scene.left()).toEqual([]);
  expect(processesOfRun(ROOM_RUN)).toEqual([]);
  expect(mountedAnywhere(scene.folder)).toEqual([]);
}

describe.each(ROOM_USERS)('a clean room of %s', (user) => {
  const overlaid = (report: RoomReport) => {
    if (canMount.get(user)) expect(report).toMatchObject({ kind: 'overlay', isSamePath: true });
  };

  it('shows the files as they were, at the same path, and leaves the work tree untouched', async () => {
    const scene = changedTree(user);
    const before = digestOf(scene.tree);
    const writes =
      'echo x > src/code.js; rm -rf dist && mkdir dist && echo y > dist/new.js; rm test/kept.js; cat dist/*';
    const report = await scene.run({ putBack: CHANGED, command: `${SHOW}; ${writes}` });
    overlaid(report);
    expect(report).toMatchObject({ exitCode: 0, touched: ['test/kept.js'] });
    expect(report.output).toBe(`${SHOWN}${report.isSamePath ? `\n${scene.tree}` : ''}\ny`);
    expect(report.problem).toBeUndefined();
    expect(digestOf(scene.tree)).toBe(before);
    expectNothingLeft(scene);
  });

  it('shows the same in a copy', async () => {
    const scene = changedTree(user);
    const before = digestOf(scene.tree);
    const report = await scene.run({
      kind: 'copy',
      putBack: CHANGED,
      command: `${SHOW}; echo x > test/kept.js; rm -rf dist`,
    });
    expect(report).toMatchObject({ kind: 'copy', exitCode: 0, touched: ['test/kept.js'] });
    expect(report.output).toContain(SHOWN);
    if (canMount.get(user)) expect(report.output).toBe(`${SHOWN}\n${scene.tree}`);
    expect(digestOf(scene.tree)).toBe(before);
    expectNothingLeft(scene);
  });

  it.each([
    ['no program', undefined],
    ['a program that fails', '#!/bin/sh\necho "unshare failed: Operation not permitted" >&2\nexit 1\n'],
  ])('is a copy at another path where mounts are refused by %s', async (_, script) => {
    const scene = changedTree(user);
    const before = digestOf(scene.tree);
    const tools = join(scene.folder, 'tools');
    mkdirSync(tools);
    for (const name of ['cp', 'du', 'find', 'mount', 'setpriv']) symlinkSync(`/usr/bin/${name}`, join(tools, name));
    if (script !== undefined) writeFileSync(join(tools, 'unshare'), script, { mode: 0o755 });
    const report = await scene.run({ putBack: CHANGED, command: `${SHOW}; echo x > test/kept.js`, toolPath: tools });
    expect(report).toMatchObject({ kind: 'copy', isSamePath: false, exitCode: 0, touched: ['test/kept.js'] });
    expect(report.refusals?.join()).toMatch(script === undefined ? /no unshare/ : /Operation not permitted/);
    expect(report.output).toContain(SHOWN);
    expect(report.output).not.toContain(scene.tree);
    expect(digestOf(scene.tree)).toBe(before);
    expectNothingLeft(scene);
  });

  it('copies without any program of the system', async () => {
    const scene = changedTree(user);
    const report = await scene.run({ putBack: CHANGED, command: SHOW, toolPath: '/nowhere' });
    expect(report).toMatchObject({ kind: 'copy', isSamePath: false, exitCode: 0, touched: [] });
    expect(report.output).toContain(SHOWN);
  });

  it.each(['with spaces', 'a\nline', `"quotes' $(touch x) \`id\``, 'ünï→', '-rf', 'a,b:c\\d;e'])(
    'is found in a work tree named %j',
    async (name) => {
      const scene = changedTree(user, name);
      const report = await scene.run({
        putBack: [...CHANGED, { path: `-n ${name}/ä\n`, content: 'odd' }],
        command: `${SHOW} >&2; cat "./-n $(basename "$PWD")/ä\n"`,
      });
      overlaid(report);
      expect(report.output).toContain(SHOWN);
      expect(scene.read('test/kept.js')).toBe('weakened\n');
      expectNothingLeft(scene);
    },
  );

  it('is entered through a link to the work tree, and in a folder of it', async () => {
    const scene = changedTree(user);
    const link = join(scene.folder, 'link');
    symlinkSync(scene.tree, link);
    const report = await scene.run({
      workTree: link,
      cwd: join(link, 'test'),
      putBack: CHANGED,
      command: 'pwd; cat kept.js',
    });
    overlaid(report);
    expect(report.output?.split('\n').at(-1)).toBe('as it was');
    if (report.isSamePath) expect(report.output).toBe(`${link}/test\nas it was`);
  });

  it('does not follow a link that the agent put in place of a folder', async () => {
    const scene = changedTree(user);
    const outside = join(scene.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'added.js'), 'of another program\n');
    execFileSync('rm', ['-r', join(scene.tree, 'test')]);
    symlinkSync(outside, join(scene.tree, 'test'));
    chmodSync(outside, 0o777);
    for (const kind of [undefined, 'copy'] as const) {
      const report = await scene.run({ ...(kind && { kind }), putBack: [...CHANGED, { path: 'test' }], command: SHOW });
      expect(report.output).toContain(SHOWN);
      expect(readdirSync(outside)).toEqual(['added.js']);
    }
  });

  it('shows a file that the agent replaced by a folder', async () => {
    const scene = sceneOf(user);
    scene.write('settings/now/a', 'a folder now');
    const putBack = [{ path: 'settings', content: 'a file then' }, { path: 'settings/now/a' }];
    for (const kind of [undefined, 'copy'] as const) {
      expect((await scene.run({ ...(kind && { kind }), putBack, command: 'cat settings' })).output).toBe('a file then');
    }
  });

  it('keeps the permissions of folders, also of one that is read-only', async () => {
    const scene = changedTree(user);
    chmodSync(join(scene.tree, 'test'), 0o555);
    chmodSync(scene.tree, 0o751);
    const report = await scene.run({
      putBack: CHANGED,
      command: 'cat test/kept.js; stat -c %a . test src test/deleted',
    });
    chmodSync(join(scene.tree, 'test'), 0o755);
    overlaid(report);
    expect(report.output).toBe('as it was\n751\n555\n755\n755');
  });

  it('gives the command its own user and environment, and programs that mount nothing of it', async () => {
    const scene = changedTree(user);
    const env = {
      LD_PRELOAD: '/no/such/library.so',
      A: `it's "$A"\n\\`,
      name: 'n',
      IFS: ':',
      CI: '1',
      PAWL_CLAIM_KEY: 'secret',
      PS4: '$(touch x)',
    };
    const report = await scene.run({
      command: 'id -u; id -g; env | grep -c PAWL_ROOM; printf %s "$A|$name|$CI|$PS4|$PAWL_CLAIM_KEY|$PAWL_COOKIE"',
      env,
    });
    const ids = user === 'root' ? '0' : String(IS_ROOT ? 65_534 : process.getuid?.());
    const lines = report.output?.split('\n').filter((line) => !line.startsWith('ERROR: ld.so')) ?? [];
    expect(lines[0]).toBe(ids);
    expect(lines.slice(2).join('\n')).toBe(`0\nit's "$A"\n\\|n|1|$(touch x)||${ROOM_RUN}.1`);
    // The shell of the command, and what the command starts: id, id, env, grep.
    expect(report.output?.match(/cannot be preloaded/g)).toHaveLength(5);
  });

  it.each([
    ['writes it and sets it back', 'cp test/kept.js x; echo y > test/kept.js; cat x > test/kept.js'],
    ['deletes it', 'rm test/kept.js'],
    ['replaces it', 'echo y > x; mv x test/kept.js'],
    ['moves its folder away and back', 'cp -r test x; rm -r test; mv x test'],
  ])('reports a file that was put back when the command %s', async (_, command) => {
    const scene = changedTree(user);
    for (const kind of [undefined, 'copy'] as const) {
      const { touched } = await scene.run({ ...(kind && { kind }), putBack: CHANGED, command });
      expect(touched).toContain('test/kept.js');
      expect(touched).not.toContain('bin/runner');
    }
  });

  it('reports files that were put back when the command empties their folder', async () => {
    const scene = changedTree(user);
    const { touched } = await scene.run({
      putBack: CHANGED,
      command: 'rm -r test; mkdir test; echo x > test/added.js',
    });
    expect(touched).toEqual(['test/kept.js', 'test/added.js', 'test/deleted/deep.js']);
  });

  it('hides its own files from the command', async () => {
    const scene = changedTree(user);
    const command = `cat ${scene.scratch}/room-*/*/* 2>/dev/null || echo hidden; ls -l /proc/self/fd | grep -c status`;
    const report = await scene.run({ putBack: CHANGED, command });
    if (canMount.get(user)) expect(report.output).toBe('hidden\n0');
  });

  it('passes on how the command ended', async () => {
    const scene = changedTree(user);
    expect(await scene.run({ command: 'exit 7' })).toMatchObject({ cause: 'exit', exitCode: 7 });
    expect(await scene.run({ command: 'kill -SEGV $$' })).toMatchObject(
      canMount.get(user) ? { exitCode: 139 } : { signal: 'SIGSEGV' },
    );
  });

  it('ends a suite that hangs, with everything that it started', async () => {
    const scene = changedTree(user);
    const deaf = 'trap "" TERM; while :; do sleep 0.1; done';
    const report = await scene.run({ command: `(setsid env -i sh -c 'trap "" TERM; echo hangs; ${deaf}' &); ${deaf}` });
    expect(report).toMatchObject({ cause: 'timeout', survivors: [] });
    expectNothingLeft(scene);
  });

  it('asks a suite that hangs to end before it is killed', async () => {
    const scene = changedTree(user);
    const command = `trap 'echo cleared up; exit 3' TERM; echo hangs; while :; do sleep 0.05; done`;
    const report = await scene.run({ command, graceMs: 30_000 });
    expect(report).toMatchObject({ cause: 'timeout', output: expect.stringContaining('cleared up') });
  });

  it('is entered without a namespace of processes where /proc cannot be mounted', async () => {
    const scene = changedTree(user);
    const tools = join(scene.folder, 'tools');
    mkdirSync(tools);
    const mount =
      '#!/bin/sh\n[ "$2" != proc ] || { echo "mount: /proc: permission denied." >&2; exit 32; }\nexec /usr/bin/mount "$@"\n';
    writeFileSync(join(tools, 'mount'), mount, { mode: 0o755 });
    const report = await scene.run({
      putBack: CHANGED,
      command: `${SHOW}; setsid sleep 1000 & ls -d /proc/${process.pid}`,
      toolPath: `${tools}:/usr/sbin:/usr/bin:/sbin:/bin`,
    });
    overlaid(report);
    if (canMount.get(user)) expect(report.refusals).toEqual(['mount: /proc: permission denied.']);
    expect(report.output).toContain(SHOWN);
    expect(report.output).toContain(`/proc/${process.pid}`);
    expectNothingLeft(scene);
  });

  it('leaves nothing that a suite started in the background', async () => {
    const scene = changedTree(user);
    const report = await scene.run({
      command: 'setsid sh -c "while :; do echo x > src/code.js; done" & until grep -q x src/code.js; do :; done',
    });
    expect(report).toMatchObject({ cause: 'exit', exitCode: 0 });
    expect(scene.read('src/code.js')).toBe('code\n');
    expectNothingLeft(scene);
  });

  it('leaves nothing of a suite that makes folders unreadable', async () => {
    const scene = changedTree(user);
    await scene.run({ command: 'mkdir -p a/b/c; chmod 0 a/b; chmod 0 a' });
    expectNothingLeft(scene);
  });

  it('cannot be used on a path that leads out, or with a scratch folder in the work tree', async () => {
    const scene = changedTree(user);
    for (const path of ['../x', '/x', 'a/../../x', '', '.', 'a//b']) {
      expect((await scene.run({ putBack: [{ path, content: 'x' }], command: ':' })).unusable).toMatch(
        /is not a path in the work tree/,
      );
    }
    expect((await scene.run({ scratchDir: join(scene.tree, 'scratch'), command: ':' })).unusable).toMatch(
      /inside the work tree/,
    );
    expect((await scene.run({ workTree: join(scene.folder, 'gone'), command: ':' })).unusable).toMatch(/ENOENT/);
    expectNothingLeft(scene);
  });

  it('shows what git shows, and leaves the index of the repository and of a submodule as they were', async () => {
    const scene = sceneOf(user);
    const git = (folder: string, ...words: readonly string[]) =>
      execFileSync(
        'git',
        ['-c', 'user.name=a', '-c', 'user.email=a@localhost', '-c', 'protocol.file.allow=always', ...words],
        { cwd: folder, stdio: 'pipe' },
      );
    const library = join(scene.folder, 'library');
    mkdirSync(library);
    git(library, 'init', '-q');
    writeFileSync(join(library, 'test.js'), 'original\n');
    git(library, 'add', '.');
    git(library, 'commit', '-qm', 'one');
    git(scene.tree, 'init', '-q');
    git(scene.tree, 'submodule', '--quiet', 'add', library, 'library');
    git(scene.tree, 'commit', '-qm', 'one');
    scene.write('library/test.js', 'weakened\n');
    scene.giveToUser();
    const before = digestOf(scene.tree);
    const command = 'export HOME=$PWD/.git; git add -A && git status --porcelain && cat library/test.js';
    const report = await scene.run({ putBack: [{ path: 'library/test.js', content: 'original\n' }], command });
    expect(report).toMatchObject({ exitCode: 0, output: 'original' });
    expect(digestOf(scene.tree)).toBe(before);
  });

  it('notices when a process outside changes what was put back', async () => {
    const scene = changedTree(user);
    const go = join(scene.folder, 'go');
    const child = scene.start({
      putBack: CHANGED,
      command: `echo begun; until [ -e ${go} ]; do sleep 0.05; done; exit 1`,
    });
    const lines: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    while (!lines.join('').includes('begun')) await pause(10);
    const room = join(scene.scratch, scene.left().find((name) => /^room-\w+$/.test(name)) ?? '');
    expect(lstatSync(room).mode & 0o777).toBe(0o700);
    const isLayer = canMount.get(user);
    const file = join(room, isLayer ? 'then' : 'copy', 'test/kept.js');
    writeFileSync(file, 'changed from outside\n');
    writeFileSync(file, 'as it was\n');
    writeFileSync(go, '');
    await new Promise((resolve) => child.once('close', resolve));
    const report = JSON.parse(lines.join('').trim().split('\n').at(-1) ?? '') as RoomReport;
    if (isLayer) expect(report.problem).toMatch(/a process outside the clean room changed its files/);
    else expect(report.touched).toEqual(['test/kept.js']);
  });

  it('removes what a process that was killed has left, and nothing of a process that lives', async () => {
    const scene = changedTree(user);
    const rooms = { dead: 'room-00000000000000aa', live: 'room-00000000000000bb', other: 'room-00000000000000cc' };
    for (const room of Object.values(rooms)) mkdirSync(join(scene.scratch, room, 'run', 'work'), { recursive: true });
    mkdirSync(join(scene.scratch, rooms.dead, 'run', 'work', 'work'), { mode: 0 });
    writeFileSync(join(scene.scratch, `${rooms.dead}.json`), JSON.stringify(DEAD_PROCESS));
    writeFileSync(join(scene.scratch, `${rooms.live}.json`), JSON.stringify(ownIdentity()));
    writeFileSync(join(scene.scratch, `${rooms.other}.json`), JSON.stringify({ ...DEAD_PROCESS, host: 'elsewhere' }));
    scene.giveToUser();
    await scene.run({ command: ':' });
    expect(scene.left().filter((name) => !name.endsWith('.json'))).toEqual([rooms.live, rooms.other]);
    expect(existsSync(join(scene.scratch, `${rooms.dead}.json`))).toBe(false);
  });

  it('is described without a work tree', async () => {
    const scene = sceneOf(user);
    if (canMount.get(user)) {
      const as = user === 'root' ? 'root' : 'user-namespace';
      expect(await scene.run({})).toEqual({ kind: 'overlay', isSamePath: true, as, refusals: [] });
    }
    const copy = await scene.run({ toolPath: '/nowhere' });
    expect(copy).toMatchObject({ kind: 'copy', isSamePath: false, refusals: [expect.stringMatching(/no unshare/)] });
    expectNothingLeft(scene);
  });

  /** Runs the program with something mounted that only it sees. */
  const mounted = (script: string, ...words: readonly string[]) => [
    'unshare',
    ...(user === 'root' ? [] : ['--user', '--map-root-user']),
    '--mount',
    'sh',
    '-ec',
    `${script}\nshift ${words.length}; exec "$@"`,
    'sh',
    ...words,
  ];
  const itMounts = it.skipIf(!IS_ROOT && process.platform !== 'linux');

  itMounts('says that the disk was full, and not that the tests fail', async () => {
    const scene = changedTree(user);
    const small = mounted('mount -t tmpfs -o size=3m,mode=700 none "$1"', scene.scratch);
    const fill = 'head -c 20000000 /dev/zero > big || { echo "not ok 1"; exit 1; }';
    const report = await scene.run({ putBack: CHANGED, command: fill }, small);
    overlaid(report);
    expect(report).toMatchObject({ exitCode: 1, problem: expect.stringMatching(/the disk of .* was full/) });
  });

  itMounts('cannot be used when the disk is full before it is made', async () => {
    const scene = changedTree(user);
    const full = mounted(
      'mount -t tmpfs -o size=1m,mode=700 none "$1"; head -c 2000000 /dev/zero >"$1/x" 2>/dev/null || :',
      scene.scratch,
    );
    const putBack = [{ path: 'test/kept.js', content: 'x'.repeat(100_000) }];
    expect((await scene.run({ putBack, command: ':' }, full)).unusable).toMatch(/ENOSPC/);
    const copy = await scene.run(
      { kind: 'copy', command: ':' },
      mounted('mount -t tmpfs -o size=1m none "$1"', scene.scratch),
    );
    expect(copy.unusable).toMatch(/a copy of the work tree takes \d+ MB, and 0 MB can be used/);
  });

  itMounts('holds what the command writes in memory where the scratch folder is an overlay itself', async () => {
    const scene = changedTree(user);
    const layers = ['lower', 'upper', 'work'].map((name) => join(scene.folder, 'layers', name));
    for (const layer of layers) mkdirSync(layer, { recursive: true });
    if (user !== 'root' && IS_ROOT) execFileSync('chown', ['-R', '65534:65534', join(scene.folder, 'layers')]);
    const options = user === 'root' ? 'rw' : 'userxattr';
    const over = mounted(
      `mount -t overlay -o "${options},lowerdir=$2,upperdir=$3,workdir=$4" overlay "$1"`,
      scene.scratch,
      ...layers,
    );
    const report = await scene.run(
      { putBack: CHANGED, command: `${SHOW}; echo x > test/kept.js; rm -rf dist; mkdir dist` },
      over,
    );
    overlaid(report);
    expect(report).toMatchObject({ exitCode: 0, output: `${SHOWN}\n${scene.tree}`, touched: ['test/kept.js'] });
    const full = await scene.run(
      { command: 'head -c 20000000 /dev/zero > big || exit 1', memoryBytes: 3_000_000 },
      over,
    );
    expect(full).toMatchObject({
      exitCode: 1,
      problem: expect.stringMatching(/the memory for the clean room was full/),
    });
  });

  itMounts('covers a work tree that is a mount, and copies one that has mounts in it', async () => {
    const scene = changedTree(user);
    const own = mounted('mount --bind "$1" "$1"', scene.tree);
    const isMount = await scene.run({ putBack: CHANGED, command: SHOW }, own);
    overlaid(isMount);
    expect(isMount.output).toContain(SHOWN);
    scene.write('data/empty', '');
    const nested = mounted('mount -t tmpfs none "$1"; echo there > "$1/file"', join(scene.tree, 'data'));
    const report = await scene.run({ putBack: CHANGED, command: `${SHOW}; cat data/file; echo x > data/file` }, nested);
    expect(report).toMatchObject({ kind: 'copy', isSamePath: true, output: `${SHOWN}\n${scene.tree}\nthere` });
    expect(report.refusals?.[0]).toBe(`${scene.tree}/data is a mount in the work tree`);
  });

  it.runIf(ALL)(
    'is entered in less than a second on 50,000 files',
    async () => {
      const scene = changedTree(user);
      for (let folder = 0; folder < 500; folder += 1) {
        const path = join(scene.tree, 'node_modules', `p${folder}`);
        mkdirSync(path, { recursive: true });
        for (let file = 0; file < 100; file += 1) writeFileSync(join(path, `${file}.js`), 'x');
      }
      scene.giveToUser();
      const reports: RoomReport[] = [];
      for (let time = 0; time < 3; time += 1) reports.push(await scene.run({ putBack: CHANGED, command: SHOW }));
      for (const report of reports) overlaid(report);
      const fastestMs = Math.min(...reports.map(({ openMs = 0, durationMs = 0 }) => openMs + durationMs));
      if (canMount.get(user)) expect(fastestMs).toBeLessThan(1000);
    },
    600_000,
  );
});

describe.runIf(IS_ROOT)('files of others', () => {
  it('that an ordinary user can write make a copy of the work tree, still at its path', async () => {
    const scene = changedTree('an ordinary user');
    const shared = join(scene.tree, 'shared.log');
    writeFileSync(shared, 'of root\n');
    chmodSync(shared, 0o666);
    const report = await scene.run({ putBack: CHANGED, command: `${SHOW}; echo more >> shared.log; cat shared.log` });
    if (!canMount.get('an ordinary user')) return;
    expect(report).toMatchObject({ kind: 'copy', isSamePath: true, output: `${SHOWN}\n${scene.tree}\nof root\nmore` });
    expect(report.refusals).toEqual([`${shared} belongs to another user or group`]);
    expect(readFileSync(shared, 'utf8')).toBe('of root\n');
  });

  it('that an ordinary user can only read, or not even that, change nothing', async () => {
    const scene = changedTree('an ordinary user');
    scene.write('secret', 'of root\n');
    scene.write('readable', 'of root\n');
    chmodSync(join(scene.tree, 'secret'), 0o600);
    const report = await scene.run({ command: 'cat readable; cat secret 2>/dev/null || echo refused' });
    if (canMount.get('an ordinary user')) expect(report.kind).toBe('overlay');
    expect(report.output).toBe('of root\nrefused');
    expect(await scene.run({ kind: 'copy', command: 'cat readable; ls' })).toMatchObject({ exitCode: 0 });
  });

  it('keep their owner when root puts them back', async () => {
    const scene = changedTree('root');
    for (const path of ['test', 'test/kept.js']) chownSync(join(scene.tree, path), 1234, 1235);
    for (const kind of [undefined, 'copy'] as const) {
      const report = await scene.run({
        ...(kind && { kind }),
        putBack: CHANGED,
        command: "stat -c '%u:%g' test test/kept.js test/deleted .",
      });
      expect(report.output).toBe('1234:1235\n1234:1235\n1234:1235\n0:0');
    }
  });
});
