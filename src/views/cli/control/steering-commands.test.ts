import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { LoopRunner } from '../../../run/run-handle.js';
import { scriptedAgent } from '../../../testing/scripted-agent.js';
import { runProgram } from '../program.js';

let folder = '';
let runId = '';
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-steering-')));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'nothing'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  const runner = new LoopRunner(
    { workingDir: folder, prompt: 'go', maxIterations: 1, trackFileChanges: false },
    { agent: scriptedAgent([{}]), control: false },
  );
  runId = runner.id;
  await runner.run();
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function pawl(...words: string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runProgram([...words, '--cwd', folder], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

describe('a text without quotes', () => {
  it('is not taken for a run and its text: the quotes are named', async () => {
    expect(await pawl('steer', 'hello', 'there')).toEqual({
      exitCode: 2,
      out: '',
      err: expect.stringMatching(/"hello".*quotes.*pawl steer 'hello there'\n$/),
    });
    expect((await pawl('reject', 'only', 'the', 'docs')).err).toContain("pawl reject 'only the docs'");
    expect((await pawl('steer', runId, 'mind', 'the gap')).err).toContain(`pawl steer ${runId} 'mind the gap'\n`);
  });

  it('a text in quotes after an id that there is not is about the id', async () => {
    expect((await pawl('steer', '01ZZZZZZ', 'mind the gap')).err).toMatch(/^there is no run "01ZZZZZZ" in /);
  });

  it('a text that a printed command has in place of the words of the user is refused', async () => {
    for (const text of ['<your answer>', '‹what is wrong›', ' <what to do differently> '])
      expect(await pawl('reject', text)).toMatchObject({ exitCode: 2, err: expect.stringContaining('your own words') });
    expect((await pawl('reject', '<div>')).err).not.toContain('your own words');
  });

  it('an id alone is a run whose text is missing', async () => {
    expect((await pawl('steer', runId.slice(0, 14))).err).toContain('is missing');
  });
});

describe('the beginning of an id', () => {
  it.each(['loop_', 'LOOP_', 'lo', ''])(
    'that every id has means no run, even where there is one only: %j',
    async (word) => {
      const { exitCode, err } = await pawl('stop', word);
      expect({ exitCode, err }).toEqual({
        exitCode: 2,
        err: expect.stringMatching(new RegExp(`^${JSON.stringify(word)} .*id\\b.*latest run\\n$`)),
      });
    },
  );

  it('that tells something is enough', async () => {
    expect((await pawl('stop', runId.slice(0, 9))).err).toContain('is not running (iteration limit)');
  });
});

describe('extend', () => {
  it('promises no way to have no limit, and gives none', async () => {
    const { out } = await pawl('extend', '--help');
    expect(out).toContain('stop after this many iterations');
    expect(out).not.toMatch(/for no\s+limit/);
    expect(await pawl('extend', '--max-iterations', '0')).toMatchObject({ exitCode: 2 });
    expect((await pawl('run', '--help')).out).toMatch(/0 for no\s+limit/);
  });
});
