/** One server-sent event, as the Messages and the Responses API write it. */
export function sse(type: string, fields: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** One without a name. */
export function sseData(fields: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(fields)}\n\n`;
}
