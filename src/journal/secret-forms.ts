/** Ways in which the same value is written: as it is, in JSON, in a URL, in base64. */
export function formsOf(value: string): readonly string[] {
  const inText = [value, value.trim(), jsonForm(value), jsonForm(jsonForm(value))];
  return [...new Set([...inText, ...urlForms(value), ...base64Forms(value)])];
}

export function jsonForm(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function urlForms(value: string): readonly string[] {
  let encoded: string;
  try {
    encoded = encodeURIComponent(value);
  } catch {
    // A lone surrogate cannot stand in a URL.
    return [];
  }
  // RFC 3986 encodes more than encodeURIComponent does, and both cases of hexadecimal are in use.
  const strict = encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const inForm = new URLSearchParams({ '': value }).toString().slice(1);
  return [encoded, strict, inForm].flatMap((form) => [
    form,
    form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  ]);
}

/**
 * What any base64 text that contains the value has in common: the value may begin at any of three places in a group, and
 * the characters at either end depend on what stands beside it.
 */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const from = Math.ceil((shift * 8) / 6);
    const until = Math.floor(((shift + bytes.length) * 8) / 6);
    const inside = encoded.slice(from, until);
    return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
