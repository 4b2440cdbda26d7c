import { isOfApi } from './gate.js';
import type { Refusal } from './refusal.js';

/** What is sent for a refusal. */
export interface RefusalAnswer {
  readonly type: string;
  readonly text: string;
}

/** JSON for who uses the API, and a small page for who looks at everything else. `path` is as it was sent. */
export function refusalAnswer(path: string, refusal: Refusal, stylesheet?: string): RefusalAnswer {
  if (isOfApi(path)) return { type: 'application/json', text: JSON.stringify(refusal.body) };
  return { type: 'text/html; charset=utf-8', text: pageSaying(refusal, stylesheet) };
}

function pageSaying({ status, message }: Refusal, stylesheet: string | undefined): string {
  const wayOn = status === 404 ? '<p><a href="/">All runs</a></p>' : '';
  const style = stylesheet === undefined ? '' : `<link rel="stylesheet" href="${escaped(stylesheet)}">`;
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<meta name="color-scheme" content="light dark"><title>Pawl</title>${style}` +
    `<main class="notice"><p>Pawl: ${escaped(message)}.</p>${wayOn}</main></html>\n`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
