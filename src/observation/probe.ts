import type { ProbeCondition } from '../model/condition.js';
import type { ProbeResult } from '../model/observation.js';
import type { Harness } from './harness.js';
import { probeFileContains, probeFileCreated } from './probe-file.js';
import { type FunctionSetting, probeFunction } from './probe-function.js';
import { probeScript } from './probe-script.js';

/** Looks at what a condition asks for. Never rejects: what cannot be told has no `met`, and a detail of why. */
export async function observeProbe(
  condition: ProbeCondition,
  setting: Harness & FunctionSetting,
): Promise<ProbeResult> {
  switch (condition.type) {
    case 'file_created':
      return probeFileCreated(condition, setting);
    case 'file_contains':
      return probeFileContains(condition, setting);
    case 'custom_script':
      return probeScript(condition, setting);
    case 'function':
      return probeFunction(condition, setting, setting.signal);
    default:
      return condition satisfies never;
  }
}
