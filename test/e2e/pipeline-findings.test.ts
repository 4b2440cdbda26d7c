/** The built command: what a person who meets a pipeline for the first time relies on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('pipeline-findings');
});
afterAll(() => cli.remove());

function projectWith(manifest: string): CliProject {
  const project = new CliProject(cli, { hasGit: false });
  project.env['PAWL_TRUST'] = '1';
  project.write('pipeline.yaml', manifest);
  return project;
}

describe('a run that was halted when every item was final', () => {
  it('names a command that goes on, and passes by the loop that came after it', async () => {
    const project = projectWith(
      `items: [a, r]\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made' }\naudit: 'test -e fixed || test "$PAWL_ITEM_ID" = a || exit 10'\n`,
    );
    const { stderr } = await project.pawl('pipeline', 'run', '--json');
    const { hint } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}') as { hint: string };
    expect(hint).toMatch(/^pawl pipeline run --resume pipe_\w+ --redo r$/);
    const loop = await project.pawl('run', '-p', 'x', '--agent', 'command', '--max-iterations', '1', '--', 'true');
    expect(loop.stdout).toContain('loop_');
    project.write('fixed', '');
    const words = hint.split(' ').slice(1);
    const { stdout } = await project.pawl(...words, '--dry-run');
    expect(stdout).toMatch(/^run pipe_\w+ .*: 1 of 2 items/);
    expect(stdout).toMatch(/\n {2}r\n$/);
    expect(await project.pawl('pipeline', 'run', '--resume', '--redo', 'r')).toMatchObject({ status: 0 });
    expect(project.read('made')).toBe('a\nr\nr\n');
  });
});

describe('an output that is a link', () => {
  it('is never put into its place', async () => {
    const project = projectWith(
      `items: [a]\ngenerate: { command: 'ln -s /etc/passwd "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }\nretry: { max_attempts: 1 }\n`,
    );
    expect((await project.pawl('pipeline', 'run')).stdout).toContain('OUTPUT_NO_FILE');
    expect(existsSync(join(project.path, 'out'))).toBe(false);
  });
});

describe('columns with ordinary names', () => {
  it('reach commands, prompts and outputs', async () => {
    const project = projectWith(`items: { file: rows.csv, id: file-name }
generate:
  agent: { command: ./agent.sh }
  prompt: Draw {{item.Alt Text}}
  output: out/{{item.file-name}}
audit: test "$PAWL_ITEM_GR__E" = 3 && grep -q 'Draw A duck' "$PAWL_OUTPUT"
`);
    project.write('rows.csv', 'file-name,Alt Text,größe\na.png,A duck,3\n');
    project.write('agent.sh', '#!/bin/sh\ncat > "$PAWL_OUTPUT"\n', 0o755);
    expect(await project.pawl('pipeline', 'run')).toMatchObject({ status: 0 });
    expect(readFileSync(join(project.path, 'out/a.png'), 'utf8')).toContain('Draw A duck');
  });
});

it('an agent that does not exist is found by check, with its line', async () => {
  const project = projectWith('items: [a]\ngenerate:\n  agent: { command: ./none.sh }\n  prompt: x\n');
  for (const words of [
    ['check', 'pipeline.yaml'],
    ['pipeline', 'run'],
  ]) {
    const { status, stderr } = await project.pawl(...words);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/pipeline\.yaml:3:\d+ .*none\.sh/) });
  }
});
