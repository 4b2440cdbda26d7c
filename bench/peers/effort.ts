/** How much is measured: the full form for figures, the quick one to show that the harness works. */
export interface Effort {
  readonly rounds: number;
  readonly iterations: number;
  readonly measuresDefaultDelay: boolean;
  readonly outputBytes: readonly number[];
  readonly survivalRounds: number;
  /** Many runners take a first Ctrl-C as "after this one" and a second as "now"; so long the second waits. */
  readonly secondPressMs: number;
  readonly caps: readonly number[];
  readonly treeFiles: number;
  readonly treeRounds: number;
}

const MB = 1_000_000;

export const FULL: Effort = {
  rounds: 9,
  iterations: 30,
  measuresDefaultDelay: true,
  outputBytes: [100 * MB, 1000 * MB],
  survivalRounds: 3,
  secondPressMs: 5000,
  caps: [1, 3, 7],
  treeFiles: 50_000,
  treeRounds: 3,
};

export const QUICK: Effort = {
  rounds: 1,
  iterations: 4,
  measuresDefaultDelay: false,
  outputBytes: [2 * MB],
  survivalRounds: 1,
  secondPressMs: 1000,
  caps: [2],
  treeFiles: 300,
  treeRounds: 1,
};
