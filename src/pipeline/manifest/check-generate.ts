import type { Issue } from '../../model/errors.js';
import { didYouMean } from '../../model/nearest.js';
import { commandLengthProblem } from './command-length.js';
import type { ManifestValues } from './manifest-shape.js';
import { oldNamesIn, variablesIn, withVariables } from './command-variables.js';
import { fieldOf, namesIn, variableOf } from './template.js';

const NO_OUTPUT = 'generate.output is not set, so the output of an item has no path';
const OUTPUT_VARIABLES: readonly string[] = ['output', 'last_output'].map(variableOf);

type Generate = Partial<ManifestValues['generate']>;

/** What is wrong with how items are made and judged, beyond the shape of the keys. */
export function generateIssues({ generate = {}, audit, review }: Partial<ManifestValues>): readonly Issue[] {
  const commands = [
    ['generate.command', generate.command],
    ['audit.command', audit?.command],
  ] as const;
  return [
    ...whoIssues(generate),
    ...commands.flatMap(([path, command = '']) => commandIssues(path, command, generate.output)),
    ...noOutputIssues('generate.prompt', generate.prompt, generate.output),
    ...outputIssues(generate.output),
    ...momentIssues(review),
  ];
}

/** Each item has its review, when its audit approves it. */
function momentIssues(review: Partial<NonNullable<ManifestValues['review']>> = {}): readonly Issue[] {
  return (['when', 'every'] as const)
    .filter((key) => review[key] !== undefined)
    .map((key) => ({ path: `review.${key}`, message: 'has no meaning here: every item is reviewed' }));
}

/** A text that asks where to write, where nothing is to be written. */
export function noOutputIssues(path: string, text: string | undefined, output: string | undefined): readonly Issue[] {
  if (output !== undefined) return [];
  const asked = namesIn(text ?? '').filter((name) => name === 'output' || name === 'last_output');
  return asked.map((name) => ({
    path,
    message: `{{${name}}} would be empty: ${NO_OUTPUT}`,
  }));
}

function whoIssues({ command, agent, prompt, prompt_path }: Generate): readonly Issue[] {
  const prompts = [prompt, prompt_path].filter((given) => given !== undefined).length;
  if (command !== undefined && (agent !== undefined || prompts > 0)) {
    const path = agent === undefined ? 'generate.command' : 'generate.agent';
    return [{ path, message: 'there is also a command; an item is made by a command, or by an agent with a prompt' }];
  }
  if (command !== undefined) return [];
  if (agent === undefined) return [{ path: 'generate', message: 'needs command, or agent with prompt or prompt_path' }];
  if (prompts === 1) return [];
  const message = prompts === 0 ? 'needs prompt or prompt_path for the agent' : 'has prompt and prompt_path; keep one';
  return [{ path: 'generate', message }];
}

function commandIssues(path: string, command: string, output: string | undefined): readonly Issue[] {
  const isRewritten = withVariables(command) !== undefined;
  const messages = [
    ...oldNamesIn(command).map(
      (name) =>
        `{{${name}}} is not replaced in a command: write "$${variableOf(name)}"${isRewritten ? ' (pawl check --fix rewrites it)' : ''}`,
    ),
    ...variablesIn(command)
      .filter((name) => output === undefined && OUTPUT_VARIABLES.includes(name))
      .map((name) => `$${name} would be empty: ${NO_OUTPUT}`),
    commandLengthProblem(command) ?? [],
  ].flat();
  return messages.map((message) => ({ path, message }));
}

function outputIssues(output: string | undefined): readonly Issue[] {
  if (output === undefined) return [];
  const path = 'generate.output';
  const names = namesIn(output);
  if (output.endsWith('/')) return [{ path, message: 'is the path of a file, not of a folder' }];
  if (names.length === 0) return [{ path, message: 'would be the same for every item; put {{item.id}} into it' }];
  return names.flatMap((name) => {
    if (fieldOf(name) !== undefined) return [];
    return [{ path, message: `unknown name {{${name}}}${didYouMean(name, ['item.id'])}; there is {{item.FIELD}}` }];
  });
}
