/** The history on the page of `pawl ui`, in a real browser, over imported runs. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { environment, need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { Dashboard, launchChromium } from '../support/dashboard.js';

const axe = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

let cli: BuiltCli;
let browser: Browser | undefined;

beforeAll(async () => {
  if (environment.chromium === undefined) return;
  cli = new BuiltCli('history');
  browser = await launchChromium(environment.chromium);
});
afterAll(async () => {
  await browser?.close();
  cli?.remove();
});

function session(name: string, cost: number) {
  const response = {
    id: name,
    model: 'some/model <b>',
    created: 1_763_510_516,
    usage: { prompt_tokens: 10, completion_tokens: 1, cost },
  };
  return JSON.stringify({
    info: { exit_status: 'Submitted', model_stats: { instance_cost: cost, api_calls: 1 } },
    messages: [
      { role: 'user', content: `Repair ${name}` },
      { role: 'assistant', content: 'THOUGHT: ok\n\n```bash\necho submit\n```', extra: { response } },
    ],
  });
}

it('shows where the money went, reached from the list of runs, with nothing that a reader of the screen misses', async (context) => {
  need('chromium', context);
  const project = new CliProject(cli);
  project.write('runs/a.traj.json', session('a', 3));
  project.write('runs/b.traj.json', session('b', 1));
  project.write('labels.csv', 'run,label\na,unresolved\nb,resolved\n');
  await project.pawl('import', 'runs', '--labels', 'labels.csv');
  const dashboard = await Dashboard.start(cli, project, browser as Browser, '--imported');
  context.onTestFinished(() => dashboard.stop());
  const page = await dashboard.open();
  await page.click('text=History');
  await page.waitForSelector('.day-chart rect');
  const text = (await page.textContent('main')) ?? '';
  expect(text).toContain('$4.00');
  expect(text).toContain('75% of it');
  expect(text).toContain('50% were not done');
  expect(text).toContain('left as done, and was not$3.00');
  expect(text).toContain('some/model <b>$4.00');
  expect(await page.locator('.day-chart rect').count()).toBe(1);
  await page.evaluate(readFileSync(axe, 'utf8'));
  const found = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string }[] }> } };
    return (await checker.run()).violations.map(({ id }) => id);
  });
  expect(found).toEqual([]);
  await page.reload();
  await page.waitForSelector('.day-chart rect');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.run-row');
  expect(dashboard.complaints).toEqual([]);
});
