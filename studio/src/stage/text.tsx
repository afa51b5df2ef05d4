/** @file Words of an episode: untrusted, so they are text and nothing else; what a score points to is marked. */

import { type ReactNode, useMemo } from 'react';

interface SpokenProps {
  readonly text: string;
  readonly quotes?: readonly { readonly quote: string; readonly score: string }[];
}

export function Spoken({ text, quotes = [] }: SpokenProps) {
  const parts = useMemo(() => marked(text, quotes), [text, quotes]);
  // A board that is written in letters only reads as one where all letters are as wide.
  return <span className={/^[.XO#*\d|-]{3,}$/m.test(text) ? 'text mono' : 'text'}>{parts}</span>;
}

function marked(text: string, quotes: readonly { readonly quote: string; readonly score: string }[]): readonly ReactNode[] {
  const [first, ...rest] = quotes;
  if (first === undefined) return [text];
  const at = text.indexOf(first.quote);
  if (at < 0) return marked(text, rest);
  const end = at + first.quote.length;
  return [
    ...marked(text.slice(0, at), rest),
    <mark key={`${at} ${first.score}`} title={first.score}>
      {first.quote}
    </mark>,
    ...marked(text.slice(end), quotes),
  ];
}
