/** @file The features of an episode for a reward model: the seat's observations and actions as words and word pairs; never rewards. */

import { type EpisodeEvent, rng, type Seat } from '@ludus-agents/kernel/internal/core/index';

/** An observation or action of a seat. */
export type Moment = {
  readonly own: boolean;
  readonly text: string;
  /** Whether it is the action itself, not the message that repeats it. */
  readonly act?: true;
};

/** Messages to the seat and its own actions, in order. */
export function momentsOf(log: readonly EpisodeEvent[], seat: Seat): readonly Moment[] {
  return log.flatMap((event): readonly Moment[] => {
    if (event.kind === 'message' && event.to.includes(seat)) return [{ own: event.from === seat, text: event.text }];
    if (event.kind === 'action' && event.seat === seat) return [{ own: true, text: event.action.text, act: true }];
    return [];
  });
}

/** Slots that words are hashed into. */
export const slots = 2 ** 14;
/** Moments at the end that are read once more, as the end. */
const last = 2;

/** The slots that an episode fills, each once. */
export function featuresOf(moments: readonly Moment[]): readonly number[] {
  const matches = new Set<number>([slotOf('always')]);
  for (const [i, { own, text }] of moments.entries()) {
    const words = wordsIn(text);
    const kinds = [own ? 'did' : 'saw', ...(i >= moments.length - last ? [own ? 'did last' : 'saw last'] : [])];
    for (const kind of kinds)
      for (const [j, word] of words.entries()) {
        matches.add(slotOf(`${kind} ${word}`));
        if (j > 0) matches.add(slotOf(`${kind} ${words[j - 1]} ${word}`));
      }
  }
  const acts = moments.filter(({ own }) => own).map(({ text }) => text);
  for (let i = 1; i < acts.length; i++) if (acts.slice(0, i).includes(acts[i])) matches.add(slotOf('did again'));
  matches.add(slotOf(`acts ${Math.min(30, acts.length)}`));
  matches.add(slotOf(moments.at(-1)?.own === true ? 'ends with an act' : 'ends with an answer'));
  return [...matches];
}

/** Words of a message, and of the answer to it, that are read together, at most. */
const mostWords = 16;

/** The input of a step model: each act of the seat with the message it answers, and the number of acts. */
export function stepFeaturesOf(moments: readonly Moment[]): readonly number[] {
  const matches = new Set<number>([slotOf('always')]);
  for (const [i, { act, text }] of moments.entries()) {
    if (act !== true) continue;
    const last = moments.slice(0, i).findLast((moment) => !moment.own);
    for (const did of wordsIn(text).slice(0, mostWords)) {
      matches.add(slotOf(`step ${did}`));
      for (const saw of wordsIn(last?.text ?? '').slice(-mostWords)) matches.add(slotOf(`step ${saw} then ${did}`));
    }
  }
  matches.add(slotOf(`steps ${Math.min(30, moments.filter(({ act }) => act).length)}`));
  return [...matches];
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const knownEntries = new Map<string, number>();

function slotOf(name: string): number {
  let slot = knownEntries.get(name);
  if (slot === undefined) {
    slot = rng(0, 'feature', name).int(slots);
    if (knownEntries.size < 200_000) knownEntries.set(name, slot);
  }
  return slot;
}
