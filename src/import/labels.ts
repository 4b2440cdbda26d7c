import { ConfigError } from '../model/errors.js';
import type { Label } from './record-session.js';

const RESOLVED: ReadonlySet<string> = new Set(['resolved', 'true', '1', 'pass', 'passed', 'success']);
const UNRESOLVED: ReadonlySet<string> = new Set(['unresolved', 'false', '0', 'fail', 'failed', 'failure']);

/** Reads `run,label` lines: how each run ended, by its name (its file without the endings) or the id of its session. */
export function readLabels(text: string, path: string): ReadonlyMap<string, Label> {
  const labels = new Map<string, Label>();
  const issues: { readonly path: string; readonly place: string; readonly message: string }[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (index === 0 && /^"?run"?\s*[,;\t]/i.test(line))) continue;
    const [, run = '', word = ''] = /^\s*"?([^"]*?)"?\s*[,;\t]\s*"?([^",;\t]*?)"?\s*$/.exec(line) ?? [];
    const label = labelOf(word.toLowerCase());
    if (run !== '' && label !== undefined) labels.set(run, label);
    else {
      const message = `${JSON.stringify(line.slice(0, 80))} is not a run and its label (resolved or unresolved), such as my-run,resolved`;
      issues.push({ path: '', place: `${path}:${index + 1}`, message });
    }
  }
  if (issues.length > 0) throw new ConfigError(issues.slice(0, 20));
  return labels;
}

function labelOf(word: string): Label | undefined {
  if (RESOLVED.has(word)) return 'resolved';
  return UNRESOLVED.has(word) ? 'unresolved' : undefined;
}
