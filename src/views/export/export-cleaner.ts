import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { createRedactor } from '../../journal/redact.js';
import type { Environment } from '../../journal/second-home.js';
import type { RunEvent } from '../../model/run-event.js';
import type { RunSpec } from '../../model/run-spec.js';
import { withoutText } from './without-text.js';

/** Takes out of what leaves the machine what belongs to it: secrets, the home folder, processes, the user's seal. */
export interface ExportCleaner {
  /** Secrets and the home folder, in any value that JSON can hold. */
  readonly value: <T>(value: T) => T;
  readonly event: (event: RunEvent) => RunEvent;
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
    value,
    event: (event) => {
      const bare = withoutMachine(event);
      const { type, at } = event;
      // A secret may be one of our own words by chance.
      return { ...value(isWithoutText === true ? withoutText(bare) : bare), type, at } as RunEvent;
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
    case 'manifest-changed': {
      const { seal: _seal, ...rest } = event;
      return rest.spec === undefined ? rest : { ...rest, spec: withoutValues(rest.spec) };
    }
    case 'command-received':
    case 'limit-extended':
      return { ...event, by: event.by.replace(/[\s,(]*\bpid \d+\)?/, '') };
    default:
      return event;
  }
}

/** Which variables the agent is given is part of the run, what is in them is not; nor is where its user is told. */
function withoutValues(spec: RunSpec): RunSpec {
  const { agent, notify } = spec;
  const env = Object.fromEntries(Object.keys(agent.env ?? {}).map((name) => [name, `[${name}]`]));
  const webhook = notify?.webhook === undefined ? {} : { webhook: '[NOTIFY_WEBHOOK]' };
  return { ...spec, agent: { ...agent, env }, notify: { ...notify, ...webhook } };
}
