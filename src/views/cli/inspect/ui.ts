import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { FollowedFleet } from '../../../fleet/follow-fleet.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { hasScreen, openInBrowser } from '../../../setup/open-browser.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { type DoorFile, writeDoorFile } from '../../web/server/door-file.js';
import { cookieOfKept, Keys, newSecret } from '../../web/server/keys.js';
import { openDashboard } from '../../web/server/open-dashboard.js';
import { tokenIn } from '../../web/server/token-file.js';
import { fleetUrl } from '../../../app/fleet-records.js';
import { folderOfRuns } from '../../../app/run-folder.js';
import type { CommandContext } from '../command-context.js';

export interface UiOptions {
  /** Also those that other tools have run. */
  readonly imported?: boolean;
  readonly port?: string;
  readonly host: string;
  readonly allowRemote?: boolean;
  readonly open: boolean;
  readonly tokenFile?: string;
  readonly postgres?: string;
  readonly cwd?: string;
  readonly json?: boolean;
}

const HIGHEST_PORT = 65_535;
/** By then the browser has read it. */
const DOOR_MS = 60_000;
/** What a disk that does not answer may hold up at the end. */
const LAST_MS = 3000;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Serves the dashboard until someone ends it. No run ends with it. */
export async function uiCommand(options: UiOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { host, json = false } = options;
  const port = portOf(options.port);
  checkHost(options);
  const folder = folderOfRuns(options, context);
  const keys = keysOf(options.tokenFile, context.cwd);
  const fleet = await keepFleet(options.postgres, context);
  const dashboard = await openDashboard({ folder, fleet, context, host, port, keys });
  const ended = endSignal();
  if (!isLoopback(host)) terminal.note(REMOTE);
  if (json) terminal.raw(`${jsonText({ url: dashboard.url, port: dashboard.port, pid: process.pid })}\n`);
  else {
    terminal.say(dashboard.url);
    terminal.note('Anyone with this address can control your runs. Ctrl-C ends the dashboard; the runs continue.');
  }
  const isOpened = options.open && !json && terminal.isInteractive && hasScreen(context.environment);
  const door = isOpened ? await openDoor(dashboard.url, context) : undefined;
  await ended;
  door?.remove();
  setTimeout(() => process.exit(EXIT_CODES.goal), LAST_MS).unref();
  await Promise.all([dashboard.close(), fleet?.close()]);
  return EXIT_CODES.goal;
}

/** The runs of a fleet, kept current. A wrong URL is refused where it was typed, and only told where it was always set. */
async function keepFleet(typed: string | undefined, context: CommandContext): Promise<FollowedFleet | undefined> {
  const url = typed ?? fleetUrl(context.environment);
  if (url === undefined) return undefined;
  const onProblem = (message: string) =>
    context.terminal.note(`pawl: ${printable(message)}; the runs of the fleet are shown as they were`);
  try {
    const { followFleet } = await import('../../../fleet/follow-fleet.js');
    return followFleet(url, { environment: context.environment, now: context.now, onProblem });
  } catch (error) {
    if (typed !== undefined) throw error;
    onProblem(messageOf(error));
    return undefined;
  }
}

const REMOTE =
  'pawl: other machines can reach it. It uses plain HTTP: anyone who reads the traffic or gets the address can see and ' +
  'control your runs and raise their limits. An ssh tunnel to 127.0.0.1 is safer (docs/guide/dashboard.md).';

function endSignal(): Promise<void> {
  return new Promise((done) => {
    for (const name of ENDING) process.once(name, () => done());
  });
}

/** A browser that does not open is no reason to end: the address has been printed. */
async function openDoor(url: string, context: CommandContext): Promise<DoorFile | undefined> {
  const { terminal } = context;
  try {
    const door = writeDoorFile(url, context.environment);
    setTimeout(door.remove, DOOR_MS).unref();
    const problem = await openInBrowser(door.path, context.environment);
    if (problem !== undefined) terminal.note(`pawl: the browser was not opened: ${printable(problem)}`);
    return door;
  } catch (error) {
    terminal.note(`pawl: the browser was not opened: ${printable(messageOf(error))}`);
    return undefined;
  }
}

function keysOf(tokenFile: string | undefined, cwd: string): Keys {
  if (tokenFile === undefined) return new Keys(newSecret());
  const token = tokenIn(resolve(cwd, tokenFile));
  return new Keys(token, { cookie: cookieOfKept(token) });
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= HIGHEST_PORT) return port;
  throw refused('--port', `must be a number from 1 to ${HIGHEST_PORT}, or 0 for any, not ${JSON.stringify(text)}`);
}

function checkHost({ host, allowRemote }: UiOptions): void {
  if (isIP(host) === 0 && !/^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(host)) {
    throw refused('--host', `${JSON.stringify(host)} is neither an address nor a name`);
  }
  if (isLoopback(host) || allowRemote === true) return;
  const message = `other machines can reach ${host}, by plain HTTP; --allow-remote confirms that you want this`;
  throw refused('--host', message);
}

function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}
