/** A prompt, a file condition and a restore stay where they belong, whatever links lie in the tree. */
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  existsSync,
  mkdirSync,
  renameSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/iteration/prompt.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('escape');
});
afterAll(() => cli.remove());

describe('a prompt', () => {
  it('includes nothing: no file, no variable, no command, whatever it is written like', () => {
    const values = {
      iteration: '1',
      max_iterations: '2',
      feedback: '{{iteration}}',
      left: '',
      failing_tests: '',
      last_summary: '',
    };
    const template =
      '{{include:/etc/passwd}} @/etc/passwd {{file "x"}} $HOME $(id) `id` <<file>> {{env.HOME}} {{feedback}}';
    expect(renderPrompt(template, values, {}).prompt).toBe(template.replace('{{feedback}}', '{{iteration}}'));
  });
});

describe('a restore', { timeout: 120_000 }, () => {
  it('through a folder that was exchanged for a link leaves what lies outside alone', async () => {
    const project = new CliProject(cli, { agent: 'mkdir -p sub; echo "$RANDOM" >sub/file; echo x >>kept' });
    project.write('sub/file', 'first');
    const run = ['run', '-p', 'Go.', '--max-iterations', '1', '--delay', '0', '--quiet', '--', './agent.sh'];
    expect((await project.pawl(...run)).status).toBe(3);
    const outside = join(project.home, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'precious');
    renameSync(join(project.path, 'sub'), join(project.path, 'moved'));
    symlinkSync(outside, join(project.path, 'sub'));
    await project.pawl('restore', '0', '--force');
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('precious');
  });

  it('never writes or removes through a link that the agent made', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-outside-')));
    try {
      writeFileSync(join(folder, 'victim'), 'precious');
      const project = new CliProject(cli, { agent: `rm -rf sub; ln -s ${folder} sub; ln -s ${folder}/victim link` });
      project.write('sub/victim', 'of the project');
      project.write('kept', 'x');
      expect(
        (await project.pawl('run', '-p', 'Go.', '--max-iterations', '1', '--delay', '0', '--quiet', '--', './agent.sh'))
          .status,
      ).toBe(3);
      expect((await project.pawl('restore', '0', '--force')).status).toBe(0);
      expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
      expect(project.read('sub/victim')).toBe('of the project');
      expect(existsSync(join(project.path, 'link'))).toBe(false);
      expect((await project.pawl('restore', '1', '--force')).status).toBe(0);
      expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
