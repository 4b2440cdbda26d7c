import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

/** It needs Node 22, and two versions of one package cannot stand side by side: so it has a folder of its own. */
const PREFIX = inProject('node_modules', '.cache', 'ai-7');
const PACKAGES = { ai: '7.0.169', '@ai-sdk/anthropic': '4.0.102', '@ai-sdk/openai': '4.0.114' };
const NAME = 'AI SDK 7';

/** The in-process agent against AI SDK 7: its types, then its tests by `runTests(name, env, args)` under the given Node. */
export async function runWithAiSdk7(runTests, env) {
  await ensureInstalled();
  process.stdout.write(`\n${NAME}\n`);
  return [await checkTypes(), await runTests(NAME, env, ['--config', 'vitest.ai-7.config.ts'])];
}

async function ensureInstalled() {
  if (Object.entries(PACKAGES).every(isInstalled)) return;
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const options = ['--silent', '--no-save', '--no-audit', '--no-fund', '--engine-strict=false', '--prefix', PREFIX];
  const { code, output } = await runCommand('npm', ['install', ...options, ...wanted], { capture: true });
  if (code !== 0 || !Object.entries(PACKAGES).every(isInstalled)) fail(`${NAME} cannot be installed: ${output.trim()}`);
}

function isInstalled([name, version]) {
  const manifest = join(PREFIX, 'node_modules', name, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
}

async function checkTypes() {
  const { code, output } = await runCommand('tsc', ['--noEmit', '-p', 'tsconfig.ai-7.json'], { capture: true });
  if (code !== 0) process.stdout.write(`${output}\n`);
  const tally = { passed: code === 0 ? 1 : 0, failed: code === 0 ? [] : ['the types do not fit'], skipped: [] };
  return { name: NAME, code, tally };
}
