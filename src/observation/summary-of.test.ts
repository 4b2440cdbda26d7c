import { describe, expect, it } from 'vitest';
import { summaryOf } from './message/closing.js';

describe("the agent's own summary", () => {
  it.each([
    ['the result', 'All done.', 'Let me look.', 'All done.'],
    ['the last message without a result', undefined, ' Let me look.\n', 'Let me look.'],
    ['the last message when the result is blank', ' \n', 'Let me look.', 'Let me look.'],
    ['nothing', undefined, undefined, undefined],
    ['nothing when all is blank', '', ' ', undefined],
    ['a section of the result', 'Hi\n## Summary\n\nFixed it.\n\n## Next\nMore', 'x', 'Fixed it.'],
    ['a section at the end', '# Work\na\n### Summary\nb\nc', undefined, 'b\nc'],
    ['a labelled line', 'Work.\nSummary: fixed it\nand more', undefined, 'fixed it\nand more'],
    ['a bold label', 'Work.\n**Summary:** fixed it\n# Next', undefined, 'fixed it'],
    ['a bold label alone', 'Work.\r\n**Summary**\r\nfixed it', undefined, 'fixed it'],
    ['a longer heading', '## Summary of changes\nfixed it', undefined, 'fixed it'],
    ['the last of several', '## Summary\nold\n## Summary\nnew', undefined, 'new'],
    ['all of it when the section is empty', 'Work.\n## Summary\n', undefined, 'Work.\n## Summary'],
    [
      'all of it when the word is in a sentence',
      'In summary: fine.\nSummary of it',
      undefined,
      'In summary: fine.\nSummary of it',
    ],
    [
      'code with a comment that looks like a heading',
      '## Summary\n```\n# make\n```\nend',
      undefined,
      '```\n# make\n```\nend',
    ],
    ['no heading inside code', '```\n## Summary\nx\n```\nend', undefined, '```\n## Summary\nx\n```\nend'],
  ])('%s', (_, result, last, summary) => expect(summaryOf(result, last)).toBe(summary));

  it('is short, and no character is cut in half', () => {
    const summary = summaryOf(`a${'🦊'.repeat(1_000_000)}`, undefined);
    expect(summary?.length).toBeLessThanOrEqual(2000);
    expect(summary).toMatch(/🦊…$/u);
    expect(summaryOf('x'.repeat(2000), undefined)).toHaveLength(2000);
  });
});
