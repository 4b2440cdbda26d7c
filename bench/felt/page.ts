import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import { longRecord } from './long-record.js';
import { manyRuns } from './records.js';
import { bounded, type Felt, PAWL, Scene } from './shell.js';

const CHROMIUM = '/usr/bin/chromium';
const WATCHED_MS = 20_000;

async function startPage(scene: Scene): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [PAWL, 'ui', '--no-open', '--json'], {
    cwd: scene.tree,
    env: scene.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

/** Its own CPU time, in the hundredths of a second that Linux counts. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function idlePage(browser: Browser) {
  const scene = new Scene();
  manyRuns(scene);
  const { child, url } = await startPage(scene);
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole('row').nth(5).waitFor();
  await pause(5000);
  const before = cpuMs(child);
  await pause(WATCHED_MS);
  const used = ((cpuMs(child) - before) / WATCHED_MS) * 100;
  await page.close();
  await ended(child);
  scene.remove();
  return bounded('the list of 10,000 runs, open in a browser, nothing happens: CPU of a core', used, 2, '%');
}

async function coldPage(browser: Browser) {
  const scene = new Scene();
  const { id, iterations } = longRecord(scene);
  const { child, url } = await startPage(scene);
  const page = await browser.newPage();
  await page.goto(url);
  const start = performance.now();
  await page.goto(`${new URL(url).origin}/runs/${id}`);
  await page
    .getByText(iterations.toLocaleString('en-US'))
    .or(page.getByText(String(iterations)))
    .first()
    .waitFor();
  const took = (performance.now() - start) / 1000;
  await page.close();
  await ended(child);
  scene.remove();
  return bounded('the first look at a run with a journal of 500 MB', took, 3, 's');
}

export const dashboard: Felt = {
  name: 'page',
  title: 'The dashboard in a browser',
  async measure() {
    if (!existsSync(CHROMIUM)) return [{ what: `not measured: there is no ${CHROMIUM}`, figure: '' }];
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args });
    try {
      return [await idlePage(browser), await coldPage(browser)];
    } finally {
      await browser.close();
    }
  },
};
