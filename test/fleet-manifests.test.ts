import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const guide = readFileSync('docs/guide/fleet.md', 'utf8');

function block(language: string, start: string): string {
  const blocks = Array.from(
    guide.matchAll(new RegExp('```' + language + '\\n([^]*?)```', 'g')),
    ([, text = '']) => text,
  );
  return blocks.find((text) => text.startsWith(start)) ?? '';
}

/** As systemd reads it: sections, assignments, comments. Throws at anything else. */
function parseUnit(text: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let open: Record<string, string> | undefined;
  for (const line of text.split('\n').filter((each) => each.trim() !== '' && !/^[#;]/.test(each))) {
    const name = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) open = sections[name] = {};
    else if (open !== undefined && key !== undefined && value !== undefined) open[key] = value;
    else throw new Error(`not of a unit: ${line}`);
  }
  return sections;
}

it('the systemd unit of the guide drains a worker when it is stopped, and starts it again', () => {
  const unit = parseUnit(block('ini', '[Unit]'));
  expect(Object.keys(unit)).toEqual(['Unit', 'Service', 'Install']);
  expect(unit['Service']).toMatchObject({ Restart: 'always', KillMode: 'mixed', TimeoutStopSec: '3600' });
  expect(unit['Service']?.['ExecStart']).toMatch(/^\/\S+ pawl worker --slots \d+ --home \//);
});

it('the Kubernetes manifest of the guide is a deployment whose pods have time to drain', () => {
  const manifest = parse(block('yaml', 'apiVersion')) as Record<string, never>;
  expect(manifest).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      selector: { matchLabels: { app: 'pawl-worker' } },
      template: {
        metadata: { labels: { app: 'pawl-worker' } },
        spec: {
          terminationGracePeriodSeconds: 3600,
          containers: [{ args: expect.arrayContaining(['pawl', 'worker']) }],
        },
      },
    },
  });
});
