/** A review on the command line: its answers, reasons and cost in every view, and a goal in words. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { Dashboard, launchChromium } from '../support/dashboard.js';

let cli: BuiltCli;
let browser: Browser | undefined;
beforeAll(async () => {
  cli = new BuiltCli('review');
  if (environment.chromium !== undefined) browser = await launchChromium(environment.chromium);
});
afterAll(async () => {
  await browser?.close();
  cli.remove();
});

const NOT_DONE = '{"answer": "not_done", "reasons": ["the docs are missing"]}';
const DONE = '{"answer": "done", "reasons": ["the diff does it"]}';
const CALL = `echo '{"pawl":"usage","cost_usd":0.1,"input_tokens":1000,"output_tokens":10}'`;
const AGENT = `n=$(ls ../prompt-* 2>/dev/null | wc -l); cat > "../prompt-$n"; echo x >> work.txt; ${CALL}; echo 'PAWL: DONE'`;

/** Its reviewer gives one answer after the other, at two cents each. */
function projectWith(answers: readonly string[]): CliProject {
  const project = new CliProject(cli);
  project.env['PAWL_TRUST'] = '1';
  project.write('agent.sh', `#!/usr/bin/env bash\n${AGENT}\n`, 0o755);
  project.write('tests.sh', 'echo "ok 1 - a"; echo 1..1\n');
  project.write('../answers', `${answers.join('\n')}\n`);
  const usage = `echo '{"pawl":"usage","cost_usd":0.02,"input_tokens":100,"output_tokens":10}'`;
  const reviewer = `n=$(ls ${project.home}/asked-* 2>/dev/null | wc -l); cat > ${project.home}/asked-$n; ${usage}`;
  project.write('../review.sh', `#!/bin/sh\n${reviewer}; sed -n "$((n + 1))p" ${project.home}/answers\n`, 0o755);
  return project;
}

const config = (project: CliProject, more = '') =>
  `agent: { name: command, command: [./agent.sh] }\nprompt: Handle quotes.\niteration_delay: 0\nreview: { command: ${project.home}/review.sh${more} }\n`;
const flat = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
  `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ');
const filesOf = (project: CliProject, kind: string) =>
  readdirSync(project.home).filter((name) => name.startsWith(`${kind}-`));

/** A run whose review refuses once, then agrees. */
async function reviewed(): Promise<CliProject> {
  const project = projectWith([NOT_DONE, DONE]);
  project.write('pawl.yaml', `${config(project)}tests: sh tests.sh\n`);
  const ran = await project.pawl('run', '--quiet');
  expect(ran).toMatchObject({ status: 0 });
  return project;
}

describe('a review that refuses once, then agrees', () => {
  it('is in explain, show, status, stats and the log: answer, reasons, cost', async () => {
    const project = await reviewed();
    const said = async (...words: string[]) => flat(await project.pawl(...words));
    const explained = await said('explain');
    expect(explained).toContain('the review agrees: "the diff does it"');
    expect(explained).toContain(
      'Reviewed 2 times for $0.04, which is part of what was spent; after iteration 2 it agreed',
    );
    expect(await said('explain', '--at', '1')).toContain('the review says that it is not done: "the docs are missing"');
    expect(await said('show', '1')).toContain('review the review says not done ($0.02): the docs are missing');
    expect(await said('show', '2')).toContain('review the review agrees ($0.02): the diff does it');
    expect(await said('status')).toContain('Reviewed 2 times for $0.04');
    expect(await said('stats')).toContain('cost $0.24, $0.04 of it for reviews in 1 run ');
    expect(JSON.parse((await project.pawl('stats', '--json')).stdout).reviews).toEqual({
      usd: expect.closeTo(0.04),
      runs: 1,
    });
    expect(await said('logs')).toContain('the review says not done ($0.02): the docs are missing');
    const { review, spend } = JSON.parse((await project.pawl('status', '--json')).stdout);
    expect(review).toMatchObject({ answered: 2, last: { answer: 'done', reasons: ['the diff does it'] } });
    expect([review.spend.costUsd, spend.costUsd]).toEqual([expect.closeTo(0.04), expect.closeTo(0.24)]);
    expect(project.read('../prompt-1')).toContain('- the docs are missing');
  });

  it('is in every export that has words, and without words its answers and costs are', async () => {
    const project = await reviewed();
    for (const format of ['markdown', 'html']) {
      // oxlint-disable-next-line no-await-in-loop -- one run, one export after the other
      const out = flat(await project.pawl('export', '--format', format)).replaceAll('<', ' <');
      expect(out).toMatch(
        /Reviews.*the review says not done\W.*\$0\.02.*the docs are missing.*the review agrees.*the diff does it/,
      );
    }
    const ended = async (...words: string[]) => {
      const { marks } = JSON.parse((await project.pawl('export', ...words)).stdout);
      return marks.filter(({ type }: { type: string }) => type === 'review-ended');
    };
    expect(await ended()).toMatchObject([
      { opinion: { answer: 'not_done', reasons: ['the docs are missing'] }, costUsd: 0.02 },
      { opinion: { answer: 'done', reasons: ['the diff does it'] }, costUsd: 0.02 },
    ]);
    expect(await ended('--no-output-text')).toMatchObject([
      { opinion: { answer: 'not_done', reasons: [] }, costUsd: 0.02 },
      { opinion: { answer: 'done', reasons: [] }, costUsd: 0.02 },
    ]);
    expect((await project.pawl('export', '--no-output-text')).stdout).not.toMatch(/docs are missing|diff does it/);
    expect((await project.pawl('export', '--format', 'jsonl')).stdout).toContain('"reasons":["the docs are missing"]');
  });

  it('is replayed by what it said, without being asked again', async () => {
    const project = await reviewed();
    expect(flat(await project.pawl('replay'))).toContain('5 verdicts as recorded; goal after 2 iterations');
    const [replayed] = JSON.parse((await project.pawl('replay', '--json')).stdout);
    expect(replayed.stop).toMatchObject({
      class: 'goal',
      asRecorded: true,
      figures: { costUsd: expect.closeTo(0.24) },
    });
    expect(replayed.stop.reasons[0].message).toContain('the review agrees: "the diff does it"');
    expect(filesOf(project, 'asked')).toHaveLength(2);
  });

  it('is on the page of the run', { timeout: 120_000 }, async (context) => {
    need('chromium', context);
    const project = await reviewed();
    const dashboard = await Dashboard.start(cli, project, browser as Browser);
    context.onTestFinished(() => dashboard.stop());
    const { runId } = JSON.parse((await project.pawl('status', '--json')).stdout);
    const page = await dashboard.open(`/runs/${runId}`);
    await page.locator('.marks').waitFor({ timeout: 60_000 });
    expect(await page.locator('.heading').innerText()).toMatch(
      /review agrees: "the diff does it"[^]*Reviewed 2 times for \$0\.04/,
    );
    const marks = (await page.locator('.marks').innerText()).replaceAll(/\s+/g, ' ');
    expect(marks).toMatch(
      /the review agrees \(\$0\.02\) the diff does it .*the review says not done \(\$0\.02\) the docs are missing/,
    );
    expect(dashboard.complaints).toEqual([]);
  });
});

describe('pawl run --goal', () => {
  const GOAL = 'the importer handles quotes, and the docs say so';

  it('without tests is judged by the review alone: the agent and the reviewer read it, and no view calls it verified', async () => {
    const project = projectWith([NOT_DONE, DONE]);
    project.write('pawl.yaml', config(project));
    const ran = await project.pawl('run', '--goal', GOAL);
    expect(ran.status).toBe(0);
    const judged = `Goal, judged by the review and not verified: "${GOAL}"`;
    expect(flat(ran)).toContain(judged);
    expect(project.read('../prompt-0')).toContain(GOAL);
    expect(project.read('../prompt-1')).toContain('- the docs are missing');
    expect(project.read('../asked-0')).toContain(`goal\n${GOAL}\n`);
    for (const view of ['status', 'explain']) {
      // oxlint-disable-next-line no-await-in-loop -- one view after the other
      expect(flat(await project.pawl(view))).toContain(judged);
    }
    expect(flat(await project.pawl('status'))).toContain('trusted the goal is judged by the review, not verified');
    expect(JSON.parse((await project.pawl('status', '--json')).stdout).review.goal).toBe(GOAL);
  });

  it('with tests needs both, and says that the review judged it', async () => {
    const project = projectWith([DONE]);
    project.write('pawl.yaml', `${config(project)}tests: sh tests.sh\n`);
    const ran = await project.pawl('run', '--goal', GOAL);
    expect(ran.status).toBe(0);
    expect(flat(ran)).toContain(`Goal, judged by the review: "${GOAL}"`);
    expect(flat(ran)).toContain('when all tests pass and the review says that it is done');
  });

  it.each([
    ['run without a config', undefined],
    ['a config without a review', 'agent: { command: ./agent.sh }\n'],
  ])('%s is refused before anything is paid for, and says what to write', async (_what, text) => {
    const project = projectWith([DONE]);
    if (text !== undefined) project.write('pawl.yaml', text);
    const ran = await project.pawl('run', '-p', 'Handle quotes.', '--goal', GOAL, '--', './agent.sh');
    expect(ran.status).toBe(2);
    expect(flat(ran)).toContain('--goal: no reviewer is configured: add `--review claude`, or to pawl.yaml `review:');
    expect(filesOf(project, 'prompt')).toEqual([]);
    expect(existsSync(join(project.path, 'work.txt'))).toBe(false);
  });
});
