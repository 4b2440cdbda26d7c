/** What the commonest errors of the system mean to a person. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'something else is in its place',
  EPERM: 'it is not permitted',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link to itself',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  EIO: 'the disk could not be read or written',
};

/** A message with what the system said of a file in words: `ENOENT: no such file or directory, open 'x'`. */
export function systemErrorWords(message: string): string {
  return message.replace(SYSTEM_ERROR, (whole, code: string, at: number) => {
    if (code === 'EACCES')
      return /\bread\b/.test(message.slice(0, at)) ? 'no permission to read it' : 'no permission for it';
    return Object.hasOwn(WORDS, code) ? (WORDS[code] ?? whole) : whole;
  });
}

const SYSTEM_ERROR = /\b(E[A-Z]{2,}): [^,']{1,80}, \w+(?: '[^']*'(?: -> '[^']*')?)?/g;
