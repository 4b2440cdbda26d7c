import { extname, resolve } from 'node:path';
import { isMap, isPair, isScalar, parseDocument, visit } from 'yaml';
import type { Issue } from '../model/errors.js';
import { FAILURE_MODEL, type FailureModel } from '../model/failure-model.js';
import { pathInside, readValue } from '../model/read-value.js';
import { clip, isRecord } from '../model/show-value.js';
import { offsetOf, plainValue, readConfigFile, textPlaces } from './config-file.js';
import { parseSource } from './parse-yaml.js';

const TYPE = 'likely_to_fail';
const DEEPEST = 80;
/** What is wrong with a file is one issue, not also one of the condition. */
const STAND_IN: FailureModel = {
  version: 1,
  bias: 0,
  features: {},
  medians: { calls: 1 },
  trained: { runs: 0, goals: 0 },
};

type Steps = readonly (string | number)[];
type Read = (name: string, steps: Steps) => unknown;

/**
 * Puts the model itself in the place of the name of its file, in each `likely_to_fail` of an untrusted config: what is
 * recorded says all, and neither a replay nor a resumed run needs the file. What is wrong in a file has its place there;
 * a file that cannot be read is an issue of the config that names it, if `ofConfig` takes those.
 */
export function withModels(input: unknown, folder: string, issues: Issue[], ofConfig?: Issue[]): unknown {
  return replaced(input, [], (name, steps) => {
    const refuseFile = (message: string) => {
      if (ofConfig === undefined) issues.push({ path: '', place: clip(name), message });
      else ofConfig.push({ path: pathInside('', steps), message: `${clip(name)}: ${message}` });
    };
    return readModel(name, folder, issues, refuseFile) ?? STAND_IN;
  });
}

function replaced(input: unknown, steps: Steps, read: Read): unknown {
  if (steps.length > DEEPEST) return input;
  if (Array.isArray(input)) return input.map((item, index) => replaced(item, [...steps, index], read));
  if (!isRecord(input)) return input;
  const isFull = input['type'] === TYPE;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      const inside = [...steps, key];
      if (key === TYPE && isRecord(value)) return [key, withModel(value, inside, read)];
      if (isFull && key === 'model' && typeof value === 'string') return [key, read(value, inside)];
      return [key, replaced(value, inside, read)];
    }),
  );
}

function withModel(fields: Readonly<Record<string, unknown>>, steps: Steps, read: Read): unknown {
  const { model } = fields;
  return typeof model === 'string' ? { ...fields, model: read(model, [...steps, 'model']) } : fields;
}

/** The same in the text of a config that is read on another machine, which has no such files. Otherwise it stays as it is. */
export function textWithModels(text: string, folder: string): string {
  const document = parseDocument(text);
  let isChanged = false;
  visit(document, {
    Pair(_, pair, ancestors) {
      const [holder, fields] = [ancestors.at(-2), ancestors.at(-1)];
      const isOfType = isPair(holder) && isNamed(holder.key, TYPE);
      const isFull = isMap(fields) && fields.get('type') === TYPE;
      if (!isNamed(pair.key, 'model') || !(isOfType || isFull)) return;
      const model = isScalar(pair.value) ? readModel(String(pair.value.value), folder, []) : undefined;
      if (model === undefined) return;
      pair.value = document.createNode(model, { flow: true });
      isChanged = true;
    },
  });
  return isChanged ? document.toString({ lineWidth: 0 }) : text;
}

function isNamed(key: unknown, name: string): boolean {
  return isScalar(key) && key.value === name;
}

/** Undefined when something is wrong with it. */
function readModel(
  name: string,
  folder: string,
  issues: Issue[],
  refuseFile: (message: string) => void = () => {},
): unknown {
  const refuse = (message: string, place = clip(name)) => void issues.push({ path: '', place, message });
  const file = readConfigFile(resolve(folder, name));
  if (file.kind === 'missing') return refuseFile('no such file; pawl tune --out FILE writes one');
  if (file.kind === 'refused') return refuseFile(file.message);
  const placeAt = textPlaces(file.text);
  const parsed = extname(name) === '' || name.endsWith('.json') ? parseSource(file.text, 'model.json') : undefined;
  if (parsed === undefined) return refuse('a model is a .json file');
  if ('problems' in parsed) {
    const [{ offset, message } = { offset: 0, message: 'is not valid JSON' }] = parsed.problems;
    return refuse(message, `${clip(name)}:${placeAt(offset)}`);
  }
  const { root } = parsed;
  const value = root === undefined ? undefined : plainValue(root);
  const { faults } = readValue(FAILURE_MODEL, value);
  for (const { path: steps, message } of faults) {
    const path = pathInside('', steps);
    const offset = root === undefined ? 0 : offsetOf(root, { path, message: '' });
    refuse(`${path} ${message}`.trim(), `${clip(name)}:${placeAt(offset)}`);
  }
  return faults.length === 0 ? value : undefined;
}
