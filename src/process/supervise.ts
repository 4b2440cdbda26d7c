import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { messageOf } from '../model/errors.js';
import { findProgram } from './find-program.js';
import { CLAIM_KEY_VARIABLE, COOKIE_VARIABLE } from './process-table.js';
import { recentCensus } from './recent-census.js';
import type { Ending, Supervised, SuperviseRequest } from './supervised.js';
import type { ProgramStart, StartMarks } from './standby-program.js';
import { StartedChild } from './started-child.js';
import { Supervision } from './supervision.js';

/** Starts a process in a group of its own and sees it to its end. */
export function supervise(request: SuperviseRequest): Supervised {
  if (!existsSync(request.cwd)) return notStarted(`the working directory ${request.cwd} is gone`);
  const file = findProgram(request.command, request.cwd, request.env['PATH']);
  if (file === undefined) return notStarted(`${request.command} is not a program that can be run`);
  try {
    return startInShell(request) ?? startAlone(request, file);
  } catch (error) {
    return notStarted(messageOf(error));
  }
}

/** A command line for the shell may be done by one that stands by. */
function startInShell(request: SuperviseRequest): Supervised | undefined {
  const { shells, command, args } = request;
  const [flag, line] = args;
  if (shells === undefined || command !== '/bin/sh' || flag !== '-c' || line === undefined || args.length > 2) {
    return undefined;
  }
  const started = shells.start({ ...request, command: line });
  return started && new Supervision(started, request);
}

function startAlone(request: SuperviseRequest, file: string): Supervised {
  const { args, cwd, env, cookie, standby } = request;
  const census = recentCensus();
  const how: ProgramStart = { program: file, args, cwd, env, before: parentDeathSignal(env['PATH']) };
  const ready = standby?.take(how, request);
  const child = ready?.child ?? start(how, request);
  if (child.pid === undefined) return failedToStart(child);
  const supervised = new Supervision(new StartedChild(child, child.pid, { cookie, census, go: ready?.go }), request);
  standby?.hasStarted(how, supervised.ended);
  return supervised;
}

function start({ program, args, cwd, env, before }: ProgramStart, { cookie, claimKey }: StartMarks): ChildProcess {
  const [first = program, ...words] = [...before, program, ...args];
  const given = { ...env, [COOKIE_VARIABLE]: cookie, [CLAIM_KEY_VARIABLE]: claimKey };
  return spawn(first, words, { cwd, env: given, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** If the runner is killed, the process gets a signal, where the system can do that. */
function parentDeathSignal(path: string | undefined): readonly string[] {
  if (lookedIn !== path) setpriv = findProgram('setpriv', '/', path);
  lookedIn = path;
  return setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'TERM', '--'];
}

/** Looked for once: a loop starts thousands of processes. */
let setpriv: string | undefined;
let lookedIn: string | undefined;

function notStarted(why: string): Supervised {
  return { kill: () => undefined, ended: Promise.resolve(neverStarted(why)) };
}

/** The system tells why only later, by an event. */
function failedToStart(child: ChildProcess): Supervised {
  const why = once(child, 'error').then(([error]: unknown[]) => neverStarted(messageOf(error)));
  return { kill: () => undefined, ended: why };
}

function neverStarted(error: string): Ending {
  return { cause: 'not-started', durationMs: 0, stragglers: 0, survivors: [], error };
}
