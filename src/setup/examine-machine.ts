import { existsSync } from 'node:fs';
import { AGENTS } from '../agents/index.js';
import { askVersion, compareVersions } from './ask-version.js';
import type { DoctorRequest, Finding, Level } from './finding.js';
import { findOutside, outsidePath } from './outside-programs.js';

/** As in `engines` of the package. */
const OLDEST_NODE = '20.15.0';
/** The first git that can be kept from reading the user's settings (`GIT_CONFIG_GLOBAL`). */
const OLDEST_GIT = '2.32.0';

export async function examineMachine(request: DoctorRequest): Promise<readonly Finding[]> {
  return [node(request), await git(request), platform(request), ...user(request)];
}

function line(name: string, level: Level, found: string, fix?: string): Finding {
  return { group: 'machine', name, level, found, fix };
}

function node({ nodeVersion }: DoctorRequest): Finding {
  const version = nodeVersion.replace(/^v/, '');
  if (compareVersions(version, OLDEST_NODE) >= 0) return line('Node', 'ok', version);
  return line('Node', 'problem', `${version} is too old`, `install Node ${OLDEST_NODE} or later`);
}

async function git({ environment, search, timeoutMs }: DoctorRequest): Promise<Finding> {
  const without = 'without it Pawl sees no file changes and can restore nothing';
  const file = findOutside('git', search);
  if (file === undefined) return line('git', 'problem', `not on the PATH: ${without}`, 'install git');
  const answer = await askVersion({ file, environment, path: outsidePath(search), timeoutMs });
  if ('problem' in answer) return line('git', 'problem', `${file} ${answer.problem}`, 'run git --version yourself');
  const found = `${answer.version}, ${file}`;
  if (compareVersions(answer.version, OLDEST_GIT) >= 0) return line('git', 'ok', found);
  return line('git', 'problem', `${found}: too old`, `install git ${OLDEST_GIT} or later`);
}

/** What ends the agent when Pawl itself is killed, and how stray processes are found. */
function platform({ platform: system }: DoctorRequest): Finding {
  if (system === 'darwin') {
    const found = "macOS: if Pawl is killed, a process that left the agent's group runs on until the run is resumed";
    return line('platform', 'warning', found, 'end runs with pawl stop; after a crash, pawl resume ends what is left');
  }
  if (system !== 'linux') return line('platform', 'problem', `${system} is not supported`, 'use Linux, macOS or WSL');
  if (!existsSync('/proc/self/stat')) {
    return line('platform', 'problem', 'Linux without /proc: stray processes cannot be found', 'mount /proc');
  }
  return line('platform', 'ok', 'Linux with /proc: if Pawl is killed, what it started ends within seconds');
}

/** Root may do anything to the machine, and so may its agent. */
function user({ userId, environment }: DoctorRequest): readonly Finding[] {
  if (userId === undefined) return [];
  if (userId !== 0) return [line('user', 'ok', 'not root')];
  if (environment['IS_SANDBOX'] === '1') return [line('user', 'ok', 'root, in a sandbox (IS_SANDBOX=1)')];
  const refusing = AGENTS.filter((agent) => agent.refusesBypassAsRoot).map(({ title }) => title);
  const found = `root: the agent may change the whole machine, and ${refusing.join(', ')} refuses permissions: bypass`;
  return [line('user', 'warning', found, 'use another user, or set IS_SANDBOX=1 in a disposable container')];
}
