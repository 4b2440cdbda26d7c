import type { Issue } from '../model/errors.js';
import { commandLengthProblem } from './command-length.js';
import type { ManifestValues } from './manifest-shape.js';
import { shellCommand } from './shell-template.js';
import { nameProblem, namesIn, variableOf } from './template.js';

type Generate = Partial<ManifestValues['generate']>;

/** What is wrong with how items are made and judged, beyond the shape of the keys. */
export function generateIssues({ generate = {}, audit, review }: Partial<ManifestValues>): readonly Issue[] {
  const commands = [
    ['generate.command', generate.command],
    ['audit.command', audit?.command],
  ] as const;
  const texts = [...commands, ['generate.prompt', generate.prompt] as const];
  return [
    ...whoIssues(generate),
    ...commands.flatMap(([path, command]) => shellIssues(path, command)),
    ...variableIssues(commands),
    ...texts.flatMap(([path, text]) => noOutputIssues(path, text, generate.output)),
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
    message: `{{${name}}} would be empty: there is no generate.output that says where the output of an item goes`,
  }));
}

/** Both commands of an attempt have the same variables. */
function variableIssues(commands: readonly (readonly [string, string | undefined])[]): readonly Issue[] {
  const names = new Map<string, string>();
  return commands.flatMap(([path, command]) =>
    namesIn(command ?? '').flatMap((name) => {
      const variable = variableOf(name);
      const other = names.get(variable) ?? name;
      names.set(variable, other);
      if (other === name) return [];
      return [{ path, message: `{{${name}}} and {{${other}}} would both be the variable ${variable}; rename a field` }];
    }),
  );
}

function whoIssues({ command, agent, prompt, prompt_path }: Generate): readonly Issue[] {
  const prompts = [prompt, prompt_path].filter((given) => given !== undefined).length;
  if (command !== undefined && (agent !== undefined || prompts > 0)) {
    const path = agent === undefined ? 'generate.command' : 'generate.agent';
    return [{ path, message: 'there is a command too; an item is made by a command, or by an agent with a prompt' }];
  }
  if (command !== undefined) return [];
  if (agent === undefined) return [{ path: 'generate', message: 'needs command, or agent with prompt or prompt_path' }];
  if (prompts === 1) return [];
  const message = prompts === 0 ? 'needs prompt or prompt_path for the agent' : 'has prompt and prompt_path; keep one';
  return [{ path: 'generate', message }];
}

function shellIssues(path: string, command: string | undefined): readonly Issue[] {
  if (command === undefined) return [];
  const names = namesIn(command);
  const unknown = names.flatMap((name) => nameProblem(name) ?? []);
  const line = shellCommand(command);
  const noPlace =
    'a name in braces stands where no value can be put in: in single quotes, in $(( )), in a here-document whose end word is quoted, after a backslash or a $, or in quotes that are not closed; use double quotes, or put it into a variable first';
  const tooLong = commandLengthProblem(line ?? command);
  return [
    ...unknown.map((message) => ({ path, message })),
    ...(line === undefined ? [{ path, message: noPlace }] : []),
    ...(tooLong === undefined ? [] : [{ path, message: tooLong }]),
  ];
}

function outputIssues(output: string | undefined): readonly Issue[] {
  if (output === undefined) return [];
  const path = 'generate.output';
  const names = namesIn(output);
  if (output.endsWith('/')) return [{ path, message: 'is the path of a file, not of a folder' }];
  if (names.length === 0) return [{ path, message: 'would be the same for every item; put {{item.id}} into it' }];
  return names.flatMap((name) => {
    const message = nameProblem(name, []);
    return message === undefined ? [] : [{ path, message }];
  });
}
