/** @file Scripted villagers and wolves: one that plays by chance, and one that is honest, listens to the seer and votes with it. */

import type { JsonObject, Script, Turn } from '@ludus-agents/kernel/internal/core/index';

/** Any choice, each equally likely; silence when it is to speak. */
const random: Script = ({ ask, rng }) => ({ text: ask.choices === undefined ? '' : rng.pick(ask.choices) });

/**
 * The seer inspects seats it has not inspected and names wolves; the rest, wolves too, vote for the seat that was named last and still
 * lives. Wolves attack the seat that named one of them.
 */
const honest: Script = (turn) => {
  const { ask, rng } = turn;
  const { inspected, accused, accusers, wolves } = readView(turn);
  if (ask.choices === undefined) {
    const knownWolf = [...inspected].findLast(([, wolf]) => wolf);
    return { text: knownWolf === undefined ? '' : `${knownWolf[0]} is a wolf.` };
  }
  const choice = (verb: string, seats: readonly string[]) =>
    seats.map((seat) => `[${verb} ${seat}]`).find((item) => ask.choices?.includes(item));
  const fresh = ask.choices.filter((choice) => ![...inspected.keys()].some((seat) => choice === `[inspect ${seat}]`));
  const matches = [...inspected].filter(([, wolf]) => wolf).map(([seat]) => seat);
  const followed = accused.filter((seat) => !wolves.includes(seat));
  const wanted = choice('kill', accusers) ?? choice('vote', matches) ?? choice('vote', followed);
  return { text: wanted ?? rng.pick(fresh.length > 0 ? fresh : ask.choices) };
};

/** What a seat has learnt: by inspecting, from the list of wolves, and from accusations, latest first. */
function readView({ view }: Turn) {
  const inspected = new Map<string, boolean>();
  const accused: string[] = [];
  const accusers: string[] = [];
  let wolves: readonly string[] = [];
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const data = (item.data ?? {}) as JsonObject;
    if (typeof data['inspected'] === 'string') inspected.set(data['inspected'], data['wolf'] === true);
    if (Array.isArray(data['wolves'])) wolves = data['wolves'];
    const name = item.from === undefined ? undefined : /^(\w+) is a wolf\.$/.exec(item.text)?.[1];
    if (name === undefined || item.from === undefined) continue;
    accused.unshift(name);
    if (wolves.includes(name)) accusers.unshift(item.from);
  }
  return { inspected, accused, accusers, wolves };
}

export const scripts: Readonly<Record<string, Script>> = { random, honest };
