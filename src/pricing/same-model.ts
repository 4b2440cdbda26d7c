import type { MatchLogic } from '@pydantic/genai-prices';
import { BEDROCK_VENDOR } from './model-name.js';

/** What may follow a model's name without making it another model: a date, a snapshot number, a channel. */
const DATE = '20\\d{6}|20\\d{2}-\\d{2}-\\d{2}';
const CHANNEL = 'latest|default|(?:preview|exp)(?:-\\d{2}-\\d{2}|-\\d{2}-20\\d{2})?';
const SNAPSHOT = new RegExp(`^(?:[-@](?:${DATE}|${CHANNEL}|\\d{3}|v\\d+)|:\\d+)*$`);

/**
 * Whether a rule of the price list means exactly this model. The list's own reading is wider: to it
 * `claude-sonnet-5-5` is `claude-sonnet-5` and a faster, dearer variant costs what the plain one does. An unknown price
 * stops a run with a clear reason; a wrong one spends someone's money.
 */
export function isSameModel(rule: MatchLogic, name: string): boolean {
  if ('or' in rule) return rule.or.some((part) => isSameModel(part, name));
  if ('and' in rule) {
    return rule.and.some((part) => isSameModel(part, name)) && rule.and.every((part) => allows(part, name));
  }
  if ('equals' in rule) return name === rule.equals.toLowerCase();
  if ('regex' in rule) return isAnchored(rule.regex) && new RegExp(rule.regex).test(name);
  if ('starts_with' in rule) return isSnapshotOf(rule.starts_with.toLowerCase(), name);
  const literal = ('contains' in rule ? rule.contains : rule.ends_with).toLowerCase();
  return isSnapshotOf(literal, name) || isSnapshotOf(literal, name.replace(BEDROCK_VENDOR, ''));
}

function allows(rule: MatchLogic, name: string): boolean {
  return 'regex' in rule ? new RegExp(rule.regex).test(name) : isSameModel(rule, name);
}

function isAnchored(regex: string): boolean {
  return regex.startsWith('^') && regex.endsWith('$');
}

function isSnapshotOf(literal: string, name: string): boolean {
  if (!name.startsWith(literal)) return false;
  // A literal may end inside its suffix: `gpt-5-nano-`, `claude-sonnet-4-2025`.
  const partOfSuffix = /[-@](?:20\d{2})?$/.exec(literal)?.[0] ?? '';
  return SNAPSHOT.test(partOfSuffix + name.slice(literal.length));
}
