import { AGENTS } from '../agents/index.js';
import type { KnownAgent } from '../agents/known-agent.js';
import { askVersion, compareVersions } from './ask-version.js';
import type { DoctorRequest, Finding, Level } from './finding.js';
import { findLogin, type Login } from './find-login.js';
import { findOutside, outsidePath } from './outside-programs.js';

const MOST_AT_ONCE = 2;

/** Every agent CLI that is installed: where, which version, which account. The others on one line. */
export async function examineAgents(request: DoctorRequest): Promise<readonly Finding[]> {
  const found = AGENTS.map((agent) => ({ agent, file: findOutside(agent.name, request.search) }));
  const installed = found.filter((one): one is Installed => one.file !== undefined);
  const missing = found.filter(({ file }) => file === undefined).map(({ agent }) => agent);
  const findings = await examineInTurn(installed, request);
  return [...findings.flat(), ...missingFindings(missing, installed.length)];
}

/** A few at a time: each takes seconds of processor time to start, and would make the others late. */
async function examineInTurn(
  installed: readonly Installed[],
  request: DoctorRequest,
): Promise<readonly (readonly Finding[])[]> {
  const findings: (readonly Finding[])[] = [];
  const left = installed.entries();
  const work = async (): Promise<void> => {
    for (const [index, one] of left) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      findings[index] = await examineAgent(one, request);
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  return findings;
}

interface Installed {
  readonly agent: KnownAgent;
  readonly file: string;
}

async function examineAgent({ agent, file }: Installed, request: DoctorRequest): Promise<readonly Finding[]> {
  const { environment, search, timeoutMs } = request;
  const offline = { ...environment, ...agent.offline };
  const answer = await askVersion({ file, environment: offline, path: outsidePath(search), timeoutMs });
  const login = findLogin({ agent, environment, home: search.home, platform: request.platform });
  const state = 'problem' in answer ? problemState(agent, answer, file) : versionState(agent, answer.version, file);
  return [
    { group: 'agents', name: agent.name, ...state },
    loginFinding(agent, login),
    ...billing(agent, login, request),
  ];
}

function problemState(
  { name }: KnownAgent,
  { problem, isSlow }: { readonly problem: string; readonly isSlow?: true },
  file: string,
): { readonly level: Level; readonly found: string; readonly fix: string } {
  const found = `${file} ${problem}${isSlow === true ? ': its version is not known' : ''}`;
  return { level: isSlow === true ? 'note' : 'warning', found, fix: `run ${name} --version yourself` };
}

function versionState(
  agent: KnownAgent,
  version: string,
  file: string,
): { readonly level: Level; readonly found: string; readonly fix?: string } {
  const where = `${agent.title} ${version}, ${file}`;
  const update = `npm install -g ${agent.package}@latest, or as you installed it`;
  if (compareVersions(version, agent.oldest) < 0) {
    const found = `${where}: older than ${agent.oldest}, the oldest that Pawl was tried with`;
    return { level: 'warning', found, fix: update };
  }
  const known = agent.faults?.find(({ before }) => compareVersions(version, before) < 0);
  if (known !== undefined) return { level: 'warning', found: `${where}: ${known.fault}`, fix: update };
  return { level: 'ok', found: where };
}

function loginFinding(agent: KnownAgent, login: Login): Finding {
  const line = (level: Level, found: string, fix?: string): Finding => ({
    group: 'agents',
    name: `${agent.name} login`,
    level,
    found,
    fix,
  });
  switch (login.kind) {
    case 'login':
      return line('ok', `logged in (${login.from})`);
    case 'variable':
      return line('ok', `by ${login.name}, which is set`);
    case 'none':
      return line('warning', 'none found', agent.login.how);
    case 'unknown':
      return line('note', 'unknown: no login was found in its usual places');
    default:
      return login satisfies never;
  }
}

/** A key in the environment beats the login, and another wallet pays. */
function billing(agent: KnownAgent, login: Login, { environment }: DoctorRequest): readonly Finding[] {
  const sentences = agent.billing?.(environment) ?? [];
  const beatsLogin = login.kind === 'variable' && login.hasLogin;
  return sentences.map((found) => ({
    group: 'agents',
    name: `${agent.name} bill`,
    level: beatsLogin ? 'warning' : 'note',
    found: beatsLogin ? `${found}, although you are logged in` : found,
    fix: beatsLogin && login.kind === 'variable' ? `unset ${login.name} if the login is to pay` : undefined,
  }));
}

function missingFindings(missing: readonly KnownAgent[], installed: number): readonly Finding[] {
  if (missing.length === 0) return [];
  if (installed > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    return [{ group: 'agents', name: 'not installed', level: 'note', found: names }];
  }
  return [
    {
      group: 'agents',
      name: 'agents',
      level: 'warning',
      found: 'no agent CLI is on the PATH outside the project',
      fix: `npm install -g ${missing[0]?.package}, or run a command of yours: pawl run -- ./agent.sh`,
    },
  ];
}
