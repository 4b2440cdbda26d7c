/** Where a template asks for a name: blanks inside of the braces count for nothing. `name` is the source of an expression. */
export function bracesAround(name: string): RegExp {
  return new RegExp(String.raw`\{\{ *(${name}) *\}\}`, 'g');
}

/** The fields of a thing, such as `item.Alt Text`: with the names that the author gave them, with spaces, hyphens and any letter. */
export function fieldsOf(thing: string): string {
  return String.raw`${thing}\.[^{}\n]{0,500}?[^{}\s]`;
}
