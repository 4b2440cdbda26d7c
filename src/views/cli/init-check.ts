import { join } from 'node:path';
import { parseLayer } from '../../config/file-layer.js';
import { resolveLayers } from '../../config/resolve-layers.js';
import { ConfigError } from '../../model/errors.js';

/** A config that would be refused is not written. Throws ConfigError. */
export function checkWritten(text: string, folder: string): void {
  const options = { source: 'project-file', path: join(folder, 'pawl.yaml'), cwd: folder, required: true } as const;
  const { layer, issues } = parseLayer(text, 'pawl.yaml', options);
  if (layer === undefined) throw new ConfigError(issues);
  resolveLayers([layer], { cwd: folder, defaultAgent: 'claude' }, { issues, warnings: [] });
}
