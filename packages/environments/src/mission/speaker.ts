/**
 * @file A member of a team on a mission, without a language model. It follows the forms of protocols, reports what follows from its file,
 * and acts only on what it is shown and told in this turn. It doesn't remember anything that is no longer visible, such as an order from
 * long ago.
 */

import type { Rng, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { chainIn, linksIn, moveOn, routeIn } from './reading.ts';

interface Situation {
  /** The question to it. */
  readonly told: string;
  /** Its facts that others may not know, as lines. */
  readonly facts: readonly string[];
  /** The move it would make, and whether it is more than a guess. */
  readonly move: string;
  readonly isSure: boolean;
  /** The moves that it plans ahead. */
  readonly ahead: readonly string[];
  /** An order that it was just told. */
  readonly order: string | null;
  readonly isStuck: boolean;
  readonly others: readonly string[];
  /** The number of messages from others in this turn. */
  readonly heard: number;
  readonly rng: Rng;
}

export const speaker: Script = Object.assign(
  (turn: Turn) => {
    const now = read(turn);
    // If it plays alone, only the environment sends it messages.
    if (!/"|asks you/.test(now.told)) return { text: now.move };
    return { text: [...now.facts, ...fill(now)].join('\n') };
  },
  { speaks: true as const },
);

function read(turn: Turn): Situation {
  const { view, ask, rng } = turn;
  const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const observedText = texts.at(-1) ?? '';
  const others =
    linear(/(?:team \(|steps for |some of |one of )([^):"]*?)(?:\)|,? one per|, each)/)
      .exec(observedText)?.[1]
      ?.split(', ') ?? [];
  const receivedLength = view.seen.filter((item) => item.kind === 'message' && item.from !== undefined).length;
  const rest = { told: observedText, others, heard: receivedLength, rng };
  const links = linksIn(texts);
  const chain = chainIn(texts, links);
  if (chain !== null) {
    const links = linksIn(texts.filter((text) => text.startsWith('File ')));
    const knownPlaces = chain.places.slice(0, -1).filter((place) => links.has(place));
    const facts = knownPlaces.map((place) => `Fact: ${place} leads to ${links.get(place)}`);
    const move = chain.isWhole ? `[${chain.places.at(-1)}]` : rng.pick(ask.choices ?? ['[a]']);
    return { ...rest, facts, move, isSure: chain.isWhole, ahead: [move], order: null, isStuck: false };
  }
  const earlierView = { ...view, seen: view.seen.slice(0, -1) };
  const route = routeIn({ view: earlierView }, [observedText]);
  const isSure = route !== null && route.order.length > 0;
  const move = isSure ? moveOn(route) : rng.pick(ask.choices ?? ['[hammer a]']);
  const [, ...later] = route?.order ?? [];
  const order = route?.isNew === true ? route.order.join(' ') : null;
  const ahead = [move, ...later.map((station) => `[hammer ${station}]`)];
  return { ...rest, facts: order === null ? [] : [`Fact: Order: ${order}`], move, isSure, ahead, order, isStuck: route?.failed !== null };
}

/** Returns the lines that a form asks for. */
function fill(now: Situation): readonly string[] {
  const { told, move, isSure, ahead, order, others, heard, rng } = now;
  const answer = `Answer: ${move}`;
  if (told.includes('"Plan: …", and')) return [`Plan: Order: ${order ?? ahead.map((item) => item.slice(-2, -1)).join(' ')}`];
  if (told.includes('"Plan: …" in one line, and')) return [`Plan: Order: ${order ?? ''}`];
  if (told.includes('Judge the state')) {
    const next = others[heard % Math.max(1, others.length)];
    if (isSure || next === undefined || heard > 6) return ['Progress: yes', 'Done: yes', answer];
    return ['Progress: yes', `Next: ${next}`, `Task: say what follows, step ${heard + 1}`];
  }
  if (told.includes('"Step NAME')) {
    if (isSure) return ahead.map((item, i) => `Step ${others[i % others.length]}: ${item}`);
    return [...others, ...others].map((name, i) => `Ask ${name}: what follows, number ${i + 1}?`);
  }
  if (told.includes('asks you to make this move'))
    return [`Answer: ${linear(/\[[^\]]+\]/).exec(told.slice(told.indexOf('this move')))?.[0] ?? move}`];
  if (told.includes('"Moves: …"')) return [`Moves: ${ahead.slice(0, 5).join(' ')}`, answer];
  if (told.includes('"Take: NAME"')) return isSure ? [answer] : [];
  if (told.includes('"Plan: …". ')) return [`Plan: Order: ${order ?? ahead.map((item) => item.slice(-2, -1)).join(' ')}`, answer];
  if (told.includes('The plan of the team')) return [...(order === null ? [] : ['Progress: yes']), answer];
  if (told.includes('"Agree: yes"')) return [`Agree: ${isSure ? 'yes' : 'no'}`];
  if (told.includes('"Block NAME')) return [`Block links: chain ${[...others, ...others].join(', ')}; say what follows.`];
  if (told.includes('"Solved NAME')) return [`Solved links: ${isSure ? 'yes' : 'no'}`, answer];
  if (told.includes('"Goal: …"')) return ['Goal: say what follows'];
  if (told.includes('"Enough: yes"')) return [`Enough: ${isSure ? 'yes' : 'no'}`];
  if (told.includes('or say what you know')) return isSure ? [answer] : [];
  if (told.includes('"Weight MOVE')) return [`Weight ${move}: ${isSure ? 1 : 0.1}`, answer];
  if (told.includes('"Guide MOVE')) return [`Guide ${move}: 1`];
  if (told.includes('"Well: yes"')) return [`Well: ${isSure && told.includes(move) ? 'yes' : 'no'}`];
  if (told.includes('"Intent: …"')) return [`Intent: Order: ${order ?? ahead.map((item) => item.slice(-2, -1)).join(' ')}`];
  if (told.includes('"Score: …"')) return [`Score: ${isSure ? 9 : 3}`];
  if (told.includes('"Do: ')) return [rng.next() < 0.5 ? 'Do: solve 1' : 'Do: answer 1'];
  const rates = [...told.matchAll(/"Rate ([^:"]+): …"/g)].map(([, name]) => `Rate ${name}: 3`);
  return [...rates, answer];
}
