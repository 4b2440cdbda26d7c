import { ensureInstalled } from './ensure-installed.mjs';
import { fail, runCommand } from './run-command.mjs';

// Builds the documentation site into docs/.vitepress/dist, or into the folder after --outDir. `--serve` shows pages while you edit.
const args = process.argv.slice(2);
await ensureInstalled();
const isServed = args.includes('--serve');
const { code } = await runCommand('vitepress', isServed ? ['dev', 'docs'] : ['build', 'docs', ...args]);
if (code !== 0) fail('The site was not built.');
