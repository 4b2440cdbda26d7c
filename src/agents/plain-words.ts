import { type Fields, fieldsAt, jsonObject, textAt } from './json-fields.js';

/** JSON in JSON in JSON is as deep as a provider has been seen to wrap its reason. */
const MOST_LAYERS = 4;

/** A message of a CLI or a provider without the JSON in it: in its place stands the reason that the JSON gives. */
export function plainWords(message: string, layers = MOST_LAYERS): string {
  const start = message.search(/[[{]\s*[{"]/);
  if (start < 0 || layers === 0) return message;
  const brace = message.lastIndexOf('}');
  const end = message[start] === '[' ? message.indexOf(']', brace) : brace;
  const json = end > start ? message.slice(start, end + 1) : message.slice(start);
  const reason = reasonIn(json);
  const words = [message.slice(0, start), reason === undefined ? '' : plainWords(reason, layers - 1)];
  const rest = end > start ? message.slice(end + 1) : '';
  const plain = `${words.join('')}${rest}`.replace(/[:\s]+(?=\]?$)/, '').trim();
  return plain === '' ? 'no reason given' : plain;
}

function reasonIn(json: string): string | undefined {
  const fields = jsonObject(json);
  return fields === undefined ? cutOffReason(json) : reasonOf(fields);
}

function reasonOf(fields: Fields): string | undefined {
  const error = fieldsAt(fields, 'error');
  return (
    (error === undefined ? undefined : reasonOf(error)) ??
    ['message', 'error', 'detail', 'type', 'status', 'code'].map((key) => textAt(fields, key)).find(Boolean)
  );
}

/** Of JSON that is cut off, the message may still be whole. */
function cutOffReason(json: string): string | undefined {
  const quoted = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(json)?.[1];
  try {
    return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
  } catch {
    return undefined;
  }
}
