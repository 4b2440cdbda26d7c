import type { DoctorRequest } from './doctor-request.js';
import { examineAgents } from './examine-agents.js';
import { examineConfig } from './examine-config.js';
import { examineDisk } from './examine-disk.js';
import { examineMachine } from './examine-machine.js';
import type { Finding, FindingGroup } from './finding.js';

/**
 * Looks at everything that a run needs, all at once. Executes nothing of the tree, writes nothing, spends nothing, and
 * ends: each look has a time limit. Never rejects.
 */
export async function examine(request: DoctorRequest): Promise<readonly Finding[]> {
  const looks: readonly (readonly [FindingGroup, () => readonly Finding[] | Promise<readonly Finding[]>])[] = [
    ['machine', () => examineMachine(request)],
    ['agents', () => examineAgents(request)],
    ['disk', () => examineDisk(request)],
    ['config', () => examineConfig(request)],
  ];
  const findings = await Promise.all(looks.map(async ([group, look]) => guarded(group, look)));
  return findings.flat();
}

async function guarded(
  group: FindingGroup,
  look: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const found = `could not be looked at: ${error instanceof Error ? error.message : String(error)}`;
    return [{ group, name: group, level: 'problem', found }];
  }
}
