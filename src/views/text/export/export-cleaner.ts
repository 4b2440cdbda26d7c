import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { createRedactor } from '../../../journal/redact.js';
import type { Environment } from '../../../journal/run-places.js';
import type { Check, Content } from '../../../model/recorded-shapes.js';
import { EVENT_TYPES, type RunEvent } from '../../../model/run-event.js';
import type { Policy } from '../../../model/policy.js';
import type { ReviewOpinion } from '../../../model/review.js';
import type { AgentSpec, RunSpec } from '../../../model/run-spec.js';
import type { AttemptSummary } from '../../../model/item-state.js';
import type { Judgement, StopReason, Verdict } from '../../../model/verdict.js';
import { plainJudgements, plainReasons } from './plain-sentences.js';

/** Names of fields inside others that hold what the agent, its tools or the user's programs wrote. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
  'text',
  'input',
  'output',
  'outputHead',
  'outputTail',
  'stderrTail',
  'summary',
  'lastMessage',
  'sentence',
  'error',
  'evidence',
  'message',
  'fingerprint',
  'detail',
  'details',
  'feedback',
  'handover',
  'matches',
  // Of a list of boxes.
  'open',
]);

/** What the user wrote. */
const OWN_PARTS: ReadonlySet<string> = new Set(['spec', 'policy', 'pipeline', 'limit', 'condition']);

/** Takes out of what leaves the machine what belongs to it: secrets, the home folder, processes, the user's seal. */
export interface ExportCleaner {
  /** What the agent and programs wrote is left out. */
  readonly isWithoutText: boolean;
  /** Secrets and the home folder, in any value that JSON can hold. */
  readonly value: <T>(value: T) => T;
  /** With the policy that the run has at that moment. */
  readonly event: (event: RunEvent, policy: Policy) => RunEvent;
  readonly reasons: (reasons: readonly StopReason[]) => readonly StopReason[];
  readonly judgements: (judgements: readonly Judgement[], policy: Policy) => readonly Judgement[];
  readonly attempts: (attempts: readonly AttemptSummary[]) => readonly AttemptSummary[];
  readonly spec: (spec: RunSpec) => RunSpec;
}

export interface CleanerOptions {
  readonly environment: Environment;
  /** Leave out what the agent and programs wrote. */
  readonly isWithoutText?: boolean | undefined;
}

export function createExportCleaner({ environment, isWithoutText }: CleanerOptions): ExportCleaner {
  const redactor = createRedactor(environment);
  const withoutHome = homeReplacer(environment);
  const text = (plain: string) => withoutHome(redactor.text(plain));
  const value = <T>(dirty: T): T => mapStrings(dirty, text) as T;
  return {
    isWithoutText: isWithoutText === true,
    value,
    event: (event, policy) => {
      const bare = withoutMachine(event);
      const { type, at } = event;
      // A secret may be one of our own words by chance.
      return { ...value(isWithoutText === true ? withoutText(bare, policy) : bare), type, at } as RunEvent;
    },
    reasons: (reasons) => {
      const bare = reasons.map(withoutAskersPid);
      return value(isWithoutText === true ? plainReasons(bare) : bare);
    },
    judgements: (judgements, policy) => {
      const bare = judgements.map(withoutPidIn);
      return value(isWithoutText === true ? plainJudgements(bare, policy) : bare);
    },
    attempts: (attempts) => {
      if (isWithoutText !== true) return value(attempts);
      return value(attempts.map((attempt) => ({ ...attempt, reasons: attempt.reasons?.filter(isCode) })));
    },
    spec: (spec) => value(withoutValues(spec)),
  };
}

/** The home folder as `~`, also where its path leads to another. */
function homeReplacer({ HOME = userInfo().homedir }: Environment): (text: string) => string {
  const homes = [...new Set([HOME, realPath(HOME)])]
    .map((home) => home.replace(/\/+$/, ''))
    .filter((home) => isAbsolute(home) && home !== '');
  if (homes.length === 0) return (text) => text;
  const paths = homes.map((home) => home.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\w.~-])(?:${paths})(?![\\w.-])`, 'g');
  return (text) => (homes.some((home) => text.includes(home)) ? text.replace(pattern, '~') : text);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Keys as well: facts are kept under conditions, which may name paths. */
function mapStrings(value: unknown, text: (plain: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [text(key), mapStrings(entry, text)]));
}

/** An event with each field as `change` makes it, by what the row of its type says of it. What is then undefined is left out. */
function mapFields(
  event: RunEvent,
  change: (value: unknown, content: Content | undefined, name: string) => unknown,
): RunEvent {
  const shape: Readonly<Record<string, Check>> = EVENT_TYPES[event.type].shape;
  const changed = Object.entries(event)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, change(value, shape[name]?.content, name)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined)) as unknown as RunEvent;
}

function withoutMachine(event: RunEvent): RunEvent {
  return mapFields(event, (value, content) => {
    switch (content) {
      case 'local':
        return undefined;
      case 'requester':
        return withoutPid(value as string);
      case 'spec':
        return withoutValues(value as RunSpec);
      case 'reasons':
        return (value as readonly StopReason[]).map(withoutAskersPid);
      case 'verdict': {
        const { reasons, judgements, ...verdict } = value as Verdict;
        return { ...verdict, reasons: reasons.map(withoutAskersPid), judgements: judgements.map(withoutPidIn) };
      }
      default:
        return value;
    }
  });
}

/** An event with its figures and without the words of others. The policy is that of the run at that moment. */
function withoutText(event: RunEvent, policy: Policy): RunEvent {
  return mapFields(event, (value, content, name) => {
    switch (content) {
      case 'written':
        return undefined;
      case 'opinion':
        return { answer: (value as ReviewOpinion).answer, reasons: [] } satisfies ReviewOpinion;
      case 'codes':
        return (value as readonly string[]).filter(isCode);
      case 'reasons':
        return plainReasons(value as readonly StopReason[]);
      case 'verdict': {
        const { reasons, judgements, ...verdict } = value as Verdict;
        return { ...verdict, reasons: plainReasons(reasons), judgements: plainJudgements(judgements, policy) };
      }
      default:
        return strippedField(name, value);
    }
  });
}

function strippedField(name: string, value: unknown): unknown {
  if (TEXT_KEYS.has(name)) return undefined;
  return OWN_PARTS.has(name) ? value : stripped(value);
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, entry]) => [name, strippedField(name, entry)] as const);
  return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined));
}

/** A word such as BLURRY sorts attempts; anything longer tells of them. */
function isCode(reason: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,39}$/.test(reason);
}

/** "pawl stop (pid 12)", "the dashboard (pawl ui, pid 12)". */
function withoutPid(by: string): string {
  return by.replace(/ \(pid \d+\)|, pid \d+(?=\))/g, '');
}

/** It names the process that requested it. Earlier versions recorded it in other words. */
function isStopRequest(message: string): boolean {
  return message.startsWith('stop requested (') || message.startsWith('stop asked by ');
}

function withoutAskersPid(reason: StopReason): StopReason {
  return isStopRequest(reason.message) ? { ...reason, message: withoutPid(reason.message) } : reason;
}

function withoutPidIn(judgement: Judgement): Judgement {
  const { sentence } = judgement;
  return isStopRequest(sentence) ? { ...judgement, sentence: withoutPid(sentence) } : judgement;
}

/** Which variables the agent is given is part of the run, what is in them is not; nor is where its user is told. */
function withoutValues(spec: RunSpec): RunSpec {
  const { agent, notify, review } = spec;
  const named = (env: AgentSpec['env'] = {}) => Object.fromEntries(Object.keys(env).map((name) => [name, `[${name}]`]));
  const reviewer = review?.agent && { ...review.agent, env: named(review.agent.env) };
  const webhook = notify?.webhook === undefined ? {} : { webhook: '[NOTIFY_WEBHOOK]' };
  return {
    ...spec,
    agent: { ...agent, env: named(agent.env) },
    ...(review === undefined ? {} : { review: { ...review, agent: reviewer } }),
    notify: { ...notify, ...webhook },
  };
}
