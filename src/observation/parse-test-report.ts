import { goEvents } from './go-test.js';
import { jsonReport } from './json-report.js';
import { junitReport } from './junit-report.js';
import type { OutputParser, ParsedTests } from './parsed-tests.js';
import { plainLines } from './plain-lines.js';
import { tapStream } from './tap-stream.js';

/**
 * Reads a report file: JUnit XML, JSON of jest or vitest, `go test -json`, TAP. What it is shows in its first character; what
 * the tests printed lies inside it and is not read as a report of its own. Undefined when it is none, or is cut off before it
 * names a failing test.
 */
export function parseTestReport(text: string): ParsedTests | undefined {
  const content = text.replace(/^\uFEFF?\s*/, '');
  const lines = plainLines(content);
  const reading = parsersFor(content)
    .map((parse) => parse(lines))
    .find((candidate) => candidate !== undefined);
  return reading === 'unfinished' ? undefined : reading;
}

function parsersFor(content: string): readonly OutputParser[] {
  if (content.startsWith('<')) return [junitReport];
  return content.startsWith('{') ? [jsonReport, goEvents] : [tapStream];
}
