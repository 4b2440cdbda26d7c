import { userInfo } from 'node:os';
import { sendCommand, wishFor } from '../../../fleet/commands.js';
import { findFleetRun, fleetRunIds } from '../../../fleet/find-fleet-run.js';
import { readFleetRuns } from '../../../fleet/fleet-status.js';
import { type FleetLimit, LIMIT_KINDS, readLimits, removeLimit, setLimit } from '../../../fleet/limits.js';
import { withoutCredentials } from '../../../workspace/repository-name.js';
import { SHORTEST_HEARTBEAT_SECONDS } from '../../../fleet/engine/boss.js';
import type { Fleet } from '../../../fleet/open-fleet.js';
import { prepareFleet } from '../../../fleet/prepare-fleet.js';
import { pruneRuns } from '../../../fleet/prune-runs.js';
import { checkSchema, SCHEMA_VERSION } from '../../../fleet/schema.js';
import { DURATION_EXAMPLES, parseDuration } from '../../../model/duration.js';
import { secretsIn } from '../../../journal/redact.js';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine, printable } from '../../../words/printable.js';
import { type FleetOptions, withDatabase, withFleet } from './fleet-connection.js';
import { secretInUrl } from './submitted-place.js';
import { secretIssues } from './submitted-text.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';
import { shortId } from '../../../words/short-id.js';

export interface FleetInitOptions extends FleetOptions {
  readonly ttl?: string;
}

export interface FleetPruneOptions extends FleetOptions {
  readonly olderThan?: string;
}

export interface FleetWishOptions extends FleetOptions {
  readonly batch?: string;
  readonly all?: boolean;
}

export interface FleetLimitOptions extends FleetOptions {
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** What becomes of a run by each command. */
const WISHES = {
  cancel: { wish: 'cancel', done: 'to be cancelled' },
  pause: { wish: 'pause', done: 'to be paused' },
  unpause: { wish: null, done: 'to go on' },
} as const;

export type FleetWish = keyof typeof WISHES;

/** Prepares a database for a fleet; one that is prepared stays as it is. */
export async function fleetInitCommand(options: FleetInitOptions, context: CommandContext): Promise<ExitCode> {
  const heartbeatSeconds = options.ttl === undefined ? undefined : ttlOf(options.ttl);
  return withDatabase(options, context, async (database) => {
    const isReady = await checkSchema(database).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ConfigError) return false;
        throw error;
      },
    );
    await prepareFleet(database, { heartbeatSeconds });
    const tables = `the tables of the fleet (schema pawl, version ${SCHEMA_VERSION})`;
    context.terminal.say(isReady ? `${tables} already exist` : `made ${tables}`);
    return EXIT_CODES.goal;
  });
}

/** Deletes runs that ended long ago from the database. */
export async function fleetPruneCommand(options: FleetPruneOptions, context: CommandContext): Promise<ExitCode> {
  const { olderThan } = options;
  const ageMs = olderThan === undefined ? undefined : parseDuration(olderThan);
  if (ageMs === undefined) {
    const given = olderThan === undefined ? '' : `, not ${JSON.stringify(olderThan)}`;
    const message = `which runs? Those that ended before a duration such as 30d${given}`;
    throw new ConfigError([{ path: '', place: '--older-than', message }]);
  }
  return withFleet(options, context, async (fleet) => {
    context.terminal.say(`${plural(await pruneRuns(fleet, ageMs), 'run')} deleted`);
    return EXIT_CODES.goal;
  });
}

/** Says what is to become of runs, whether somebody works on them or not. */
export async function fleetWishCommand(
  name: FleetWish,
  references: readonly string[],
  options: FleetWishOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { batch, all } = options;
  const ways = [references.length > 0, batch !== undefined, all === true].filter(Boolean).length;
  if (ways === 0) throw refused(`no runs given: name them, or give --batch B or --all`);
  if (ways > 1) throw refused('names of runs, --batch and --all cannot be combined: give one of them');
  return withFleet(options, context, async (database) => {
    const isNamed = references.length > 0;
    const ids = isNamed
      ? await Promise.all(references.map((reference) => findFleetRun(database, reference)))
      : await fleetRunIds(database, batch);
    const { wish, done } = WISHES[name];
    const changed = await wishFor(database, ids, wish);
    if (name === 'unpause') await wakeUp(database, changed, terminal);
    const left = isNamed ? ids.filter((id) => !changed.includes(id)) : [];
    for (const id of left) terminal.note(`pawl: ${id} has ended, or is to be cancelled already`);
    if (changed.length > 0 || !isNamed) terminal.say(`${plural(changed.length, 'run')} ${done}`);
    return left.length > 0 ? EXIT_CODES.usage : EXIT_CODES.goal;
  });
}

/** One that paused by itself, as by a hook, or waits for a time goes on when it is told to; the others would refuse. */
async function wakeUp(database: Fleet, ids: readonly string[], terminal: Terminal): Promise<void> {
  const runs = await readFleetRuns(database.query, { ids, states: ['running', 'waiting'], limit: ids.length });
  for (const { id, pausedFor, waitsFor } of runs) {
    const isTimed = waitsFor === 'usage-limit' || waitsFor === 'overload';
    // oxlint-disable-next-line no-await-in-loop -- few
    if (pausedFor !== undefined || isTimed) await sendCommand(database, id, { type: 'resume' }, whoAsks());
    const short = shortId(id);
    const isApproval = waitsFor === 'approval';
    const answer = isApproval ? `pawl fleet approve ${short}` : `pawl fleet answer ${short} TEXT`;
    if (waitsFor !== undefined && !isTimed)
      terminal.note(`pawl: ${id} waits for your ${isApproval ? 'approval' : 'answer'}: ${answer}`);
  }
}

/** Leaves a command for whoever works on the run, now or later. */
export async function fleetSendCommand(
  command: Extract<LoopCommand, { readonly type: 'approve' | 'steer' | 'reject' | 'answer' }>,
  reference: string,
  options: FleetOptions,
  context: CommandContext,
): Promise<ExitCode> {
  if ('text' in command) refuseSecrets(command.type, command.text, context.environment);
  return withFleet(options, context, async (database) => {
    const id = await findFleetRun(database, reference);
    await sendCommand(database, id, command, whoAsks());
    context.terminal.say(`${command.type} is left for ${id}`);
    return EXIT_CODES.goal;
  });
}

/** How many runs may be worked on at a time; without words those that are set. */
export async function fleetLimitCommand(
  words: { readonly kind?: string | undefined; readonly key?: string | undefined; readonly most?: string | undefined },
  options: FleetLimitOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { key } = words;
  const isJson = options.json === true;
  const kind = LIMIT_KINDS.find((known) => known === words.kind);
  if (kind === undefined) return withFleet(options, context, (database) => printLimits(database, isJson, terminal));
  if (key === undefined || key === '') throw refused(`no ${kind} given: write its name, or * for all others`);
  const most = mostOf(words.most, options.remove === true);
  if (most !== undefined)
    refuseSecrets(`limit ${kind}`, key, context.environment, kind === 'repository' ? secretInUrl(key) : undefined);
  return withFleet(options, context, async (database) => {
    const shownKey = keyWithoutSecret({ kind, key });
    const shown = `${kind} ${printable(shownKey)}`;
    const say = (text: string) =>
      isJson ? terminal.raw(`${jsonText({ kind, key: shownKey, most: most ?? null }, 2)}\n`) : terminal.say(text);
    if (most !== undefined) {
      await setLimit(database, { kind, key, most });
      say(`${shown}: at most ${plural(most, 'run')} at a time`);
      return EXIT_CODES.goal;
    }
    if (!(await removeLimit(database, { kind, key }))) throw refused(`there is no limit for ${shown}`);
    say(`${shown}: no limit of its own`);
    return EXIT_CODES.goal;
  });
}

async function printLimits(
  database: Parameters<typeof readLimits>[0],
  isJson: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const limits = (await readLimits(database)).map((limit) => ({ ...limit, key: keyWithoutSecret(limit) }));
  if (isJson) {
    terminal.raw(`${jsonText(limits, 2)}\n`);
    return EXIT_CODES.goal;
  }
  if (limits.length === 0) terminal.say('no limits are set');
  for (const { kind, key, most } of limits) {
    const shown = key === '*' ? '* (each that has no limit of its own)' : key;
    const at = `at most ${plural(most, 'run')} at a time`.padEnd(24);
    terminal.say(`${kind.padEnd(10)} ${at} ${oneLine(shown, terminal.columns - 36)}`);
  }
  return EXIT_CODES.goal;
}

/** In whole seconds, as the engine counts. */
function ttlOf(text: string): number {
  const seconds = Math.ceil((parseDuration(text) ?? 0) / 1000);
  if (seconds >= SHORTEST_HEARTBEAT_SECONDS && seconds <= 3600) return seconds;
  const range = `from ${SHORTEST_HEARTBEAT_SECONDS}s to 1h`;
  const message = `must be a duration ${range} such as ${DURATION_EXAMPLES}, not ${JSON.stringify(text)}`;
  throw new ConfigError([{ path: '', place: '--ttl', message }]);
}

function mostOf(text: string | undefined, isRemoved: boolean): number | undefined {
  if (isRemoved && text !== undefined) throw refused('a number and --remove cannot be combined');
  if (isRemoved) return undefined;
  if (text !== undefined && /^\d{1,6}$/.test(text)) return Number(text);
  const given = text === undefined ? '' : `, not ${JSON.stringify(text)}`;
  throw refused(`how many runs at a time? A whole number${given}; --remove removes the limit`);
}

/** What is said here stays in the database, as what is submitted does. Throws ConfigError. */
function refuseSecrets(place: string, text: string, environment: Environment, known?: string): void {
  const found = secretIssues({ place, text }, secretsIn(environment));
  const issues = known === undefined ? found : [{ path: '', place, message: known }];
  if (issues.length > 0) throw new ConfigError(issues);
}

/** One that an earlier Pawl has kept is not printed. */
function keyWithoutSecret({ kind, key }: Pick<FleetLimit, 'kind' | 'key'>): string {
  if (kind !== 'repository' || secretInUrl(key) === undefined) return key;
  const bare = withoutCredentials(key);
  return secretInUrl(bare) === undefined ? bare : '(a URL with credentials)';
}

/** For the record. */
function whoAsks(): string {
  try {
    return userInfo().username;
  } catch {
    return 'someone';
  }
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
