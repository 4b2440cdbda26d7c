/** The page of `pawl ui` in a real browser, over real runs of the built command. */
import { cpSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { createDeepFactorAgent } from '../../src/agent/index.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { maxIterations } from '../../src/stop/conditions.js';
import { scriptedModel } from '../../src/testing/index.js';
import { environment, need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { Dashboard, launchChromium } from '../support/dashboard.js';
import { manyIterations, writeRun } from '../support/many-iterations.js';

const fixtures = fileURLToPath(new URL('../fixtures/agents/', import.meta.url));
const axe = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));
const WAIT = { timeout: 60_000, interval: 50 };
let cli: BuiltCli;
let browser: Browser | undefined;

beforeAll(async () => {
  if (environment.chromium === undefined) return;
  cli = new BuiltCli('dashboard');
  browser = await launchChromium(environment.chromium);
});
afterAll(async () => {
  await browser?.close();
  cli?.remove();
});

/** So many of eight tests pass: three, and one more with each iteration. */
const TESTS = `#!/bin/sh
n=$(cat n 2>/dev/null || echo 0); n=$((n + 3))
[ $n -ge 8 ] && echo "=== 8 passed in 0.12s ===" && exit 0
echo "=== $((8 - n)) failed, $n passed in 0.12s ==="
exit 1
`;

const POLICY = ['--tests', './tests.sh', '--until', 'all_tests_pass', '--max-cost', '5', '--delay', '0'];

function projectFor(context: TestContext): CliProject {
  need('chromium', context);
  const project = new CliProject(cli);
  project.env['PAWL_TRUST'] = '1';
  project.write('tests.sh', TESTS, 0o755);
  project.write('.gitignore', 'n\ngo-*\nprompt-*\n.ralph\n');
  cpSync(join(fixtures, 'narrates'), join(project.path, 'agent'));
  context.onTestFinished(async () => {
    await project.pawl('stop', '--now');
  });
  return project;
}

async function dashboardOf(project: CliProject, context: TestContext): Promise<Dashboard> {
  const dashboard = await Dashboard.start(cli, project, browser as Browser);
  context.onTestFinished(() => dashboard.stop());
  return dashboard;
}

async function startLoop(project: CliProject, ...words: readonly string[]): Promise<string> {
  const started = await project.pawl(
    'run',
    '-p',
    'Make the tests pass.',
    ...POLICY,
    '--detach',
    ...words,
    '--',
    './agent',
  );
  expect(started).toMatchObject({ status: 0 });
  return /\w+_[0-9A-Z]{26}/.exec(`${started.stdout}${started.stderr}`)?.[0] ?? '';
}

function eventsOf(project: CliProject, runId: string): readonly RunEvent[] {
  const lines = readFileSync(join(project.path, '.ralph', 'runs', runId, 'journal.jsonl'), 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as RunEvent);
}

/** What has arrived in the record. */
async function recorded(project: CliProject, runId: string, wanted: object): Promise<void> {
  await expect.poll(() => eventsOf(project, runId), WAIT).toContainEqual(expect.objectContaining(wanted));
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor({ timeout: 60_000 });

/** The main parts of a page as text, without the seconds that pass. */
async function textOf(page: Page): Promise<string> {
  const parts = await page
    .locator('.headline, .figures, .output, .strip, .iteration-table, .standings, .marks, .item-list, .legend, .charts')
    .allInnerTexts();
  return parts
    .join('\n')
    .replace(/\b(?:\d+m )?\d+m?s\b/g, 'TIME')
    .replace(/, (?:reached at )?about .*/g, '')
    .replace(/started .* ago/g, '');
}

describe('the dashboard', { timeout: 120_000 }, () => {
  it('shows a run from its first moment without being loaded anew, and takes every command', async (context) => {
    const project = projectFor(context);
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await sees(page, 'Nothing has run yet');
    expect(page.url()).toBe(`${dashboard.origin}/`);
    const runId = await startLoop(project);
    await page.locator(`[data-run="${runId}"] a`).click();
    await sees(page, 'This is iteration 1.');
    await sees(page, /^iteration 1 of 25/);

    await press(page, 'Steer…');
    await page.getByRole('dialog').getByRole('textbox').fill('Mind the zeros.');
    await press(page, 'Steer');
    await recorded(project, runId, { type: 'command-received', command: { type: 'steer', text: 'Mind the zeros.' } });
    await sees(page, '1 note for the agent with the next prompt');

    await press(page, 'Extend…');
    await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'after 25 iterations' });
    await page.getByRole('dialog').getByRole('textbox').fill('7,5');
    await sees(page, /^Enter a whole number above 0/);
    expect(await page.getByRole('button', { name: 'Extend', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('textbox').fill('30');
    await press(page, 'Extend');
    await recorded(project, runId, { type: 'limit-extended', limit: { type: 'max_iterations', count: 30 } });
    await sees(page, /^iteration 1 of 30/);

    await press(page, 'Pause');
    await recorded(project, runId, { type: 'command-received', command: { type: 'pause' } });
    await press(page, 'Unpause');
    await recorded(project, runId, { type: 'command-received', command: { type: 'resume' } });
    await press(page, 'Reboot');
    await recorded(project, runId, { type: 'command-received', command: { type: 'reboot' } });
    await press(page, 'Skip');
    await recorded(project, runId, { type: 'iteration-ended', iteration: 1, outcome: 'skipped' });
    await sees(page, 'This is iteration 2.');
    await sees(page, 'Mind the zeros.');
    project.write('go-2', '');
    await sees(page, 'This is iteration 3.');
    await page.locator('.iteration-row', { hasText: 'completed' }).click();
    await sees(page, /^src\.js$/);
    await page.getByRole('button', { name: 'Record' }).click();
    await sees(page, /^started$/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Record' }).waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${dashboard.origin}/runs/${runId}`);

    await press(page, 'Extend…');
    await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'after 30 iterations' });
    await page.getByRole('dialog').getByRole('textbox').fill('2');
    await sees(page, /^That is already reached \(2 of 2 iterations\): it stops the run/);
    await page.keyboard.press('Escape');
    expect(page.url()).toBe(`${dashboard.origin}/runs/${runId}`);

    await press(page, 'Stop');
    await recorded(project, runId, { type: 'command-received', command: { type: 'stop' } });
    await expect.poll(() => page.getByRole('button', { name: 'Pause', exact: true }).isDisabled(), WAIT).toBe(true);
    await press(page, 'Stop now…');
    await press(page, 'Stop now');
    await recorded(project, runId, { type: 'run-ended', state: 'stopped' });
    await page.getByRole('group', { name: 'Actions' }).waitFor({ state: 'detached', timeout: 20_000 });
    await sees(page, /^pawl resume 01\w{8} --cwd /);
    expect(dashboard.complaints).toEqual([]);
  });

  it('reopened at any moment shows the same', async (context) => {
    const project = projectFor(context);
    const runId = await startLoop(project);
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open(`/runs/${runId}`);
    for (const iteration of [1, 2]) {
      await sees(page, `This is iteration ${iteration}.`);
      await expect.poll(() => eventsOf(project, runId).at(-1)?.type, WAIT).toBe('tool-called');
      const anew = await dashboard.open(`/runs/${runId}`);
      await sees(anew, `This is iteration ${iteration}.`);
      await expect.poll(async () => (await textOf(page)) === (await textOf(anew)), WAIT).toBe(true);
      await anew.reload();
      await sees(anew, `This is iteration ${iteration}.`);
      expect(await textOf(anew)).toBe(await textOf(page));
      await anew.context().close();
      project.write(`go-${iteration}`, '');
    }
    project.write('go-3', '');
    project.write('go-4', '');
    project.write('go-5', '');
    await sees(page, /^all 8 tests pass$/);
    await page.reload();
    await sees(page, /^all 8 tests pass$/);
    expect(await page.locator('.iteration-row').count()).toBe(5);

    await page.getByRole('textbox', { name: /see where this record/ }).fill('limits: [{ max_iterations: 2 }]');
    await press(page, 'Try this policy');
    await sees(page, /^It would have stopped after iteration 2/);
    await sees(page, /would have been missed/);
    await page.getByRole('textbox', { name: /see where this record/ }).fill('limits: [{ max_iterations: two }]');
    await press(page, 'Try this policy');
    await sees(page, /^policy:1:/);
    expect(dashboard.complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('lets an attended run begin, and sends it back', async (context) => {
    const project = projectFor(context);
    const runId = await startLoop(project, '--attended');
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open(`/runs/${runId}`);
    await sees(page, /waits for your approval/);
    await press(page, 'Reject…');
    await page.getByRole('dialog').getByRole('textbox').fill('Read the tests first.');
    const refusal = { status: 503, json: { error: 'it cannot be reached' } };
    await page.route('**/commands', (route) => route.fulfill(refusal), { times: 1 });
    await press(page, 'Reject');
    await sees(page, /^it cannot be reached$/);
    await sees(page, '21 of at most 8,192 bytes');
    await press(page, 'Reject');
    await recorded(project, runId, { command: { type: 'reject', text: 'Read the tests first.' } });
    await press(page, 'Approve');
    await recorded(project, runId, { command: { type: 'approve' } });
    await sees(page, 'This is iteration 1.');
    expect(dashboard.complaints.filter((text) => !text.includes('503'))).toEqual([]);
  });

  it('holds no connection while nobody looks, and has missed nothing after that', async (context) => {
    const project = projectFor(context);
    const runId = await startLoop(project);
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open(`/runs/${runId}`);
    await sees(page, 'This is iteration 1.');
    await page.evaluate(hide(true));
    project.write('go-1', '');
    await recorded(project, runId, { type: 'agent-said', text: expect.stringContaining('This is iteration 2.') });
    expect(await page.getByText('This is iteration 2.').count()).toBe(0);
    await page.evaluate(hide(false));
    await sees(page, 'This is iteration 2.');
    expect(await page.locator('.iteration-row').count()).toBe(1);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows a pipeline: its items, what is in flight, and why some failed', async (context) => {
    const project = projectFor(context);
    project.write('pipeline.yaml', PIPELINE);
    project.write('generate.sh', GENERATE, 0o755);
    project.write('audit.sh', AUDIT, 0o755);
    project.write('hold-frame-3', '');
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    expect(await project.pawl('pipeline', 'run', '--detach')).toMatchObject({ status: 0 });
    await page.locator('[data-run^="pipe_"] a').click();
    const runId = /pipe_\w+$/.exec(page.url())?.[0] ?? '';
    await sees(page, 'BLURRY, score 0.31: soft');
    await sees(page, /^frame-3$/);
    await sees(page, /reject rate 14.3% of 7 items, 90% allowed/);
    await page.getByRole('searchbox', { name: 'Find an item' }).fill('frame-2');
    await page.keyboard.press('Enter');
    await sees(page, /^rejected after 1 attempt$/);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await violations(page)).toEqual([]);
    }
    await press(page, 'Pause');
    await sees(page, /^pauses after the attempts in progress/);
    await recorded(project, runId, { type: 'command-received', command: { type: 'pause' } });
    await press(page, 'Stop');
    await recorded(project, runId, { type: 'command-received', command: { type: 'stop' } });
    await expect.poll(() => page.getByRole('button', { name: 'Stop', exact: true }).isDisabled(), WAIT).toBe(true);
    await project.pawl('stop', '--now');
    await sees(page, /stop requested \(dashboard/);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the question of an agent that needs a person, in the list and on the page of its run', async (context) => {
    const project = projectFor(context);
    const question = 'Should I use Postgres or SQLite? I need your decision before I go on.';
    const agent = ['sh', '-c', `echo 'I compared both. ${question}'`];
    const words = ['--quiet', '--delay', '0', '--give-up', 'needs_person', '--', ...agent];
    const run = await project.pawl('run', '-p', 'Store the orders', ...words);
    expect(run.status).toBe(5);
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await page.locator('[data-run]', { hasText: 'needs you' }).filter({ hasText: question }).waitFor();
    await page.locator('[data-run] a').first().click();
    await sees(page, `Needs you after 2 iterations: "${question}"`);
    await sees(page, /^pawl resume \w+ --steer /);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows an agent that runs in a program', async (context) => {
    const project = projectFor(context);
    const model = scriptedModel([{ text: 'I think of a number.' }, { text: 'It is 7.' }]);
    const agent = createDeepFactorAgent({
      model,
      workingDir: project.path,
      stopWhen: maxIterations(2),
      verifyCompletion: ({ text }) => ({ complete: text.includes('7'), reason: 'a number was asked for' }),
    });
    await agent.loop({ prompt: 'Which number?' });
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await page.locator('.run-row a').click();
    await sees(page, 'It is 7.');
    await sees(page, /verifyCompletion/);
    expect(await page.locator('.iteration-row').count()).toBe(2);

    const runId = /\w+$/.exec(page.url())?.[0] ?? '';
    replaceRecord(project, runId, (event) => event.type === 'iteration-started' && event.iteration === 2);
    await expect.poll(() => page.locator('.iteration-row').count(), WAIT).toBe(1);
    expect(dashboard.complaints).toEqual([]);
    const links = join(project.path, '.ralph', 'runs', runId);
    for (const folder of [dirname(realpathSync(join(links, 'journal.jsonl'))), links])
      rmSync(folder, { recursive: true });
    await sees(page, /^This run was deleted/);
    await page.reload();
    await sees(page, /^There is no such run/);
    expect(await page.locator('.panel').count()).toBe(0);
  });

  it('shows hostile output as text and runs none of it', async (context) => {
    const project = projectFor(context);
    project.write('agent', HOSTILE, 0o755);
    const started = await project.pawl('run', '-p', HOSTILE_TEXT, '--max-iterations', '1', '--', './agent');
    expect(started.status).toBe(3);
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await page.locator('.run-row a').click();
    await sees(page, HOSTILE_TEXT);
    await sees(page, '⟨U+202E⟩gnp.exe');
    await sees(page, /^red$/);
    await sees(page, /hidden\)$/);
    await page
      .getByRole('button', { name: /^show (?:all|more)/ })
      .first()
      .click();
    expect(await page.locator('.output a, .output img, .output svg, .output script').count()).toBe(0);
    expect(await page.evaluate(() => '__pwned' in globalThis)).toBe(false);
    await page.locator('.iteration-row button').click();
    await sees(page, '+safe⟨ESC⟩]0;evil()⟨U+0007⟩⟨U+0008⟩⟨CR⟩over');
    expect(dashboard.complaints).toEqual([]);
  });

  it('stays smooth with 1,000 runs and with 10,000 iterations', async (context) => {
    const project = projectFor(context);
    const long = writeRun(project.path, (runId) => manyIterations(runId, 10_000));
    for (let run = 0; run < 1000; run += 1) writeRun(project.path, (runId) => manyIterations(runId, 2));
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await page.getByText(/^1,001 runs/).waitFor({ timeout: 60_000 });
    await smooth(page, '.run-scroller');
    await page.keyboard.press('/');
    await page.keyboard.type('nothing like that');
    await sees(page, 'No run matches.');
    // Once: it empties the filter and leaves it.
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\//);
    const opened = /\w+$/.exec(page.url())?.[0];
    await page.keyboard.press('Escape');
    await page.waitForURL(`${dashboard.origin}/`);
    await page.locator(`[data-run="${opened}"] a:focus`).waitFor();

    await page.goto(`${dashboard.origin}/runs/${long}`);
    await page.getByText('This is iteration 10000.').waitFor({ timeout: 60_000 });
    await page.locator('.chart canvas').first().waitFor();
    await smooth(page, '.iteration-scroller');
    await sees(page, /^completed 9,900$/);
    expect(dashboard.complaints).toEqual([]);
  });

  it('has rows as wide as the table and columns below their names, with and without a scrollbar', async (context) => {
    const project = projectFor(context);
    const addRun = () => writeRun(project.path, (runId) => manyIterations(runId, 1));
    addRun();
    const page = await (await dashboardOf(project, context)).open();
    const row = page.locator('.run-row').first();
    await row.waitFor();
    const rightOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().right);
    expect(await rightOf('.run-row')).toBe((await rightOf('.run-table')) - 1);
    expect(await rightOf('.run-row .cell-why')).toBe(await rightOf('.run-head .cell-why'));
    for (let count = 0; count < 40; count += 1) addRun();
    await page.locator('.run-head.above-scrollbar').waitFor();
    expect(await rightOf('.run-row .cell-why')).toBe(await rightOf('.run-head .cell-why'));
  });

  it('can be used by everybody, in both themes, and on a phone', async (context) => {
    const project = projectFor(context);
    const runId = await startLoop(project);
    project.write('go-1', '');
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await page.locator('.run-row').waitFor();
    for (const path of ['/', `/runs/${runId}`]) {
      await page.goto(`${dashboard.origin}${path}`);
      if (path !== '/') {
        await sees(page, 'This is iteration 2.');
        await page.locator('.iteration-row').click();
        await page.locator('.diff-line').first().waitFor();
      } else await page.locator('.run-row').waitFor();
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        expect(await violations(page)).toEqual([]);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), WAIT).toBeLessThanOrEqual(360);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await page.getByRole('button', { name: /^Colours/ }).click();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.keyboard.press('?');
    await sees(page, 'shows the keys');
    expect(dashboard.complaints).toEqual([]);
  });

  it('says that the connection is lost, and that it needs a new link', async (context) => {
    const project = projectFor(context);
    await startLoop(project);
    const dashboard = await dashboardOf(project, context);
    const page = await dashboard.open();
    await page.locator('.run-row').waitFor();
    const full = { status: 503, json: { error: 'too many pages are open; close some' } };
    await page.route('**/api/runs/events', (route) => route.fulfill(full));
    await page.reload();
    await sees(page, 'too many pages are open; close some');
    await page.locator('.run-row').waitFor();
    await page.unrouteAll();
    await page.getByText('too many pages are open').waitFor({ state: 'detached', timeout: 20_000 });
    await dashboard.stop();
    await sees(page, 'connection lost, trying again');
    const again = await Dashboard.start(cli, project, browser as Browser, '--port', new URL(dashboard.url).port);
    context.onTestFinished(() => again.stop());
    await sees(page, 'This page needs the link from pawl ui');
    await page.goto(again.url);
    await page.locator('.run-row').waitFor();
  });
});

/** Serious and critical ones, each as a sentence. */
async function violations(page: Page): Promise<readonly string[]> {
  // The content policy of the page holds for what is added to it, but not for what is evaluated.
  await page.evaluate(readFileSync(axe, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { run: () => Promise<AxeResults> } };
    const { violations: found } = await axe.run();
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** A page that nobody sees, as the browser tells it. */
function hide(isHidden: boolean): string {
  return `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`;
}

/** Puts another record in the place of a run's: what was there before an event. */
function replaceRecord(project: CliProject, runId: string, isAfter: (event: RunEvent) => boolean): void {
  const journal = realpathSync(join(project.path, '.ralph', 'runs', runId, 'journal.jsonl'));
  const events = eventsOf(project, runId);
  const kept = readFileSync(journal, 'utf8').split('\n').slice(0, events.findIndex(isAfter));
  writeFileSync(`${journal}.new`, `${kept.join('\n')}\n`);
  renameSync(`${journal}.new`, journal);
}

const MOST_TASK_MS = 50;
const TRIES = 5;

interface LongestTask {
  /** As the page sees it, whoever else had the processor meanwhile. */
  readonly wallMs: number;
  /** What the task itself took of the processor. */
  readonly ownMs: number;
}

/** Scrolls through a list: no task takes long. A machine that is busy with other things makes any task long, but not its own part. */
async function smooth(page: Page, selector: string): Promise<void> {
  const seen: LongestTask[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const longest = await longestTask(page, selector);
    // oxlint-disable-next-line no-console -- asked for by who measures
    if (process.env['PAWL_BENCH'] !== undefined) console.log(`${selector}: ${JSON.stringify(longest)}`);
    if (Math.min(longest.wallMs, longest.ownMs) <= MOST_TASK_MS) return;
    seen.push(longest);
  }
  expect.fail(`each pass through ${selector} has a task above ${MOST_TASK_MS} ms: ${JSON.stringify(seen)}`);
}

async function longestTask(page: Page, selector: string): Promise<LongestTask> {
  await browser?.startTracing(page, { categories: ['toplevel'] });
  const wallMs = await page.evaluate<number>(scrollThrough(selector));
  const trace = JSON.parse(String(await browser?.stopTracing())) as { readonly traceEvents: readonly TraceEvent[] };
  const tasks = trace.traceEvents.filter(({ ph, name }) => ph === 'X' && name.endsWith('RunTask'));
  expect(tasks.length).toBeGreaterThan(60);
  return { wallMs, ownMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000 };
}

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  /** Of its thread, in microseconds. */
  readonly tdur?: number;
}

/** Gives the longest task in milliseconds; 0 when none was long. */
function scrollThrough(selector: string): string {
  return `(async () => {
    const element = document.querySelector(${JSON.stringify(selector)});
    let longest = 0;
    const note = (list) => list.getEntries().forEach(({ duration }) => (longest = Math.max(longest, duration)));
    const observer = new PerformanceObserver(note);
    observer.observe({ type: 'longtask' });
    for (let step = 0; step <= 60; step += 1) {
      element.scrollTop = ((element.scrollHeight - element.clientHeight) * step) / 60;
      await new Promise(requestAnimationFrame);
    }
    note({ getEntries: () => observer.takeRecords() });
    observer.disconnect();
    return longest;
  })()`;
}

const HOSTILE_TEXT = '<script>globalThis.__pwned = 1</script><svg onload="globalThis.__pwned = 1"><b>bold</b>';

const HOSTILE = `#!/usr/bin/env node
const tell = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
(await import('node:fs')).writeFileSync('esc.txt', 'safe\\u001b]0;evil()\\u0007\\b\\rover\\n');
tell({ pawl: 'text', text: ${JSON.stringify(HOSTILE_TEXT)} });
tell({ pawl: 'text', text: '[click](javascript:globalThis.__pwned=1) <a href="javascript:globalThis.__pwned=1">x</a>' });
tell({ pawl: 'text', text: '<img src=x onerror="globalThis.__pwned=1"> \\u202egnp.exe' });
tell({ pawl: 'text', text: '\\u001b[31mred\\u001b[0m\\u001b]8;;http://localhost/\\u0007\\u001b]8;;\\u0007\\u0000' });
tell({ pawl: 'tool-call', id: 'a', name: '<script>globalThis.__pwned=1</script>', input: { x: '</textarea><script>' } });
tell({ pawl: 'tool-result', id: 'a', output: 'x'.repeat(1_000_000) });
tell({ pawl: 'text', text: 'y'.repeat(1_000_000) });
`;

const GENERATE = `#!/bin/sh
echo '{"pawl":"usage","model":"my-model","input_tokens":1200,"output_tokens":300,"cost_usd":0.004}'
echo "$1" > "$PAWL_OUTPUT"
while test -e "hold-$1"; do sleep 0.05; done
`;

const AUDIT = `#!/bin/sh
case "$PAWL_ITEM_ID" in
  frame-2) echo '{"verdict":"rejected","reasons":["BLURRY"],"score":0.31,"message":"soft"}' ;;
  frame-4) test "$PAWL_ATTEMPT" -gt 1 || echo '{"verdict":"retry","reasons":["DARK"]}' ;;
esac
`;

const PIPELINE = `
items: [frame-0, frame-1, frame-2, frame-3, frame-4, frame-5, frame-6, frame-7]
generate: { command: './generate.sh "$PAWL_ITEM_ID"', output: 'out/{{item.id}}.txt' }
audit: ./audit.sh
concurrency: 2
retry: { max_attempts: 2, backoff: 0, stop_conditions: { max_retry_rate: 0.9, max_reject_rate: 0.9 } }
limits: [{ max_cost: 5 }]
`;
