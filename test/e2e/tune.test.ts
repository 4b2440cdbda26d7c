/** `pawl tune` of the built command: what it recommends is what a config, a check and a replay make of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { plantedRuns } from '../support/tuned-runs.js';

const RUNS = 66;

let cli: BuiltCli;
let project: CliProject;

/** As mini-swe-agent records it. */
function trajectory(index: number): { readonly name: string; readonly text: string; readonly isGoal: boolean } {
  const run = plantedRuns(RUNS)[index];
  if (run === undefined) throw new Error('no such run');
  const messages = run.steps.flatMap(({ command, toolFailed }, step) => [
    {
      role: 'assistant',
      content: `next\n\n\`\`\`bash\n${command}\n\`\`\``,
      extra: {
        response: {
          id: `${index}-${step}`,
          model: 'some/model',
          created: 1_763_510_516 + step * 30,
          usage: { prompt_tokens: 1000, completion_tokens: 100, cost: 0.05 },
        },
      },
    },
    { role: 'user', content: `<returncode>${toolFailed === true ? 1 : 0}</returncode>\n<output>\nx\n</output>` },
  ]);
  const prompt = { role: 'user', content: `Repair ${index}` };
  const info = {
    exit_status: 'Submitted',
    model_stats: { instance_cost: run.steps.length * 0.05, api_calls: run.steps.length },
  };
  return { name: run.name, isGoal: run.isGoal, text: JSON.stringify({ info, messages: [prompt, ...messages] }) };
}

beforeAll(async () => {
  cli = new BuiltCli('tune');
  project = new CliProject(cli);
  const runs = Array.from({ length: RUNS }, (_, index) => trajectory(index));
  for (const { name, text } of runs) project.write(`runs/${name}.traj.json`, text);
  const labels = runs.map(({ name, isGoal }) => `${name},${isGoal ? 'resolved' : 'unresolved'}`);
  project.write('labels.csv', `run,label\n${labels.slice(0, 40).join('\n')}\n`);
  project.write('all.csv', `run,label\n${labels.join('\n')}\n`);
  await project.pawl('import', 'runs', '--labels', 'labels.csv');
});
afterAll(() => cli.remove());

interface Point {
  readonly tried: { readonly above?: number };
  readonly inSample: { readonly savedShare: number };
}

describe('pawl tune', () => {
  it('says that too few runs are labelled, and recommends nothing', async () => {
    const { status, stdout } = await project.pawl('tune');
    expect(status).toBe(5);
    expect(stdout).toMatch(/40 labelled runs of 40 tasks/);
    expect(stdout).toMatch(/26 runs without a label left out/);
    expect(stdout).toMatch(/at least 50\s+labelled\s+runs/);
    expect(stdout).not.toMatch(/stop:/);
  });

  it('recommends a block, a model and a picture, and a config with them stops runs where it said', async () => {
    await project.pawl('import', 'runs', '--labels', 'all.csv');
    const { status, stdout, stderr } = await project.pawl(
      'tune',
      '--out',
      'fail.json',
      '--svg',
      'frontier.svg',
      '--json',
    );
    expect([stderr, status]).toEqual(['', 0]);
    const tuning = JSON.parse(stdout) as { stop: string; used: number; recommended: Point; frontier: readonly Point[] };
    expect(project.read('frontier.svg')).toMatch(/^<svg .*<\/svg>\n$/s);

    const ofModel = tuning.frontier.find(({ tried }) => tried?.above !== undefined);
    const blocks: [string, Point | undefined][] = [
      [tuning.stop, tuning.recommended],
      [`stop:\n  failure:\n    - likely_to_fail: { model: fail.json, above: ${ofModel?.tried.above} }\n`, ofModel],
    ];
    for (const [block, point] of blocks) {
      project.write('tuned.yaml', block.replace(/(stop:\n)/, '$1  success: []\n'));
      // oxlint-disable-next-line no-await-in-loop -- one config after the other
      const replayed = await project.pawl('replay', '--imported', '--all', '--policy', 'tuned.yaml', '--json');
      const replays = JSON.parse(replayed.stdout) as { saved?: { costUsd: number } }[];
      const saved = replays.reduce((sum, { saved: own }) => sum + (own?.costUsd ?? 0), 0);
      expect(saved / tuning.used).toBeCloseTo(point?.inSample.savedShare ?? -1, 6);
    }
    project.write('pawl.yaml', `prompt: go\nagent: { command: 'true' }\n${blocks[1]?.[0]}`);
    const checked = await project.pawl('check');
    expect(checked.stdout).toMatch(/likely to\s+fail, according\s+to a model\s+of\b/);
  });

  it.each([
    [['--lose', 'many'], /--lose: must be a share of the goals/],
    [['--task', '('], /--task: /],
    [['--svg', 'no/such/folder/x.svg'], /--svg: /],
  ])('refuses %j', async (flags, words) => {
    const { status, stderr } = await project.pawl('tune', ...flags);
    expect(status).toBe(2);
    expect(stderr).toMatch(words);
  });

  it('prints the frontier as a table and a chart', async () => {
    const { stdout } = await project.pawl('tune', '--imported');
    expect(stdout).toMatch(/66 labelled runs of 66 tasks, 44 goals/);
    expect(stdout).toMatch(/saved +95% sure +goals lost/);
    expect(stdout).toMatch(/│.*[scm]/);
    expect(stdout).toMatch(/\nstop:\n/);
    expect(stdout).not.toMatch(/undefined|NaN/);
  });
});
