import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectPostgres } from '../../src/fleet/connect-postgres.js';
import { type Fleet, openFleet } from '../../src/fleet/open-fleet.js';
import { prepareFleet } from '../../src/fleet/prepare-fleet.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';
import { newRunId } from '../../src/journal/run-places.js';
import type { FileDatabase } from './postgres.js';

/** From the top of the project: benches are bundled elsewhere. */
const AGENT = resolve('test/fixtures/agents/steps');

const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'],
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

export interface Submission {
  readonly batch?: { readonly id: string; readonly maxCostUsd: number } | undefined;
  readonly repository?: string | undefined;
  /** In place of the agent. */
  readonly line?: string | undefined;
  /** More lines of the config. */
  readonly config?: string | undefined;
  /** As on the command line, such as limits. */
  readonly flags?: Readonly<Record<string, readonly string[]>> | undefined;
  /** For the agent. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** A database of its own, a remote repository on disk, and an agent that adds a step per iteration. */
export class FleetScene {
  readonly folder = mkdtempSync(join(tmpdir(), 'pawl-fleet-'));
  readonly ledger = join(this.folder, 'ledger');
  readonly remote = join(this.folder, 'remote.git');
  readonly url: string;
  readonly database: Fleet;

  private constructor(url: string, database: Fleet) {
    this.url = url;
    this.database = database;
  }

  static async open(postgres: FileDatabase, heartbeatSeconds = 10): Promise<FleetScene> {
    const name = `scene_${randomUUID().replaceAll('-', '')}`;
    const server = await connectPostgres(postgres.url, process.env, { applicationName: 'fleet-scene' });
    await server.query(`create database ${name}`);
    await server.close();
    const url = postgres.urlOf(name);
    const database = await connectPostgres(url, process.env, { applicationName: 'fleet-scene' });
    await prepareFleet(database, { heartbeatSeconds });
    const scene = new FleetScene(url, await openFleet(database));
    const tree = join(scene.folder, 'seed');
    mkdirSync(tree);
    scene.git(tree, 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(tree, 'README.md'), 'The work begins here.\n');
    scene.git(tree, 'add', '.');
    scene.git(tree, 'commit', '--quiet', '-m', 'begin');
    scene.git(scene.folder, 'clone', '--quiet', '--bare', tree, scene.remote);
    return scene;
  }

  /** Of a worker on this machine. */
  get environment(): Record<string, string | undefined> {
    return { ...GIT_ENVIRONMENT, HOME: this.folder, XDG_STATE_HOME: join(this.folder, 'state'), LEDGER: this.ledger };
  }

  git(folder: string, ...words: readonly string[]): string {
    return execFileSync('git', words, { cwd: folder, env: GIT_ENVIRONMENT, encoding: 'utf8' }).trim();
  }

  /** Somebody else's commit on a branch of the remote; the file holds its own name. */
  push(branch: string, file: string): void {
    const tree = join(this.folder, `pushes-${file}`);
    this.git(this.folder, 'clone', '--quiet', '--branch', branch, this.remote, tree);
    writeFileSync(join(tree, file), file);
    this.git(tree, 'add', '.');
    this.git(tree, 'commit', '--quiet', '-m', 'from elsewhere');
    this.git(tree, 'push', '--quiet', 'origin', branch);
  }

  /** Runs that have reached their goal after so many steps. */
  async submit(
    steps: readonly number[],
    { batch, repository = this.remote, environment = {}, config = '', flags = {}, line }: Submission = {},
  ): Promise<string[]> {
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const runs = steps.map((most) => ({
      id: newRunId(),
      repository,
      base: 'main',
      spec: {
        config: configFor(most) + config,
        flags: {
          ...flags,
          prompt: 'add a step',
          command: line === undefined ? ['env', ...variables, AGENT] : ['sh', '-c', line],
        },
      },
    }));
    await submitRuns(this.database, runs, { batch });
    return runs.map(({ id }) => id);
  }

  /** The steps that the branch of a run holds. */
  stepsOf(runId: string): readonly string[] {
    return this.git(this.remote, 'show', `pawl/${runId}:steps.txt`).split('\n');
  }

  ledgerLines(): readonly string[] {
    return readFileSync(this.ledger, 'utf8').trimEnd().split('\n');
  }

  async close(): Promise<void> {
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function configFor(steps: number): string {
  return `iteration_delay: 0s
stop:
  success: [{ file_contains: { path: steps.txt, content: step ${steps} } }]
  limits: [{ max_iterations: ${steps * 4} }]
`;
}
