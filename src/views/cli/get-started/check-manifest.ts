import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, FileSystemError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { readConfigFile } from '../../../config/config-file.js';
import { fixManifest } from '../../../pipeline/manifest/fix-manifest.js';
import { loadManifest } from '../../../pipeline/manifest/load-manifest.js';
import { planPipeline } from '../../../pipeline/plan-pipeline.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { findManifest } from '../run/find-manifest.js';
import { pipelinePlanLines } from '../run/pipeline-plan-lines.js';
import type { CommandContext } from '../command-context.js';

export interface CheckManifestOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly fix?: boolean | undefined;
}

/** Checks a manifest and, unless a command lists them, its items. Executes nothing. Throws ConfigError. */
export async function checkManifest(
  named: string | undefined,
  { cwd: place, json = false, fix = false }: CheckManifestOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const cwd = resolve(context.cwd, place ?? '.');
  try {
    const file = findManifest(named, cwd);
    if (fix && rewriteManifest(resolve(cwd, file)) && !json) terminal.say(`${printable(file)}: commands rewritten`);
    const manifest = loadManifest(file, { cwd, env: context.environment });
    const isListed = manifest.source.kind !== 'command';
    const plan = isListed ? await planPipeline(manifest, { environment: context.environment }) : undefined;
    const items = plan?.items.length;
    if (json) terminal.raw(`${jsonText({ ok: true, items }, 2)}\n`);
    else {
      const found =
        items === undefined ? 'its items are listed by a command, which was not run' : plural(items, 'item');
      terminal.say(`${printable(manifest.file)}: ok, ${found}`);
      if (plan !== undefined)
        for (const line of pipelinePlanLines({ ...plan, items: [] }, terminal).slice(1)) terminal.say(line);
    }
    return EXIT_CODES.goal;
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) throw error;
    terminal.raw(`${jsonText({ ok: false, issues: error.issues }, 2)}\n`);
    return EXIT_CODES.usage;
  }
}

/** Writes the manifest with variables in its commands. Returns whether it changed. The file is never there in part. */
function rewriteManifest(path: string): boolean {
  const file = readConfigFile(path);
  if (file.kind !== 'read') return false;
  const fixed = fixManifest(file.text);
  if (fixed === file.text) return false;
  const target = realpathSync(path);
  const draft = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, fixed, { mode: statSync(target).mode, flag: 'wx' });
    renameSync(draft, target);
    return true;
  } catch (error) {
    rmSync(draft, { force: true });
    throw new FileSystemError('write', path, error);
  }
}
