import type { Runner } from './runner.js';
import { agenticLoop } from './runners/agentic-loop.js';
import { bareNode } from './runners/bare-node.js';
import { bashLoop } from './runners/bash-loop.js';
import { pawl } from './runners/pawl.js';
import { ralphStarter } from './runners/ralph-starter.js';
import { ralphTui } from './runners/ralph-tui.js';
import { ralphy } from './runners/ralphy.js';
import { taskMaster } from './runners/task-master.js';

/** What is measured without anything from the registry. */
export function ownRunners(pawlBin: string): readonly Runner[] {
  return [bashLoop(), bareNode(), pawl(pawlBin, { tracksFiles: true }), pawl(pawlBin, { tracksFiles: false })];
}

/** The peers that the lockfile names. */
export function peers(folder: string): readonly Runner[] {
  return [ralphTui(folder), ralphy(folder), ralphStarter(folder), taskMaster(folder), agenticLoop(folder)];
}

/** Runners of the registry that cannot be driven here at all, as read in their packages. */
export const UNRUNNABLE: readonly { readonly name: string; readonly version: string; readonly why: string }[] = [
  {
    name: '@ralph-orchestrator/ralph-cli',
    version: '2.10.1',
    why: 'the package only downloads a binary that the registry does not hold',
  },
  {
    name: '@herbcaudill/ralph',
    version: '1.2.0',
    why: 'published without the prompt file that it needs, and it starts the Claude Code inside its SDK, never another program',
  },
];
