import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFileJournal } from '../../src/journal/open-file-journal.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('many-runs');
});
afterAll(() => cli.remove());

const MANY = process.env['PAWL_TEST_ALL'] === '1' ? 1000 : 300;

it(`${MANY} runs are listed without opening a journal`, async () => {
  const project = new CliProject(cli, { hasGit: false });
  const pipes: string[] = [];
  for (let run = 0; run < MANY; run += 1) {
    const journal = createFileJournal({ workingDir: project.path, environment: project.env });
    journal.append({ type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] }, 1);
    // oxlint-disable-next-line no-await-in-loop -- one run per tree
    await journal.close();
    const path = join(project.path, '.ralph', 'runs', journal.runId, 'journal.jsonl');
    rmSync(path);
    pipes.push(path);
  }
  // Whoever opens one of these waits for ever.
  execFileSync('mkfifo', pipes);
  const listed = await project.pawl('list', '--json');
  expect(listed).toMatchObject({ status: 0, stderr: '' });
  const runs = JSON.parse(listed.stdout) as { status: string }[];
  expect(runs).toHaveLength(MANY);
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['stopped']));
  expect((await project.pawl('list')).stdout.split('\n')).toHaveLength(MANY + 2);
});
