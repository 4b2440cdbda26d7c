/** Goals without tests on the command line: what every view says of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('goals');
});
afterAll(() => cli.remove());

/** As one line: where a terminal breaks it says nothing. */
const flat = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
  `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ');

const RUN = ['run', '-p', 'go', '--delay', '0s', '--quiet'];

describe('a list of boxes', () => {
  it('is a goal of --until, and every view shows how far it is and whose list it is', async () => {
    const project = new CliProject(cli, { agent: "sed -i '0,/\\[ \\]/s//[x]/' PLAN.md" });
    project.write('PLAN.md', '- [ ] a\n- [ ] b\n- [ ] c\n');
    const until = ['--until', 'checklist_done: PLAN.md'];
    const part = await project.pawl(...RUN, ...until, '--max-iterations', '2', '--', './agent.sh');
    expect(part.status).toBe(3);
    expect(flat(await project.pawl('status'))).toMatch(/checklist +PLAN\.md: 2 of 3 boxes \(the agent's own list\)/);
    expect((await project.pawl('explain')).stdout).toContain('2 of 3 boxes in PLAN.md are checked (left: c)');
    const json = JSON.parse((await project.pawl('status', '--json')).stdout);
    expect(json.goals).toMatchObject([{ kind: 'checklist', name: 'PLAN.md', checked: 2, total: 3 }]);
    expect(await project.pawl('resume', '--max-iterations', '5', '--quiet')).toMatchObject({ status: 0 });
    const done = flat(await project.pawl('status'));
    expect(done).toMatch(/\b3 boxes .*PLAN\.md .*the agent's own/);
    expect(done).toMatch(/trusted +the goal rests only on what the agent said/);
    const bare = await project.pawl('export', '--format', 'jsonl', '--no-output-text');
    expect(bare.stdout).toContain('"boxes"');
    expect(bare.stdout).not.toContain('"open"');
  });

  it('pawl check warns that it is not verified, and of a path outside', async () => {
    const project = new CliProject(cli, { agent: 'true' });
    project.write(
      'pawl.yaml',
      'agent: { command: ./agent.sh }\nprompt: go\nstop: { success: [checklist_done: ../PLAN.md] }\n',
    );
    const checked = flat(await project.pawl('check'));
    expect(checked).toMatch(/not verified.*agent/);
    expect(checked).toContain('is outside the working directory');
  });
});

describe('a metric', () => {
  it('with keep_best ends with the best files, and the command that it prints brings the last ones back', async () => {
    const agent =
      'n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n; case $n in 1) echo 300;; 2) echo 200;; *) echo 500;; esac > p95';
    const project = new CliProject(cli, { agent });
    project.write('p95', '400\n');
    const goal = 'metric: { command: cat p95, better: lower, target: 100, patience: 2, keep_best: true }';
    const ran = await project.pawl(...RUN, '--until', goal, '--', './agent.sh');
    expect(ran.status).toBe(4);
    expect([project.read('n'), project.read('p95')]).toEqual(['2\n', '200\n']);
    const stdout = flat(await project.pawl('status'));
    expect(stdout).toMatch(/"cat p95" .*\b2 iterations/);
    expect(stdout).toMatch(/metric +"cat p95": 500, .*200 in iteration 2, 400 at the start/);
    expect(stdout).toMatch(/best files .*after iteration 2\b/);
    const words = /pawl (restore \S+ --to [0-9a-f]+)/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect(await project.pawl(...words)).toMatchObject({ status: 0 });
    expect([project.read('n'), project.read('p95')]).toEqual(['4\n', '500\n']);
    expect((await project.pawl('show')).stdout).toContain('(the best result)');
    expect((await project.pawl('replay')).status).toBe(0);
    expect((await project.pawl('explain')).stdout).toContain('has not improved');
  });

  it('pawl check shows all of the command, and refuses keep_best without snapshots', async () => {
    const project = new CliProject(cli, { agent: 'true' });
    const command = `cat p95 ${'#'.repeat(60)} and more`;
    const config = (more: string) =>
      `agent: { command: ./agent.sh }\nprompt: go\n${more}stop: { success: [metric: { command: "${command}", better: lower, target: 1, keep_best: true }] }\n`;
    project.write('pawl.yaml', config(''));
    expect((await project.pawl('check')).stdout.replaceAll(/\s+/g, ' ')).toContain('and more');
    project.write('pawl.yaml', config('track_file_changes: false\n'));
    const refused = await project.pawl('check');
    expect(refused.status).toBe(2);
    expect(`${refused.stdout}${refused.stderr}`.replaceAll(/\s+/g, ' ')).toMatch(/keep_best .*track_file_changes/);
  });
});

describe('pawl init in a project with a list', () => {
  it.each(['PLAN.md', 'TODO.md', 'fix_plan.md'])(
    'with --yes leaves %s alone, and says how to make it the goal',
    async (name) => {
      const project = new CliProject(cli, { agent: 'true' });
      project.write(name, '- [x] a\n- [ ] b\n');
      const { stdout, stderr } = await project.pawl('init', '--yes');
      expect(stderr + stdout).toMatch(new RegExp(`${name} has 1 open box.*stop\\.success`));
      expect(project.read('pawl.yaml')).not.toContain('checklist_done');
    },
  );

  it('says nothing of a list without open boxes', async () => {
    const project = new CliProject(cli, { agent: 'true' });
    project.write('PLAN.md', '- [x] a\n');
    const { stdout, stderr } = await project.pawl('init', '--yes');
    expect(stderr + stdout).not.toContain('open box');
  });
});
