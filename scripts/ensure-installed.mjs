import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

const LOCKFILE = inProject('package-lock.json');
const INSTALLED_MARK = inProject('node_modules', '.pawl-lock');
const NPM_RECORD = inProject('node_modules', '.package-lock.json');

/** The oldest releases that the tools of the project run on; the built package runs on older ones. */
const OLDEST_MINOR = { 20: 19, 22: 13 };

/** Installs what the lockfile names, unless it is there already. */
export async function ensureInstalled() {
  checkNodeVersion();
  const wanted = createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex');
  if (existsSync(INSTALLED_MARK) && readFileSync(INSTALLED_MARK, 'utf8') === wanted) return;
  if (!isInstalledByHand()) await install();
  writeFileSync(INSTALLED_MARK, wanted);
}

function checkNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const oldest = OLDEST_MINOR[major] ?? (major > 22 ? 0 : Number.POSITIVE_INFINITY);
  if (minor >= oldest) return;
  fail(
    `This is Node ${process.versions.node}. Building and testing Pawl needs Node 20.19 or newer (of 22: 22.13).\n` +
      'Install a newer Node and try again.',
  );
}

/** `npm ci` or `npm install` was run by a person, and everything that the lockfile names is there. */
function isInstalledByHand() {
  if (!existsSync(NPM_RECORD)) return false;
  const installed = JSON.parse(readFileSync(NPM_RECORD, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(LOCKFILE, 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, entry]) => path === '' || entry.optional || installed[path]?.version === entry.version,
  );
}

async function install() {
  process.stderr.write('Installing the packages of package-lock.json (once) ...\n');
  rmSync(INSTALLED_MARK, { force: true });
  const [command, ...npm] = npmCommand();
  // Nothing that Pawl uses needs an install script, so none can download anything else.
  const args = [...npm, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code } = await runCommand(command, args, { env: installEnvironment() }).catch((error) =>
    fail(`Cannot start npm: ${error.message}`),
  );
  if (code === 0) return;
  fail(
    `\n"npm ci" failed with exit code ${code}; its message is above. Nothing was run.\n` +
      'Without a network, or behind a registry that lacks a package, it cannot succeed; otherwise try it again.',
  );
}

/** The npm that runs this script, or the one on the path. */
function npmCommand() {
  const running = process.env.npm_execpath;
  const isNpm = running !== undefined && /[/\\]npm[^/\\]*\.c?js$/.test(running) && existsSync(running);
  return isNpm ? [process.execPath, running] : ['npm'];
}

/** What an outer npm says about its own call must not steer this one. */
function installEnvironment() {
  return {
    NODE_ENV: undefined,
    npm_config_local_prefix: undefined,
    npm_config_dry_run: undefined,
    npm_config_omit: undefined,
  };
}
