/** The system takes no argument of more than 128 KB. */
const LONGEST_COMMAND_BYTES = 100_000;

/** Why no shell could be started with a command line; undefined when one could. */
export function commandLengthProblem(command: string): string | undefined {
  const bytes = Buffer.byteLength(command);
  if (bytes <= LONGEST_COMMAND_BYTES) return undefined;
  const [has, may] = [bytes, LONGEST_COMMAND_BYTES].map((count) => count.toLocaleString('en-US'));
  return `is too long for a command line: ${has} bytes, at most ${may} are possible; put it into a script`;
}
