import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from '../measure.js';

export const PAWL = resolve('dist/bin/pawl.js');
export const LIBRARY = resolve('dist/index.js');
/** A wrapper of the bench sets these for itself. */
const OWN_VARIABLES = /^(?:NODE_OPTIONS|npm_.*|PAWL_.*)$/;

/** One figure, with the bound that it has to keep. */
export interface Figure {
  readonly what: string;
  readonly figure: string;
  readonly bound?: string;
  readonly holds?: boolean;
}

export interface Felt {
  readonly name: string;
  readonly title: string;
  measure(options: { readonly isFull: boolean }): Promise<readonly Figure[]> | readonly Figure[];
}

export function bounded(what: string, value: number, most: number, unit: 'ms' | 'x' | 's' | '%'): Figure {
  const digits = unit === 'ms' ? 0 : 2;
  return { what, figure: `${value.toFixed(digits)} ${unit}`, bound: `<= ${most} ${unit}`, holds: value <= most };
}

/** A folder of its own with a home of its own, removed at the end. */
export class Scene {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-felt-')));
  readonly tree = join(this.base, 'tree');
  readonly environment: Readonly<Record<string, string>>;

  constructor() {
    const kept = Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.test(name));
    const home = join(this.base, 'home');
    this.environment = {
      ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      PAWL_TRUST: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'gc.auto',
      GIT_CONFIG_VALUE_0: '0',
    };
    mkdirSync(home);
    mkdirSync(this.tree);
  }

  /** Where the records of its runs are. */
  get records(): string {
    return join(this.base, 'home', 'state', 'pawl', 'runs');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.tree, path), text);
  }

  run(program: string, args: readonly string[], input?: string): Ran {
    const startedCpu = childCpuMs();
    const start = process.hrtime.bigint();
    const ended = spawnSync(program, [...args], {
      cwd: this.tree,
      env: this.environment,
      input,
      maxBuffer: 1024 * 1024 * 1024,
      encoding: 'utf8',
    });
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    return { ms, cpuMs: childCpuMs() - startedCpu, status: ended.status, stdout: ended.stdout, stderr: ended.stderr };
  }

  /** The command as a user runs it. Any exit code but these is an error of the bench. */
  pawl(args: readonly string[], allowed: readonly number[] = [0]): Ran {
    const ran = this.run(process.execPath, [PAWL, ...args]);
    if (!allowed.includes(ran.status ?? -1)) throw new Error(`pawl ${args.join(' ')}: ${ran.status}\n${ran.stderr}`);
    return ran;
  }

  git(...args: readonly string[]): Ran {
    const ran = this.run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args]);
    if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
    return ran;
  }

  /** The most memory that one process had, in MB. Its output goes to a file. */
  async peakMb(args: readonly string[], allowed: readonly number[] = [0]): Promise<{ peakMb: number; ms: number }> {
    const out = openSync(join(this.base, 'out'), 'w');
    const start = process.hrtime.bigint();
    const child = spawn(process.execPath, [PAWL, ...args], {
      cwd: this.tree,
      env: this.environment,
      stdio: ['ignore', out, out],
    });
    let peakMb = 0;
    const look = () => (peakMb = Math.max(peakMb, highWaterMb(child.pid ?? 0)));
    const watch = setInterval(look, 10);
    const status = await new Promise<number | null>((done) => child.once('exit', done));
    clearInterval(watch);
    closeSync(out);
    if (!allowed.includes(status ?? -1))
      throw new Error(
        `pawl ${args.join(' ')}: ${status}\n${readFileSync(join(this.base, 'out'), 'utf8').slice(0, 2000)}`,
      );
    return { peakMb, ms: Number(process.hrtime.bigint() - start) / 1e6 };
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

export interface Ran {
  readonly ms: number;
  /** Of the program and of everything that it waited for. */
  readonly cpuMs: number;
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function highWaterMb(pid: number): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Of all children that have ended and were waited for, in the hundredths of a second that Linux counts. */
function childCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(13, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

/** Interleaved, so that a busy moment of the machine hits all of them. */
export function medians<K extends string>(
  samples: Readonly<Record<K, () => number>>,
  rounds: number,
): Readonly<Record<K, number>> {
  const names = Object.keys(samples) as K[];
  const found = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) for (const name of names) found.get(name)?.push(samples[name]());
  return Object.fromEntries(names.map((name) => [name, median(found.get(name) ?? [])])) as Record<K, number>;
}
