import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { TerminalState, LoopState } from '../model/loop-state.js';
import { type AgentErrorKind, EVENT_TYPES, type Interruption, type IterationOutcome } from '../model/run-event.js';
import { STOP_CLASSES } from '../model/stop-class.js';
import { keysIn } from './known-keys.js';
import type { Environment } from './second-home.js';

export interface Secret {
  /** Of the variable that holds it. */
  readonly name: string;
  readonly value: string;
}

/** Shorter values would be found everywhere by chance. */
const FEWEST_CHARACTERS = 8;
const LONG_LINE = 24;

const SECRET_WORD =
  /(^|_)(keys?|tokens?|secrets?|passwords?|passwds?|pass|passphrases?|pwd|credentials?|creds?|auth|pat|jwt|bearer|cookies?|dsn|sk|webhooks?|signature)(_|\d|$)/;
/** Written in one with what it is for: APIKEY, GITHUBTOKEN. */
const SECRET_ENDING = /(apikey|token|secret|password|passwd|credential|cred)s?$/;
/** They say where a secret is, not what it is; and PWD is the working directory. */
const NOT_SECRET_NAME = /(_(sock|path|file|dir)|^pwd|^oldpwd)$/;
/** MAX_TOKENS=10000000 is a figure. */
const FIGURE_NAME = /(^|_)(max|min|limit|count|budget|num|number|size|ttl|timeout|length|per|rate|window|total)(_|$)/;

/** The values of an environment that must not be recorded, by name. */
export function secretsIn(environment: Environment): readonly Secret[] {
  const secrets: Secret[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const whole = looksSecret(name, value) || keysIn(value)[0] === value ? [value, ...longLinesOf(value)] : [];
    for (const secret of [...whole, ...passwordsIn(value)]) {
      if (secret.trim().length < FEWEST_CHARACTERS || isOwnWord(secret)) continue;
      secrets.push({ name, value: secret });
    }
  }
  return secrets;
}

function looksSecret(name: string, value: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]/g, '_')
    .toLowerCase();
  if (NOT_SECRET_NAME.test(words) || !(SECRET_WORD.test(words) || SECRET_ENDING.test(words))) return false;
  return !(/^[\d.,_]+$/.test(value) && FIGURE_NAME.test(words));
}

/** A private key is also printed line by line, with other line ends. */
function longLinesOf(value: string): readonly string[] {
  return value.includes('\n') ? value.split(/\r?\n/).filter((line) => line.length >= LONG_LINE) : [];
}

/** The password of a URL, or the token that stands in place of a user, as it stands there and decoded. */
function passwordsIn(value: string): readonly string[] {
  const password =
    /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s:]*:([^/?#\s]+)@/i.exec(value)?.[1] ??
    /^[a-z][a-z\d+.-]*:\/\/([^/?#@\s:]{16,})@/i.exec(value)?.[1];
  if (password === undefined) return [];
  try {
    return [...new Set([password, decodeURIComponent(password)])];
  } catch {
    return [password];
  }
}

const STATES: Record<LoopState | TerminalState, true> = {
  idle: true,
  running: true,
  paused: true,
  waiting: true,
  rebooting: true,
  completed: true,
  stopped: true,
  error: true,
};

const OUTCOMES: Record<IterationOutcome | Interruption | AgentErrorKind, true> = {
  completed: true,
  failed: true,
  'timed-out': true,
  skipped: true,
  interrupted: true,
  limited: true,
  limit: true,
  failure: true,
  operator: true,
  crash: true,
  unpushed: true,
  auth: true,
  billing: true,
  overload: true,
  rate: true,
  context: true,
  other: true,
};

/** The words by which the fold tells records apart: a password that is one of them is no secret, and must stay readable. */
const OWN_WORDS: readonly string[] = [
  ...Object.keys(EVENT_TYPES),
  ...Object.keys(CONDITION_CATALOG),
  ...STOP_CLASSES,
  ...Object.keys(STATES),
  ...Object.keys(OUTCOMES),
  'pipeline',
  'harness',
  'usage-limit',
  'approval',
  'answer',
  'approved',
  'rejected',
  'session-total',
  'request',
  'pre_hooks',
  'executing',
  'observing',
  'post_hooks',
  'continue',
  'bypass',
  'not-met',
  'unknown',
];

function isOwnWord(value: string): boolean {
  return OWN_WORDS.some((word) => word.includes(value.toLowerCase()));
}
