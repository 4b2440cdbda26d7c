import { fileURLToPath } from 'node:url';

/** The journal of a run of the corpus. */
export function journalPath(name: string): string {
  return fileURLToPath(new URL(`runs/${name}/journal.jsonl`, import.meta.url));
}
