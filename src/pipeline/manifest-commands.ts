import { type ProjectCommand, projectCommands, sentFile } from '../config/project-commands.js';
import type { Manifest } from './load-manifest.js';

/** What a manifest would have executed on the user's machine. */
export function manifestCommands(manifest: Manifest): readonly ProjectCommand[] {
  const { source, generate, audit, spec, origins, placeOf } = manifest;
  const own = [
    source.kind === 'command' ? ['items.command', 'lists the items', source.command] : undefined,
    generate.command === undefined ? undefined : ['generate.command', 'makes an item', generate.command],
    audit === undefined ? undefined : ['audit.command', 'audits it', audit.command],
  ].filter((one) => one !== undefined);
  const { promptPath } = generate;
  const file = 'generate.prompt_path';
  const prompt = promptPath === undefined ? undefined : sentFile(file, placeOf(file), promptPath, spec.workingDir);
  return [
    ...own.map(([path = '', what = '', shown = '']) => ({ path, place: placeOf(path), what, shown, whole: shown })),
    ...(prompt === undefined ? [] : [prompt]),
    // It has its own prompt.
    ...projectCommands({ spec: { ...spec, prompt: '' }, origins }),
  ];
}
