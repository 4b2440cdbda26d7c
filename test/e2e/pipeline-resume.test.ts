/** The built command: what a pipeline that goes on keeps of how it was begun, and what it asks about. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('pipeline-resume');
});
afterAll(() => cli.remove());

function projectWith(manifest: string): CliProject {
  const project = new CliProject(cli, { hasGit: false });
  project.env['PAWL_TRUST'] = '1';
  project.write('pipeline.yaml', manifest);
  return project;
}

const linesOf = (project: CliProject, name: string) =>
  readFileSync(join(project.path, name), 'utf8').trimEnd().split('\n');

describe('a limit that was given by a flag', () => {
  const SIX = `items: [a, b, c, d, e, f]\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made' }\n`;

  it('is no change of the manifest, and holds until it is raised', async () => {
    const project = projectWith(SIX);
    const run = await project.pawl('pipeline', 'run', '--max-iterations', '2');
    expect(run.stdout).toContain('2 of 2 attempts');
    const again = await project.pawl('pipeline', 'run', '--resume');
    expect(again).toMatchObject({ status: 2 });
    expect(again.stderr).toContain('limits[0]: 2 of 2 attempts');
    expect(again.stderr).not.toContain('stop.limits');
    await project.pawl('pipeline', 'run', '--resume', '--max-iterations', '4');
    expect(linesOf(project, 'made')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('stays when the manifest is accepted anew', async () => {
    const project = projectWith(SIX);
    await project.pawl('pipeline', 'run', '--max-iterations', '2');
    project.write('pipeline.yaml', SIX.replace('[a,', '[new, a,'));
    const refused = await project.pawl('pipeline', 'run', '--resume', '--accept-manifest');
    expect(refused.stderr).toContain('2 of 2 attempts');
    expect(linesOf(project, 'made')).toEqual(['a', 'b']);
  });
});

describe('an item that is processed again', () => {
  const manifest = (size: number) =>
    `items: [{ id: a, size: ${size} }]\ngenerate: { command: 'echo "$PAWL_ITEM_SIZE" >> made' }\n`;

  it('is asked about when it is another one now, and recorded as it is then', async () => {
    const project = projectWith(manifest(1));
    expect((await project.pawl('pipeline', 'run')).stdout).toContain('the only item approved');
    project.write('pipeline.yaml', manifest(2));
    const refused = await project.pawl('pipeline', 'run', '--resume', '--redo', 'a');
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain('~ items changed: "a"');
    expect(await project.pawl('pipeline', 'run', '--resume', '--redo', 'a', '--accept-manifest')).toMatchObject({
      status: 0,
    });
    expect(await project.pawl('pipeline', 'run', '--resume', '--redo', 'a')).toMatchObject({ status: 0 });
    expect(linesOf(project, 'made')).toEqual(['1', '2', '2']);
  });
});

describe('an item that leaves the manifest and comes back', () => {
  it('is not made again when it was approved, and is counted once', async () => {
    const manifest = (items: string) =>
      `items: [${items}]\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made; [ "$PAWL_ITEM_ID" = a ] || [ -e fixed ]' }
retry: { max_attempts: 1, stop_conditions: { max_consecutive_fails: 2, max_reject_rate: 1 } }\n`;
    const project = projectWith(manifest('a, b, c, d'));
    await project.pawl('pipeline', 'run');
    project.write('fixed', '');
    project.write('pipeline.yaml', manifest('z, b, c'));
    await project.pawl('pipeline', 'run', '--resume', '--accept-manifest');
    project.write('pipeline.yaml', manifest('a, b, c, d'));
    const back = await project.pawl('pipeline', 'run', '--resume');
    expect(back.stderr).toContain('+ items named again: "a", "d"');
    const { stdout } = await project.pawl('pipeline', 'run', '--resume', '--accept-manifest');
    expect(linesOf(project, 'made')).toEqual(['a', 'b', 'c', 'z', 'd']);
    expect(stdout).toContain('3 approved, 0 rejected, 2 failed, 0 left of 5');
  });
});

describe('a budget with many at a time', () => {
  it('cuts no more than one short when all cost the same', async () => {
    const usage = '{"pawl":"usage","cost_usd":0.3,"input_tokens":1,"output_tokens":1}';
    const project = projectWith(`items: [a, b, c, d, e, f, g, h]
generate: { command: 'sleep 0.1; echo ''${usage}''; sleep 0.7' }
concurrency: 4
limits: [{ max_cost: 2 }]
`);
    const { stdout } = await project.pawl('pipeline', 'run');
    expect(stdout).toMatch(/^Budget reached .*\$2\.10 of \$2\.00/m);
    expect(stdout).toContain('6 approved, 0 rejected, 0 failed, 2 left of 8');
  });
});
