import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

const MAJORS = [20, 22, 24];

/** Every supported version of Node but the one that runs this, from the registry: its major and the folder of `node`. */
export async function otherNodes() {
  const own = Number(process.versions.node.split('.')[0]);
  const found = [];
  for (const major of MAJORS.filter((major) => major !== own)) found.push({ major, folder: await ensureNode(major) });
  return found;
}

/** The folder of that version of Node, from the registry. */
export async function ensureNode(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = inProject('node_modules', '.cache', `node-${major}`);
  const folder = join(prefix, 'node_modules', name, 'bin');
  if (existsSync(join(folder, 'node'))) return folder;
  const args = ['install', '--silent', '--no-save', '--no-audit', '--no-fund', '--prefix', prefix, `${name}@${major}`];
  const { code, output } = await runCommand('npm', args, { capture: true });
  if (code !== 0 || !existsSync(join(folder, 'node'))) fail(`Node ${major} cannot be installed: ${output.trim()}`);
  return folder;
}
