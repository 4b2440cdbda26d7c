import type { Issue } from '../model/errors.js';
import type { ManifestValues } from './manifest-shape.js';
import { shellCommand } from './shell-template.js';
import { nameProblem, namesIn, variableOf } from './template.js';

type Generate = Partial<ManifestValues['generate']>;

/** What is wrong with how items are made and judged, beyond the shape of the keys. */
export function generateIssues({ generate = {}, audit }: Partial<ManifestValues>): readonly Issue[] {
  return [
    ...whoIssues(generate),
    ...shellIssues('generate.command', generate.command),
    ...shellIssues('audit.command', audit?.command),
    ...outputIssues(generate.output),
  ];
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
  const quoted = shellCommand(command) === undefined;
  const inQuotes =
    'a name in braces stands in single quotes or in $(( )), where no value can be put in; use double quotes, or put it into a variable first';
  const variables = names.map(variableOf);
  const twice = names.find((name, index) => variables.indexOf(variableOf(name)) !== index);
  return [
    ...unknown.map((message) => ({ path, message })),
    ...(quoted ? [{ path, message: inQuotes }] : []),
    ...(twice === undefined ? [] : [{ path, message: `{{${twice}}} and another name differ only in case` }]),
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
