/** Ten nights, and what each view shows in the morning. `PAWL_UPDATE=1` writes the page of the guide from them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { environment } from '../environment.js';
import { BuiltCli } from '../support/cli-project.js';
import { Dashboard, launchChromium } from '../support/dashboard.js';
import { type Morning, type Night, NIGHTS } from '../support/nights.js';

const PAGE = fileURLToPath(new URL('../../docs/guide/mornings.md', import.meta.url));
const IS_UPDATE = process.env['PAWL_UPDATE'] === '1';
const HEAD = `# The morning after

You left a run alone overnight. This page shows what you read in the morning after each of ten nights: in the terminal where
\`pawl run\` ended, in the notification, in \`pawl list\`, \`pawl status\` and \`pawl explain\`, and on the page of \`pawl ui\`. All of it
is real output, made by a test that plays each night with real processes. In each, the work is done when the tests pass and the
agent says that it is done.

Every view gives the same result and the same reason. Replace \`<...>\` in a command with your own words (a notification
prints it as \`‹...›\`); every other command works as it is printed. If your words have an apostrophe, put them in double quotes.
Times are local, in notifications UTC; the date is shown only when it is not today. The test compresses each night into seconds, so
times are short. To be told when a run ends, [set up a notification](notifications.md). \`~$0.12\` is partly an estimate, \`≥ $0.04\` is
at least that much.
`;

/** Of the page of a run: its name, its sentences and the commands to go on with. */
const SHOWN = '.run-name, .headline, .note, .asked, .step, code';

const sections: string[] = [];
let cli: BuiltCli;
let browser: Browser;
beforeAll(async () => {
  cli = new BuiltCli('nights');
  browser = await launchChromium(environment.chromium ?? 'chromium');
});
afterAll(async () => {
  await browser.close();
  cli.remove();
});

it.each(NIGHTS)('$name: every view begins with the same sentence', async (night) => {
  const { project, morning } = await night.play(cli);
  const page = morning.isGone === true ? undefined : await headingOf(project);
  sections.push(sectionOf(night, morning, page).replaceAll(project.home, '/home/me'));
  const sentence = firstSentence(morning.status);
  expect(sentence).toMatch(night.outcome);
  for (const text of [morning.ended, morning.explain, page]) {
    if (text !== undefined) expect(oneLine(text)).toContain(sentence);
  }
  if (morning.ended !== undefined) expect(morning.notified.at(-1)).toContain(sentence);
  expect(oneLine(morning.list)).toMatch(new RegExp(night.outcome.source, 'i'));
});

it('the page of the guide shows what the views show', () => {
  const page = `${[HEAD, ...sections].join('\n').trimEnd()}\n`;
  if (IS_UPDATE) writeFileSync(PAGE, page);
  const committed = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  expect(masked(page), 'write it again: PAWL_UPDATE=1 npx vitest run test/e2e/nights.test.ts').toBe(masked(committed));
});

async function headingOf(project: Parameters<typeof Dashboard.start>[1]): Promise<string> {
  const dashboard = await Dashboard.start(cli, project, browser);
  try {
    const page = await dashboard.open();
    await page.locator('a[href*="/runs/"]').first().click();
    await page.locator('section.heading .headline').waitFor();
    const lines = await page.locator('section.heading').locator(SHOWN).allInnerTexts();
    await page.context().close();
    return lines.join('\n').replaceAll(/^([a-z ]+:)\n/gm, '$1 ');
  } finally {
    await dashboard.stop();
  }
}

function sectionOf(
  { name, story, advice, command = 'pawl run' }: Night,
  morning: Morning,
  page: string | undefined,
): string {
  const block = (what: string, text: string | undefined) =>
    text === undefined ? '' : `\n${what}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  const isSame = morning.ended !== undefined && morning.status.endsWith(morning.ended);
  return [
    `\n## ${name}\n\n${story} ${advice}\n`,
    block(`Where \`${command}\` ended:`, morning.ended),
    block('The notification:', morning.notified.length === 0 ? undefined : morning.notified.join('\n')),
    block('`pawl list`:', morning.list),
    isSame
      ? `\n\`pawl status\` shows the same report as the end of \`${command}\`.\n`
      : block('`pawl status`:', morning.status),
    block('`pawl explain`:', morning.explain),
    block('The page of the run:', page),
  ].join('');
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

/** What comes after the first sentence. */
const NOTE =
  /^(?:It|In iteration|No change|The agent|The provider|The record|Not done:|Ran|Started|Iteration \d+ was|Pawl tried) /;

/** The first line of the report is the name of the run. */
function firstSentence(status: string): string {
  const [, ...lines] = status.split('\n');
  const end = lines.findIndex((line) => line.startsWith('  ') || NOTE.test(line));
  return oneLine(lines.slice(0, end).join(' '));
}

/** Without what differs from run to run. */
function masked(text: string): string {
  return text
    .replaceAll(/loop_[0-9A-Z]{26}|01[0-9A-Z]{8}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d)?|\b\d\d:\d\d\b/g, 'TIME')
    .replaceAll(/\b(?:[\d.]+(?:ms|s|m|h)|now)\b(?: ago)?/g, 'TIME')
    .replaceAll(/TIME, TIME of it [a-z, ]+/g, 'TIME')
    .replaceAll(/ +/g, ' ');
}
