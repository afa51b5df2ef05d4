/** @file Words of an episode: untrusted, so they are text and nothing else; what a score points to is marked. */

import { useMemo } from 'react';

interface Quote {
  readonly quote: string;
  readonly score: string;
}

/** A stretch of a text: plain, a board in letters, or what a score points to. */
interface Stretch {
  readonly text: string;
  readonly look: 'plain' | 'board' | 'marked';
  readonly score?: string;
}

export function Spoken({ text, quotes = [] }: { readonly text: string; readonly quotes?: readonly Quote[] }) {
  const stretches = useMemo(() => stretchesOf(text, quotes), [text, quotes]);
  return (
    <span className="text" dir="auto">
      {stretches.map((stretch, i) => {
        // biome-ignore-start lint/suspicious/noArrayIndexKey: stretches of a text have no other name than their place.
        if (stretch.look === 'plain') return stretch.text;
        if (stretch.look === 'marked')
          return (
            <mark key={i} title={stretch.score}>
              {stretch.text}
            </mark>
          );
        return (
          <span key={i} className="mono">
            {stretch.text}
          </span>
        );
        // biome-ignore-end lint/suspicious/noArrayIndexKey: stretches of a text have no other name than their place.
      })}
    </span>
  );
}

function stretchesOf(text: string, quotes: readonly Quote[]): readonly Stretch[] {
  const [first, ...rest] = quotes;
  if (first === undefined) return splitLetters(text);
  const at = text.indexOf(first.quote);
  if (at < 0) return stretchesOf(text, rest);
  const marked: Stretch = { text: first.quote, look: 'marked', score: first.score };
  return [...stretchesOf(text.slice(0, at), rest), marked, ...stretchesOf(text.slice(at + first.quote.length), quotes)];
}

/** A board that is written in letters only reads as one where all letters are as wide. */
function splitLetters(text: string): readonly Stretch[] {
  const parts = text.split(/((?:^[.XO#*|-]{3,}$\n?)+)/m);
  return parts.flatMap((part, i): readonly Stretch[] => (part === '' ? [] : [{ text: part, look: i % 2 === 0 ? 'plain' : 'board' }]));
}
