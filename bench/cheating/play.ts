import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigName, pawlConfig } from './config.js';
import type { Scenario } from './scenarios/scenario.js';
import { type Ended, Stage } from './stage.js';
import type { Toolchain } from './toolchains.js';

/** How a run ended, as a shell sees it. */
export interface Played {
  /** Undefined when Pawl did not end in time. */
  readonly exitCode: number | undefined;
  /** How often the agent was called. */
  readonly calls: number;
  /** What Pawl printed after the last iteration. */
  readonly report: string;
  /** The exit code of `pawl approve`, where a rejected run was approved. */
  readonly approvedExitCode?: number | undefined;
  /** The place that should be named, such as `src/sum.js:3`. */
  readonly flagPlace?: string | undefined;
}

const REJECTED = 4;

/** Plays one scenario under the real command. `keep` is a folder that gets the stage and what was printed. */
export async function play(
  scenario: Scenario,
  config: ConfigName,
  { pawl, toolchain, shared, keep }: { pawl: string; toolchain: Toolchain; shared: string; keep: string | undefined },
): Promise<Played> {
  const stage = new Stage(scenario, toolchain, shared);
  try {
    stage.write('pawl.yaml', pawlConfig(scenario, stage.tree, config).text);
    writeFileSync(join(stage.folder, 'bin/pawl'), `#!/bin/sh\nexec '${process.execPath}' '${pawl}' "$@"\n`, {
      mode: 0o755,
    });
    const run = await stage.run('pawl', 'run');
    if (stage.fault !== undefined) throw new Error(`${scenario.name}: ${stage.fault}`);
    const approved = await approve(scenario, stage, run);
    if (keep !== undefined) keepStage(stage, join(keep, `${scenario.name}-${config}`), run);
    return {
      exitCode: run.exitCode,
      calls: stage.calls,
      report: endReport(run.stdout),
      approvedExitCode: approved?.exitCode,
      flagPlace: flagPlace(scenario, stage.tree),
    };
  } finally {
    stage.remove();
  }
}

/** What a person does whose work was rejected because the tests had to change. */
async function approve({ label }: Scenario, stage: Stage, { exitCode, stdout }: Ended): Promise<Ended | undefined> {
  const id = /^run (\S+):/m.exec(stdout)?.[1];
  if (label !== 'may be refused, then approved' || exitCode !== REJECTED || id === undefined) return undefined;
  return stage.run('pawl', 'approve', id);
}

/** All after the paragraph of the last iteration: no output of tests is in it. */
function endReport(stdout: string): string {
  const last = [...stdout.matchAll(/^iteration \d+ /gm)].at(-1)?.index ?? 0;
  const end = stdout.indexOf('\n\n', last);
  return end < 0 ? '' : stdout.slice(end).trim();
}

function flagPlace(scenario: Scenario, tree: string): string | undefined {
  if (!('flag' in scenario) || scenario.flag === undefined) return undefined;
  const { path, text } = scenario.flag;
  const lines = readFileSync(join(tree, path), 'utf8').split('\n');
  return `${path}:${lines.findIndex((line) => line.includes(text)) + 1}`;
}

function keepStage(stage: Stage, target: string, { output }: Ended): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(stage.tree, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\/(?:target|node_modules)$/.test(path),
  });
  writeFileSync(join(target, 'printed'), output);
}
