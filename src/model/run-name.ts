import type { RunState } from './run-state.js';

const MOST_CHARACTERS = 200;

/** A heading that says no more than that the task follows. */
const BARE_HEADING = /^(?:the |your )?(?:task|prompt|goal|objective|instructions?|assignment)\s*:?$/i;

/** The first line of a prompt that says something, without the marks of a heading; undefined when there is none. */
export function taskLine(prompt: string): string | undefined {
  const lines = prompt.split('\n').map((line) => line.replace(/^[\s#]+/, '').trim());
  const named = lines.find((line) => line !== '' && !BARE_HEADING.test(line)) ?? lines.find((line) => line !== '');
  return named?.slice(0, MOST_CHARACTERS);
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
