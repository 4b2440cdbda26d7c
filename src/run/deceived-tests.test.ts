/** Code under test that knows its tests, or keeps them from failing: the original tests are run so that it cannot. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CONFIRMED, NODE, originalsScene, rejected, type Write } from '../../test/support/play-originals.js';

const { base, temporary, play } = originalsScene();

describe('a test that must fail', () => {
  it('costs no further run of the tests, and leaves nothing behind', async () => {
    const work = (write: Write) => write('sum.mjs', 'export const sum = (a, b) => a + b;\n');
    const { end, runs, read, state } = await play([work], CONFIRMED, {}, NODE);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(3);
    expect(read('test/sum.test.mjs')).toBe(NODE['test/sum.test.mjs']);
    expect(state.latest.observation.tests).toMatchObject({ passed: 1, failed: 0 });
  });

  it('is in each file with a red test, and none of them is taken for a failure', async () => {
    const twice = { ...NODE, 'test/more.test.mjs': NODE['test/sum.test.mjs'] };
    const work = (write: Write) => write('sum.mjs', 'export const sum = (a, b) => a + b;\n');
    const { end, state } = await play([work], CONFIRMED, {}, twice);
    expect(end).toMatchObject({ class: 'goal' });
    expect(state.iterations).toBe(1);
  });

  it('of a runner that stops at the first failure confirms nothing, and refuses nothing', async () => {
    const start = { ...NODE, 'test/z.test.mjs': "import { test } from 'node:test';\n\ntest('is there', () => {});\n" };
    const work = (write: Write) => write('sum.mjs', 'export const sum = (a, b) => a + b;\n');
    const tests = 'node --test test/sum.test.mjs && node --test test/z.test.mjs';
    const { end, runs } = await play([work], { ...CONFIRMED, tests }, {}, start);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(4);
  });

  it('that breaks the run costs no more where tests changed: the original tests are the second run', async () => {
    const work = (write: Write) => {
      write('sum.mjs', 'export const sum = (a, b) => a + b;\n');
      write('test/z.test.mjs', "import { test } from 'node:test';\n\ntest('is there', () => {});\n");
    };
    const tests = '! grep -rq mustfail test && node --test';
    const { end, runs, state } = await play([work], { ...CONFIRMED, tests }, {}, NODE);
    expect(end).toMatchObject({ class: 'goal' });
    expect(state.latest.observation.original?.changed).toEqual(['test/z.test.mjs']);
    // At the start, after the iteration, and the original tests: the one that breaks runs no test.
    expect(runs()).toBe(3);
  });

  it('in a room in which the red tests stay red leaves the result unknown, although nothing of the tests changed', async () => {
    // A process outside the room may swap files there; here the code itself tells the two apart.
    const elsewhere = (write: Write) =>
      write(
        'sum.mjs',
        "import { statfsSync } from 'node:fs';\n\nconst isRoom = statfsSync('.').type === 0x794c7630;\nexport const sum = (a, b) => (isRoom ? a - b : a + b);\n",
      );
    const { end, state } = await play([elsewhere], CONFIRMED, {}, NODE);
    expect(end).toMatchObject({ class: 'blocked' });
    expect(end?.reasons[0]?.message).toMatch(/not in the clean room/);
    expect(state.iterations).toBe(2);
  });

  it('shows that the code under test keeps the tests from failing', async () => {
    const cheat = (write: Write) =>
      write('sum.mjs', `import assert from 'node:assert';\n\nassert.strictEqual = () => {};\n${NODE['sum.mjs']}`);
    const { end } = await play([cheat], CONFIRMED, {}, NODE);
    expect(end).toMatchObject(rejected);
    expect(end?.reasons[0]?.message).toMatch(/they can no longer fail/);
  });
});

describe('what is in the temporary folder', () => {
  const cached = `import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

const known = () => {
  try {
    return Number(readFileSync(\`\${tmpdir()}/sum\`, 'utf8'));
  } catch {
    return 0;
  }
};
`;
  const start = { ...NODE, 'sum.mjs': `${cached}export const sum = (a, b) => known() || a - b;\n` };
  const leaveAnswer = () => writeFileSync(join(temporary, 'sum'), '3');
  afterEach(() => rmSync(join(temporary, 'sum'), { force: true }));

  it('refuses the goal when tests that were red pass only with it', async () => {
    const { end } = await play([leaveAnswer], CONFIRMED, {}, start);
    expect(end).toMatchObject(rejected);
    expect(end?.reasons[0]?.message).toMatch(
      /1 test .* passes only with what was left in the temporary folder or the home folder: adds/,
    );
  });

  it('refuses nothing when they pass without it, and what Pawl makes there is removed', async () => {
    const work = (write: Write) => {
      leaveAnswer();
      write('sum.mjs', `${cached}export const sum = (a, b) => known() || a + b;\n`);
    };
    const { end, runs } = await play([work], CONFIRMED, {}, start);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(3);
    expect(readdirSync(temporary).filter((name) => name.startsWith('pawl-tmp-'))).toEqual([]);
  });

  it('stays where a test that was green needs it', async () => {
    const needs = `import { test } from 'node:test';\nimport { readFileSync } from 'node:fs';\nimport { tmpdir } from 'node:os';\n
test('needs', () => void readFileSync(\`\${tmpdir()}/sum\`));\n`;
    leaveAnswer();
    const work = (write: Write) => write('sum.mjs', 'export const sum = (a, b) => a + b;\n');
    const { end } = await play([work], CONFIRMED, {}, { ...NODE, 'test/needs.test.mjs': needs });
    expect(end).toMatchObject({ class: 'goal' });
  });
});

describe('what was made in the home folder', () => {
  const known = `import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';

const file = \`\${homedir()}/.sums/known\`;
const known = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
`;
  const start = { ...NODE, 'sum.mjs': `${known}export const sum = (a, b) => known || a - b;\n` };
  const leaveAnswer = (write: Write) => write('../.sums/known', '3');
  afterEach(() => rmSync(join(base, '.sums'), { recursive: true, force: true }));

  it('refuses the goal when tests that were red pass only with it', async () => {
    const { end } = await play([leaveAnswer], CONFIRMED, {}, start);
    expect(end).toMatchObject(rejected);
    expect(end?.reasons[0]?.message).toMatch(
      /passes only with what was left in the temporary folder or the home folder/,
    );
  });

  it('refuses nothing when they pass without it, costs no run, and stays', async () => {
    const work = (write: Write) => {
      leaveAnswer(write);
      write('sum.mjs', `${known}export const sum = (a, b) => known || a + b;\n`);
    };
    const { end, runs } = await play([work], CONFIRMED, {}, start);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(3);
    expect(readFileSync(join(base, '.sums/known'), 'utf8')).toBe('3');
    expect(readdirSync(temporary).filter((name) => /^pawl-(?:tmp|home)-/.test(name))).toEqual([]);
  });
});

describe('code that asks whether tests are running', () => {
  it('refuses the goal when tests that were red pass only because of that', async () => {
    const cheat = (write: Write) =>
      write('sum.mjs', 'export const sum = (a, b) => (process.env.NODE_TEST_CONTEXT ? a + b : a - b);\n');
    const { end } = await play([cheat], CONFIRMED, {}, NODE);
    expect(end).toMatchObject(rejected);
    expect(end?.reasons[0]?.message).toMatch(/only because sum.mjs:1 asks whether tests are running: .*\badds\b/);
  });

  it('refuses nothing when they pass without that, and costs one run', async () => {
    const work = (write: Write) =>
      write('sum.mjs', 'const label = process.env.CI ? "ci" : "";\nexport const sum = (a, b) => a + b;\n');
    const { end, runs } = await play([work], CONFIRMED, {}, NODE);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(4);
  });

  it('costs none where tests changed: the original tests run with that code', async () => {
    const work = (write: Write) => {
      write('sum.mjs', 'const label = process.env.CI ? "ci" : "";\nexport const sum = (a, b) => a + b;\n');
      write('test/z.test.mjs', "import { test } from 'node:test';\n\ntest('is there', () => {});\n");
    };
    const { end, runs } = await play([work], CONFIRMED, {}, NODE);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(4);
  });
});

describe('code that reads its tests', () => {
  const reads = `import { readFileSync } from 'node:fs';

const known = /sum\\(1, 2\\), (\\d)/.exec(readFileSync('test/sum.test.mjs', 'utf8'));
`;
  const start = { ...NODE, 'sum.mjs': `${reads}export const sum = (a, b) => a - b;\n` };

  it('refuses the goal when tests that were red pass only because of that, and names the line', async () => {
    const cheat = (write: Write) => write('sum.mjs', `${reads}export const sum = () => Number(known[1]);\n`);
    const { end, agent } = await play([cheat], CONFIRMED, {}, NODE);
    expect(end).toMatchObject(rejected);
    const message = /1 test that failed before passes only because sum.mjs:3 reads or writes tests: .*\badds\b/;
    expect(end?.reasons[0]?.message).toMatch(message);
    expect(agent.tasks[1]?.prompt).toMatch(message);
  });

  it('as it did at the start refuses nothing, and costs no run', async () => {
    const work = (write: Write) => write('sum.mjs', `${reads}export const sum = (a, b) => a + b;\n`);
    const { end, runs } = await play([work], CONFIRMED, {}, start);
    expect(end).toMatchObject({ class: 'goal' });
    expect(runs()).toBe(3);
  });

  it('and passes them without that refuses nothing', async () => {
    const work = (write: Write) =>
      write('sum.mjs', "export const path = 'test/sum.test.mjs';\nexport const sum = (a, b) => a + b;\n");
    const { end } = await play([work], CONFIRMED, {}, NODE);
    expect(end).toMatchObject({ class: 'goal' });
  });
});
