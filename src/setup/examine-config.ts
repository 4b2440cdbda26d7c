import { AGENTS } from '../agents/index.js';
import { userDayLimit } from '../config/override-layer.js';
import { readFileLayer } from '../config/file-layer.js';
import { loadConfig, type LoadedConfig } from '../config/load-config.js';
import { userFilePath } from '../config/config-file.js';
import { reviewPolicy } from '../config/review-policy.js';
import type { DoctorRequest, Finding, Level } from './finding.js';
import { findOutside } from './outside-programs.js';

/** The user's config, this folder's, and whether the agent that it names can be started. Executes nothing. */
export function examineConfig(request: DoctorRequest): readonly Finding[] {
  const user = userConfig(request);
  if (user.level === 'problem') return [user];
  const loaded = load(request);
  if (!('spec' in loaded)) return [user, loaded];
  return [user, ...projectFindings(loaded, request), ...agentFindings(loaded, request), dayLimit(request)];
}

function line(name: string, level: Level, found: string, fix?: string): Finding {
  return { group: 'config', name, level, found, fix };
}

function userConfig({ environment, folder }: DoctorRequest): Finding {
  const path = userFilePath(environment);
  if (path === undefined) return line('your config', 'note', 'there is no home folder for one');
  const { layer, issues } = readFileLayer({ source: 'user-file', path, cwd: folder, required: false });
  if (issues.length > 0) return line('your config', 'problem', sentence(issues), 'pawl check names every mistake');
  return layer === undefined
    ? line('your config', 'ok', `none (${path})`)
    : line('your config', 'ok', `valid (${path})`);
}

interface FoundIssue {
  readonly path: string;
  readonly place?: string | undefined;
  readonly message: string;
}

function sentence(issues: readonly FoundIssue[]): string {
  const [first] = issues;
  if (first === undefined) return 'is wrong';
  const text = [first.place, first.path === '' ? undefined : `${first.path}:`, first.message];
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`;
  return `${text.filter((part) => part !== undefined).join(' ')}${more}`;
}

function load({ folder, environment }: DoctorRequest): LoadedConfig | Finding {
  try {
    return loadConfig({ cwd: folder, env: environment });
  } catch (error) {
    const issues = (error as { readonly issues?: readonly FoundIssue[] }).issues;
    if (issues === undefined) throw error;
    return line('project config', 'problem', sentence(issues), 'pawl check names every mistake');
  }
}

function projectFindings(config: LoadedConfig, { now }: DoctorRequest): readonly Finding[] {
  const { projectFile, spec, origins } = config;
  if (projectFile === undefined) return [line('project config', 'note', 'no pawl.yaml here', 'pawl init writes one')];
  const warnings = [...config.warnings, ...reviewPolicy(spec, { now: now(), origins })];
  if (warnings.length === 0) return [line('project config', 'ok', `${projectFile} is valid`)];
  return [line('project config', 'warning', sentence(warnings), 'pawl check names every warning')];
}

/** An agent that is named must be there; the default of a folder without a config need not. */
function agentFindings({ spec, origins }: LoadedConfig, request: DoctorRequest): readonly Finding[] {
  const { agent } = spec;
  const known = AGENTS.find(({ name }) => name === agent.name);
  const isNamed = origins['agent.name'] !== undefined && origins['agent.name'].source !== 'default';
  const findings: Finding[] = [];
  if (known !== undefined && agent.command === undefined && isNamed) {
    const file = findOutside(known.name, request.search);
    const fix = `npm install -g ${known.package}, or name another agent`;
    if (file === undefined) findings.push(line('agent', 'problem', `${agent.name} is not on the PATH`, fix));
    else findings.push(line('agent', 'ok', `${agent.name} is installed`));
  }
  const isSandboxed = (agent.env['IS_SANDBOX'] ?? request.environment['IS_SANDBOX']) === '1';
  if (known?.refusesBypassAsRoot === true && agent.permissions === 'bypass' && request.userId === 0 && !isSandboxed) {
    const found = `permissions: bypass is refused by ${known.title} as root`;
    findings.push(line('permissions', 'problem', found, 'use permissions: edit, or env: { IS_SANDBOX: "1" }'));
  }
  return findings;
}

function dayLimit({ environment }: DoctorRequest): Finding {
  const limit = userDayLimit(environment);
  if (limit !== undefined) return line('limit per day', 'ok', `$${limit} over all your runs`);
  return line('limit per day', 'note', 'none', 'max_cost_per_day: 50 in your config bounds all your runs together');
}
