import { describe, expect, it } from 'vitest';
import { promptChanges } from './prompt-changes.ts';

describe('the changes of a prompt', () => {
  it('are listed by message: same, changed with line diffs, or new', () => {
    const system = { role: 'system', content: 'Be brief.' } as const;
    const before = [system, { role: 'user', content: 'a\nb\nc\nd' }] as const;
    const after = [system, { role: 'user', content: 'a\nc\nx\nd\ne' }, { role: 'assistant', content: 'yes' }] as const;
    const changes = promptChanges(after, before);
    expect(changes.map(({ change }) => change)).toEqual(['same', 'changed', 'new']);
    const lines = changes[1]?.lines ?? [];
    const without = (left: string) =>
      lines
        .filter(({ sign }) => sign !== left)
        .map(({ text }) => text)
        .join('\n');
    expect([without('+'), without('-')]).toEqual([before[1].content, after[1].content]);
    expect(lines.filter(({ sign }) => sign === ' ').map(({ text }) => text)).toEqual(['a', 'c', 'd']);
    // Another role at the same place is another message.
    expect(promptChanges([{ role: 'user', content: 'x' }], [system])[0]?.change).toBe('new');
  });

  it('are listed for texts that are too long for a line diff', () => {
    const numbered = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join('\n');
    const [change] = promptChanges([{ role: 'user', content: numbered('new') }], [{ role: 'user', content: numbered('old') }]);
    expect(change?.lines.length).toBe(6000);
  });
});
