import { isOfApi } from './gate.js';
import type { Refusal } from './refusal.js';

/** What is sent for a refusal. */
export interface RefusalAnswer {
  readonly type: string;
  readonly text: string;
}

/** JSON for who uses the API, and a small page for who looks at everything else. `path` is as it was sent. */
export function refusalAnswer(path: string, refusal: Refusal): RefusalAnswer {
  if (isOfApi(path)) return { type: 'application/json', text: JSON.stringify(refusal.body) };
  return { type: 'text/html; charset=utf-8', text: pageSaying(refusal) };
}

function pageSaying({ status, message }: Refusal): string {
  const wayOn = status === 404 ? '<p><a href="/">All runs</a></p>' : '';
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>Pawl</title><p>Pawl: ${escaped(message)}.</p>${wayOn}</html>\n`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
