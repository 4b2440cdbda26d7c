import { UNSEEN_CHARACTERS } from '../model/unseen-characters.js';
import { createKnownKeys, findKeys, type KeyStream, keysIn } from './known-keys.js';
import type { Environment } from './run-places.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { TerminalState, LoopState } from '../model/loop-state.js';
import { type AgentErrorKind, EVENT_TYPES, type Interruption, type IterationOutcome } from '../model/run-event.js';
import { STOP_CLASSES } from '../model/stop-class.js';

/**
 * Replaces the values of secret environment variables by `[NAME]`, in whatever form they are written, and keys that are
 * known by their format by the name of their kind.
 */
export interface Redactor {
  /** In plain text. */
  readonly text: (text: string) => string;
  /** In a serialised record: only inside strings that are not its own words, so that it stays the same record. */
  readonly json: (json: string) => string;
  /** For text that comes in pieces: a secret may be split between two of them. */
  readonly stream: () => RedactingStream;
}

export interface RedactingStream {
  /** The text that can be passed on; the last characters wait for the next piece. */
  write(piece: string): string;
  /** What was still waiting. */
  end(): string;
}

/** Of the record itself; further inside they may hold anything. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set(['type', 'at', 'runId']);

/** A key of letters alone is a field. Facts are kept under whole conditions, and checks under names from outside. */
const OWN_KEY = /^[A-Za-z_-]+$/;

/** Keys of a known format that are in `except` stay. */
export function createRedactor(environment: Environment, except?: ReadonlySet<string>): Redactor {
  const values = valueRedactor(environment);
  const keys = createKnownKeys(except);
  const find = (seen: string): readonly Found[] =>
    findKeys(seen)
      .filter(({ key }) => except?.has(key) !== true)
      .map(({ at, key, name }) => ({ at, length: key.length, instead: `[${name}]` }));
  const withoutKeys = (text: string) => replaceHidden(keys.text(text), find);
  return {
    text: (text) => withoutKeys(values.text(text)),
    json: (json) => {
      const withoutValues = values.json(json);
      if (!keys.mayBeIn(withoutValues) && !mayHide(withoutValues)) return withoutValues;
      return JSON.stringify(redactValue(JSON.parse(withoutValues), withoutKeys));
    },
    stream: () => inTurn(inTurn(values.stream(), keys.stream()), hiddenStream(find)),
  };
}

export function inTurn(first: RedactingStream, second: RedactingStream): RedactingStream {
  return {
    write: (piece) => second.write(first.write(piece)),
    end: () => second.write(first.end()) + second.end(),
  };
}

/** Only the values of the environment, not what is known by its format. */
export function valueRedactor(environment: Environment): Redactor {
  const names = new Map<string, string>();
  for (const { name, value } of secretsIn(environment)) {
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, `[${name}]`);
  }
  if (names.size === 0) return NOTHING_SECRET;
  // The longest first: of two secrets the one may begin with the other.
  const forms = [...names.keys()].sort((a, b) => b.length - a.length);
  const longest = Math.max(...forms.map((form) => form.length));
  const pattern = patternOf(forms);
  const inJson = patternOf([...new Set(forms.map(jsonForm))]);
  const find = (seen: string): readonly Found[] =>
    Array.from(seen.matchAll(pattern), ({ 0: form, index }) => {
      return { at: index, length: form.length, instead: String(names.get(form)) };
    });
  const text = (plain: string) =>
    replaceHidden(
      plain.replace(pattern, (form) => String(names.get(form))),
      find,
    );
  return {
    text,
    json: (json) => {
      inJson.lastIndex = 0;
      return inJson.test(json) || mayHide(json) ? JSON.stringify(redactValue(JSON.parse(json), text)) : json;
    },
    stream: () => inTurn(createStream(pattern, names, longest), hiddenStream(find)),
  };
}

const NOTHING_SECRET: Redactor = {
  text: (text) => text,
  json: (json) => json,
  stream: () => ({ write: (piece) => piece, end: () => '' }),
};

function patternOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

function redactValue(value: unknown, text: (plain: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((entry) => redactValue(entry, text, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      OWN_KEY.test(key) ? key : text(key),
      depth === 0 && ENVELOPE_KEYS.has(key) ? entry : redactValue(entry, text, depth + 1),
    ]),
  );
}

function createStream(pattern: RegExp, names: ReadonlyMap<string, string>, longest: number): RedactingStream {
  let waiting = '';
  /** Replaces every secret that begins before `safe`: there the longest form can be seen whole. */
  const passOn = (safe: number): string => {
    let passed = '';
    let from = 0;
    for (const match of waiting.matchAll(pattern)) {
      if (match.index >= safe) break;
      passed += waiting.slice(from, match.index) + String(names.get(match[0]));
      from = match.index + match[0].length;
    }
    const until = Math.max(from, safe);
    passed += waiting.slice(from, until);
    waiting = waiting.slice(until);
    return passed;
  };
  return {
    write(piece) {
      waiting += piece;
      return passOn(waiting.length - longest + 1);
    },
    end: () => passOn(waiting.length),
  };
}

/** Ways in which the same value is written: as it is, in JSON, in a URL, in base64. */
function formsOf(value: string): readonly string[] {
  const inText = [value, value.trim(), jsonForm(value), jsonForm(jsonForm(value))];
  return [...new Set([...inText, ...urlForms(value), ...base64Forms(value)])];
}

function jsonForm(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function urlForms(value: string): readonly string[] {
  let encoded: string;
  try {
    encoded = encodeURIComponent(value);
  } catch {
    // A lone surrogate cannot appear in a URL.
    return [];
  }
  // RFC 3986 encodes more than encodeURIComponent does, and both cases of hexadecimal are in use.
  const strict = encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const inForm = new URLSearchParams({ '': value }).toString().slice(1);
  return [encoded, strict, inForm].flatMap((form) => [
    form,
    form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  ]);
}

/**
 * What any base64 text that contains the value has in common: the value may begin at any of three places in a group, and
 * the characters at either end depend on what stands next to it.
 */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const from = Math.ceil((shift * 8) / 6);
    const until = Math.floor(((shift + bytes.length) * 8) / 6);
    const inside = encoded.slice(from, until);
    return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** A piece of text that is to be replaced. */
interface Found {
  readonly at: number;
  readonly length: number;
  readonly instead: string;
}

/**
 * What views leave out of a text: escape sequences of a terminal, control characters, invisible characters. Also as they are
 * written in JSON and in source code. Line breaks and tabs are seen.
 */
const HIDDEN = new RegExp(
  [
    String.raw`(?:\u001b[\]PX\^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?`,
    String.raw`(?:\u001b|\\+(?:u001[bB]|x1[bB]|033|e))(?:\[[0-?]*[ -\/]*[@-~]?|[ -\/]*[0-~]?)`,
    String.raw`\u009b[0-?]*[ -\/]*[@-~]?`,
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
    String.raw`\\+u(?:200[b-fB-F]|206[0-9a-fA-F]|202[8-9a-eA-E]|00[aA][dD]|[fF][eE][fF][fF])`,
    `[${UNSEEN_CHARACTERS}]`,
  ].join('|'),
  'gv',
);
/** A quick test whether it is worth a closer look. */
const MAY_HIDE = new RegExp(
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f${UNSEEN_CHARACTERS}]|\\(?:[bfr]|u[0-9a-fA-F]{4}|x1[bB]|033|e\[)`,
  'v',
);

/** Not plain ASCII, or a backslash: most text has neither, and this test costs little. */
const UNUSUAL = /[^\t\n -[\]-~]/;

function mayHide(text: string): boolean {
  return UNUSUAL.test(text) && MAY_HIDE.test(text);
}

/** As far back as something is looked for that is not whole yet, where something is hidden and where nothing is. */
const HELD_CHARACTERS = { hidden: 16 * 1024, plain: 256 } as const;

/** The same for text that comes in pieces. */
function hiddenStream(find: (seen: string) => readonly Found[]): KeyStream {
  let held = '';
  const passOn = (kept: number, isHiding: boolean): string => {
    if (isHiding) held = replaceHidden(held, find);
    const passed = held.slice(0, Math.max(0, held.length - kept));
    held = held.slice(passed.length);
    return passed;
  };
  return {
    write(piece) {
      held += piece;
      const isHiding = mayHide(held);
      return passOn(isHiding ? HELD_CHARACTERS.hidden : HELD_CHARACTERS.plain, isHiding);
    },
    end: () => passOn(0, mayHide(held)),
  };
}

/** Replaces what is found once the hidden characters are taken away, together with those that were inside of it. */
function replaceHidden(text: string, find: (seen: string) => readonly Found[]): string {
  if (!mayHide(text)) return text;
  const starts: { readonly seenAt: number; readonly at: number }[] = [];
  let seen = '';
  let from = 0;
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    seen += text.slice(from, index);
    from = index + hidden.length;
    starts.push({ seenAt: seen.length, at: from });
  }
  seen += text.slice(from);
  if (starts.length === 0) return text;
  const placeOf = (seenAt: number) => {
    const start = starts.findLast((one) => one.seenAt <= seenAt);
    return (start?.at ?? 0) + seenAt - (start?.seenAt ?? 0);
  };
  let replaced = '';
  let passed = 0;
  for (const { at, length, instead } of find(seen)) {
    const [begin, end] = [placeOf(at), placeOf(at + length - 1) + 1];
    replaced += text.slice(passed, begin) + instead;
    passed = end;
  }
  return replaced + text.slice(passed);
}

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

/** The password of a URL, also a JDBC one, or the token in place of its user, as it is written and decoded. */
function passwordsIn(value: string): readonly string[] {
  const password =
    /^(?:[a-z][a-z\d+.-]*:)+\/\/[^/?#@\s:]*:([^/?#\s]+)@/i.exec(value)?.[1] ??
    /^(?:[a-z][a-z\d+.-]*:)+\/\/([^/?#@\s:]{16,})@/i.exec(value)?.[1];
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
