import type { StopCondition } from '../model/condition.js';
import { needsOf } from '../model/condition-catalog.js';
import type { ProbeResult } from '../model/observation.js';
import type { Harness } from './harness.js';
import { probeChecklist } from './probe-checklist.js';
import { probeFileContains, probeFileCreated } from './probe-file.js';
import { type FunctionSetting, probeFunction } from './probe-function.js';
import { probeMetric } from './probe-metric.js';
import { probeScript } from './probe-script.js';

/** Looks at what a condition asks for. Never rejects: what is not known has no `met`, and a detail of why. */
export async function observeProbe(condition: StopCondition, setting: Harness & FunctionSetting): Promise<ProbeResult> {
  const { probe } = needsOf(condition);
  switch (probe?.kind) {
    case 'file': {
      const { path, content, fresh } = probe;
      return content === undefined
        ? probeFileCreated({ path, fresh }, setting)
        : probeFileContains({ path, content, fresh }, setting);
    }
    case 'checklist':
      return probeChecklist(probe, setting);
    case 'measurement':
      return probeMetric(probe, setting);
    case 'program':
      return probeScript(probe, setting);
    case 'function':
      return probeFunction(probe, setting, setting.signal);
    default:
      return { detail: `nothing is observed for ${condition.type}` };
  }
}
