/** @file A scripted player of Hanabi: plays what it is sure of, hints what partners can play, discards cards without hints. */

import type { Action, Turn, View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** What a seat reads before its move: colours and ranks as words, "?" where a holder does not know. */
interface Table {
  readonly stacks: Readonly<Record<string, number>>;
  readonly mine: readonly Told[];
  readonly partners: readonly { readonly seat: string; readonly cards: readonly Told[]; readonly known: readonly Told[] }[];
}

type Told = readonly [colour: string, rank: string];

function tableIn(view: View): Table {
  const status = view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('Stacks: '));
  const [head = '', ...lines] = status?.kind === 'message' ? status.text.split('\n') : [];
  const pairs = (text: string) => text.split(', ').map((card) => card.split(' ') as unknown as Told);
  const stacks = Object.fromEntries(pairs(head.slice(8, head.indexOf('.'))).map(([colour, height]) => [colour, Number(height)]));
  let mine: readonly Told[] = [];
  const partners: Table['partners'][number][] = [];
  for (const line of lines) {
    const other = linear(/^(\w+) holds: (.*); and knows: (.*)\.$/).exec(line);
    if (other === null) mine = pairs(line.slice(24, -1));
    else partners.push({ seat: other[1], cards: pairs(other[2]), known: pairs(other[3]) });
  }
  return { stacks, mine, partners };
}

export function careful({ view, ask }: Turn): Action {
  const { stacks, mine, partners } = tableIn(view);
  const choices = ask.choices as readonly string[];
  const heights = Object.values(stacks);
  const fits = ([colour, rank]: Told) => {
    if (rank === '?') return false;
    // A rank alone is enough where it is next on every stack.
    return colour === '?' ? heights.every((height) => height + 1 === Number(rank)) : stacks[colour] + 1 === Number(rank);
  };
  const sure = mine.findIndex(fits);
  if (sure >= 0) return { text: `[play ${sure + 1}]` };
  for (const { seat, cards, known } of partners) {
    for (const [i, card] of cards.entries()) {
      const [colour, rank] = known[i];
      if (!fits(card) || fits([colour, rank])) continue;
      const hint = rank === '?' ? `[hint ${seat} rank ${card[1]}]` : `[hint ${seat} colour ${card[0]}]`;
      if (choices.includes(hint)) return { text: hint };
    }
  }
  const unspoken = mine.findIndex(([colour, rank]) => colour === '?' && rank === '?');
  return { text: `[discard ${Math.max(unspoken, 0) + 1}]` };
}
