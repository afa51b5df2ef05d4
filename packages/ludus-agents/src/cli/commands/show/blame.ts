/** @file `ludus show blame`: the first step of an episode that rules know to be wrong and that the end depends on. */

import { attribute, wrongIn } from '@ludus-agents/evaluation/internal/scoring/attribution';
import type { FaultRecord } from '@ludus-agents/kernel/internal/core/fault';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type Episode, printable } from '@ludus-agents/kernel/internal/core/index';
import { brief, findEpisode, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly json?: boolean;
}

export const blame: CommandRun = {
  async run({ args, options: given, terminal }) {
    const options = given as Options;
    const episode = await withExistingStore(terminal, options, async (store): Promise<Episode> => {
      const { id } = await findEpisode(store, args[0]!);
      return { id, events: await store.events(id) };
    });
    const found = blameIn(episode);
    if (options.json === true) printJson(terminal, found);
    else print(terminal, textOf(found));
    return exits.fine;
  },
};

interface BlameFound {
  readonly episode: string;
  /** Answers that rules know to be wrong, by their place in the log. */
  readonly wrong: readonly number[];
  readonly blame: {
    readonly seat: string;
    /** The how-manieth answer of the episode, from 0. */
    readonly step: number;
    readonly event: number;
    readonly text: string;
    /** Events on the way to the end that depend on this answer directly. */
    readonly followers: number;
    /** The share of what led to the end that depends on this answer. */
    readonly reach: number;
  } | null;
  /** What ended the episode in place of an answer: a seat that failed, or the environment. */
  readonly fault?: FaultRecord;
}

function blameIn(episode: Episode): BlameFound {
  const end = episode.events.at(-1);
  return { ...wrongAnswers(episode), ...(end?.kind === 'end' && end.fault !== undefined ? { fault: end.fault } : {}) };
}

function wrongAnswers(episode: Episode): BlameFound {
  const wrong = [...wrongIn(episode)].sort((a, b) => a - b);
  const found = attribute(episode);
  const action = found === null ? undefined : episode.events[found.cause.event];
  if (found === null || action?.kind !== 'action') return { episode: episode.id, wrong, blame: null };
  const { event, followers, reach } = found.cause;
  return { episode: episode.id, wrong, blame: { seat: found.agent, step: found.step, event, text: action.action.text, followers, reach } };
}

function textOf({ fault, ...found }: BlameFound): string {
  if (fault === undefined) return answersText(found);
  const ended = `${printable(fault.seat ?? `the ${fault.boundary}`)} failed, which ended ${brief(found.episode)}: ${printable(fault.message)}`;
  return found.wrong.length === 0 ? ended : `${ended}\n${answersText(found)}`;
}

function answersText({ episode, wrong, blame: found }: BlameFound): string {
  if (wrong.length === 0)
    return `No answer in ${brief(episode)} is known to be wrong: none broke a rule, no call failed, and nothing said contradicts the world.`;
  if (found === null) return `The end of ${brief(episode)} depends on none of the ${wrong.length} answers that are known to be wrong.`;
  const depend =
    found.followers === 0
      ? ''
      : ` ${count(found.followers, 'later event')} ${found.followers === 1 ? 'depends' : 'depend'} on it directly.`;
  return `${printable(found.seat)}, at answer ${found.step} (event ${found.event}): "${printable(found.text)}".${depend} ${Math.round(100 * found.reach)} % of what led to the end depends on it.`;
}
