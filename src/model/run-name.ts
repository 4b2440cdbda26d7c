import type { RunState } from './run-state.js';

const MOST_CHARACTERS = 200;

/** The first line of a prompt, without the marks of a heading; undefined when there is none. */
export function taskLine(prompt: string): string | undefined {
  const line = /^[\s#]*([^\s#].*)$/m.exec(prompt)?.[1]?.trim();
  return line?.slice(0, MOST_CHARACTERS);
}

/** What a run is to do, as far as the record has it: the first line of its prompt. */
export function recordedTask({ task, spec, pipeline }: RunState): string | undefined {
  return task ?? taskLine(spec?.prompt ?? pipeline?.spec?.generate.prompt ?? '');
}

/** What a run is called in every view: its task, or without a recorded prompt its manifest, command or agent. */
export function runName(state: RunState): string {
  const { spec, pipeline, agent } = state;
  const manifest = pipeline?.spec?.manifest.split('/').at(-1);
  const command = spec?.agent.command?.join(' ');
  return recordedTask(state) ?? manifest ?? taskLine(command ?? '') ?? agent?.name ?? spec?.agent.name ?? 'run';
}
