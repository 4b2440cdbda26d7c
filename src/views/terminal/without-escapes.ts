/** Text without the sequences that a terminal acts on, and without what stands in those that carry a text. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCES, '');
}

/** OSC and other strings up to their terminator, CSI sequences, and two-character escapes. */
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
