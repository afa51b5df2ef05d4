import { describe, expect, it } from 'vitest';
import { diffLines, diffMessages } from '../packages/studio/src/trace/diff.ts';

describe('the diff of prompts', () => {
  it('keeps what both have in its order, and rebuilds both texts', () => {
    const [before, after] = ['a\nb\nc\nd', 'a\nc\nx\nd\ne'];
    const lines = diffLines(before, after);
    const without = (kind: string) =>
      lines
        .filter((line) => line.kind !== kind)
        .map(({ text }) => text)
        .join('\n');
    expect([without('added'), without('removed')]).toEqual([before, after]);
    expect(lines.filter(({ kind }) => kind === 'same').map(({ text }) => text)).toEqual(['a', 'c', 'd']);
  });

  it('compares messages at the same place, and calls the others new', () => {
    const system = { role: 'system', content: 'Be brief.' } as const;
    const changed = diffMessages(
      [system, { role: 'user', content: 'one\ntwo' }, { role: 'assistant', content: 'yes' }],
      [system, { role: 'user', content: 'one' }],
    );
    expect(changed.map(({ change }) => change)).toEqual(['same', 'changed', 'new']);
    expect(changed[1]?.lines).toEqual([
      { kind: 'same', text: 'one' },
      { kind: 'added', text: 'two' },
    ]);
    expect(diffMessages([system], null).map(({ change }) => change)).toEqual(['new']);
  });
});
