/** @file A scripted member: it tells the digits it knows, combines those it hears, and follows the form of every protocol. */

import type { Script, Seen } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { fillForm } from './forms.ts';

/** Matches the digits of a vault that a text mentions. */
const fact = /digit (\d+) is (\d+)/gi;

/**
 * Returns, for each digit, the value that most speakers name. A tie goes to the first. Repeating others adds no support, so each speaker
 * states only what it knows itself.
 */
function digitsIn(observations: readonly Seen[]): ReadonlyMap<number, number> {
  const votes = new Map<number, Map<number, number>>();
  for (const item of observations) {
    if (item.kind !== 'message') continue;
    for (const [, place, value] of item.text.matchAll(fact)) {
      const counts = votes.get(Number(place)) ?? new Map<number, number>();
      counts.set(Number(value), (counts.get(Number(value)) ?? 0) + 1);
      votes.set(Number(place), counts);
    }
  }
  return new Map([...votes].map(([place, counts]) => [place, [...counts].reduce((best, item) => (item[1] > best[1] ? item : best))[0]]));
}

export const member: Script = ({ view, ask, rng }) => {
  const { seen } = view;
  const ownItems = seen.filter((item) => item.kind === 'message' && item.from === undefined);
  const observedText = ownItems.at(-1)?.kind === 'message' ? (ownItems.at(-1) as { text: string }).text : '';
  const knows = [...digitsIn(ownItems)].map(([place, value]) => `Digit ${place} is ${value}.`).join(' ');
  const digits = digitsIn(seen);
  const code = [1, 2, 3].map((place) => digits.get(place) ?? 1 + rng.int(4)).join('');
  const lines: string[] = [];
  if (knows !== '') lines.push(knows);
  const others =
    linear(/team: ([^.]+)\./)
      .exec(ownItems.map((item) => (item.kind === 'message' ? item.text : '')).join('\n'))?.[1]
      ?.split(', ') ?? [];
  const rest = others.filter((name) => name !== view.seat);
  const spoke = rest.filter((name) => seen.some((item) => item.kind === 'message' && item.from === name));
  const form = fillForm(observedText, { code, sure: [1, 2, 3].every((place) => digits.has(place)), others: rest, spoke });
  if (form !== null) return { text: [...lines, ...form].join('\n') };
  if (/"Next: NAME"/.test(observedText)) {
    const silent = rest.find((name) => !seen.some((item) => item.kind === 'message' && item.from === name));
    lines.push(silent === undefined ? 'Done: yes' : `Done: no\nProgress: yes\nNext: ${silent}\nTask: Say which digit you know.`);
    if (silent !== undefined) return { text: lines.join('\n') };
  }
  if (/"Agree: yes"/.test(observedText)) {
    const plan = /Answer: (\d+)/.exec(lastFrom(seen))?.[1] ?? '';
    return {
      text: [...lines, `Agree: ${[...digitsIn(ownItems)].every(([place, value]) => plan[place - 1] === `${value}`) ? 'yes' : 'no'}`].join(
        '\n',
      ),
    };
  }
  if (/"Score: …"/.test(observedText)) {
    const newText = /Answer: (\d+)/.exec(lastFrom(seen))?.[1] ?? '';
    const right = [...digits].filter(([place, value]) => newText[place - 1] === `${value}`).length;
    return { text: [...lines, `Score: ${digits.size === 0 ? 0 : Math.round((10 * right) / digits.size)}`].join('\n') };
  }
  for (const [, name] of observedText.matchAll(/"Rate ([^:"]+): …"/g)) lines.push(`Rate ${name}: ${name === view.seat ? 3 : 4}`);
  const move = ask.choices !== undefined && ask.choices.length > 0 ? rng.pick(ask.choices) : code;
  return { text: [...lines, `Answer: ${move}`].join('\n') };
};

function lastFrom(observations: readonly Seen[]): string {
  const item = observations.findLast((item) => item.kind === 'message' && item.from !== undefined);
  return item?.kind === 'message' ? item.text : '';
}
