const WORD = /\s*((?:[^\s'"\\|&;<>()$`*?[\]#~]|'[^']*'|"(?:[^"\\$`]|\\["\\$`])*"|\\.)+)(?=\s|$)/y;
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)/g;

/**
 * The words of a command line that needs no shell: quotes and backslashes as in sh. Undefined when anything in it
 * would need one (pipes, `$NAME`, globs) or a quote is left open, so that it is never run as something else.
 */
export function splitCommand(line: string): readonly string[] | undefined {
  const text = line.trim();
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let at = 0; at < text.length; at = WORD.lastIndex) {
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[1];
    if (word === undefined) return undefined;
    words.push(unquote(word));
  }
  return words.length === 0 || words[0] === '' || text.includes('\0') ? undefined : words;
}

function unquote(word: string): string {
  return word.replace(PART, (_part, single?: string, double?: string, escaped?: string, bare?: string) => {
    return single ?? double?.replace(/\\(.)/g, '$1') ?? escaped ?? bare ?? '';
  });
}
