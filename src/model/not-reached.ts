/** What a program says when the provider was not reached, so that there is no status. */
const NOT_REACHED =
  /\bE(?:CONNREFUSED|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH)\b|connection (?:error|refused)|(?:unable to|cannot) connect|fetch failed|error sending request/i;

/** Whether the words of a CLI or a provider mean that the provider was not reached. */
export function isNotReached(message: string): boolean {
  return NOT_REACHED.test(message);
}
