import { join, resolve } from 'node:path';
import { type ProjectCommand, projectCommands, sentFile } from '../../config/project-commands.js';
import { splitGlob } from '../../observation/matching-files.js';
import type { Manifest } from './load-manifest.js';

/** What a manifest would have executed on the user's machine. */
export function manifestCommands(manifest: Manifest): readonly ProjectCommand[] {
  const { source, generate, audit, spec, origins, folders, placeOf } = manifest;
  const own = [
    source.kind === 'command' ? ['items.command', 'lists the items', source.command] : undefined,
    generate.command === undefined ? undefined : ['generate.command', 'makes an item', generate.command],
    audit === undefined ? undefined : ['audit.command', 'audits it', audit.command],
  ].filter((one) => one !== undefined);
  return [
    ...own.map(([path = '', what = '', shown = '']) => ({ path, place: placeOf(path), what, shown, whole: shown })),
    ...[sentPrompt(manifest), sentItems(manifest)].filter((one) => one !== undefined),
    // It has its own prompt.
    ...projectCommands({ spec: { ...spec, prompt: '' }, origins, folders }),
  ];
}

function sentPrompt({ generate: { promptPath }, spec, placeOf }: Manifest): ProjectCommand | undefined {
  const path = 'generate.prompt_path';
  return promptPath === undefined ? undefined : sentFile(path, placeOf(path), promptPath, spec.workingDir);
}

/** Items that an agent gets: the lines of a file, or the names of the files that a glob finds. */
function sentItems({ source, generate, spec: { workingDir }, placeOf }: Manifest): ProjectCommand | undefined {
  if (generate.command !== undefined || (source.kind !== 'file' && source.kind !== 'glob')) return undefined;
  const path = `items.${source.kind}`;
  const { base, glob } = source.kind === 'file' ? { base: source.path, glob: '' } : splitGlob(source.pattern);
  const sent = sentFile(path, placeOf(path), resolve(workingDir, base), workingDir);
  if (sent === undefined) return undefined;
  const shown = join(sent.shown, glob);
  return { ...sent, shown, whole: shown };
}
