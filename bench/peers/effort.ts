/** How much is measured: the full form for figures, the quick one to show that the harness works. */
export interface Effort {
  readonly rounds: number;
  readonly iterations: number;
  /** Of a runner whose pause of seconds between iterations cannot be turned off. */
  readonly paused: { readonly rounds: number; readonly iterations: number };
  readonly measuresDefaultDelay: boolean;
  readonly outputBytes: readonly number[];
  /** How long one run with that much output may take. */
  readonly outputLimitMs: number;
  readonly survivalRounds: number;
  /** Many runners take a first Ctrl-C as "after this one" and a second as "now"; so long the second waits. */
  readonly secondPressMs: number;
  readonly caps: readonly number[];
  readonly treeFiles: number;
  readonly treeRounds: number;
}

const MB = 1_000_000;

export const FULL: Effort = {
  rounds: 7,
  iterations: 25,
  paused: { rounds: 2, iterations: 4 },
  measuresDefaultDelay: true,
  outputBytes: [100 * MB, 1000 * MB],
  outputLimitMs: 60_000,
  survivalRounds: 3,
  secondPressMs: 5000,
  caps: [1, 3, 7],
  treeFiles: 50_000,
  treeRounds: 3,
};

export const QUICK: Effort = {
  rounds: 1,
  iterations: 4,
  paused: { rounds: 1, iterations: 2 },
  measuresDefaultDelay: false,
  outputBytes: [2 * MB],
  outputLimitMs: 60_000,
  survivalRounds: 1,
  secondPressMs: 1000,
  caps: [2],
  treeFiles: 300,
  treeRounds: 1,
};
