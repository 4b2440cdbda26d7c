import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { createRedactor } from '../../journal/redact.js';
import type { Environment } from '../../journal/second-home.js';
import type { RunEvent } from '../../model/run-event.js';
import type { Policy } from '../../model/policy.js';
import type { RunSpec } from '../../model/run-spec.js';
import type { AttemptSummary } from '../../model/item-state.js';
import type { Judgement, StopReason } from '../../model/verdict.js';
import { plainJudgements, plainReasons } from './plain-sentences.js';
import { isCode, withoutText } from './without-text.js';

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
function homeReplacer({ HOME = homedir() }: Environment): (text: string) => string {
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

function withoutMachine(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'agent-spawned': {
      const { pid: _pid, startTime: _startTime, ...rest } = event;
      return rest as RunEvent;
    }
    case 'iteration-started': {
      const { cookie: _cookie, ...rest } = event;
      return rest;
    }
    case 'run-started':
    case 'run-resumed':
    case 'manifest-changed': {
      const { seal: _seal, ...rest } = event;
      return rest.spec === undefined ? rest : { ...rest, spec: withoutValues(rest.spec) };
    }
    case 'command-received':
    case 'limit-extended':
    case 'claim-made':
      return { ...event, by: withoutPid(event.by) };
    case 'run-ended':
      return { ...event, reasons: event.reasons.map(withoutAskersPid) };
    case 'verdict-reached': {
      const { verdict } = event;
      const reasons = verdict.reasons.map(withoutAskersPid);
      return { ...event, verdict: { ...verdict, reasons, judgements: verdict.judgements.map(withoutPidIn) } };
    }
    default:
      return event;
  }
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
  const { agent, notify } = spec;
  const env = Object.fromEntries(Object.keys(agent.env ?? {}).map((name) => [name, `[${name}]`]));
  const webhook = notify?.webhook === undefined ? {} : { webhook: '[NOTIFY_WEBHOOK]' };
  return { ...spec, agent: { ...agent, env }, notify: { ...notify, ...webhook } };
}
