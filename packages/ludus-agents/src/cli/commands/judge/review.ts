/** @file `ludus judge review`: what people say about episodes. The next to look at, labels with reasons, blind pairs, and how far all agree. */

import { userInfo } from 'node:os';
import { faultPrefix } from '@ludus-agents/desk/internal/faults/detector';
import { peopleAgreement } from '@ludus-agents/evaluation/internal/people-agreement';
import { usualScorers } from '@ludus-agents/evaluation/internal/scoring/index';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { type EpisodeEvent, equal, Fault, printable, type Score, type Store } from '@ludus-agents/kernel/internal/core/index';
import { addReview, blindPairs, readReviews, withoutLabel } from '@ludus-agents/store/internal/reviews';
import { loadRun, type StoreOptions, withExistingStore, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly label?: string;
  readonly against?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly pairs?: boolean;
  readonly agreement?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

export const review: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const by = options.by ?? userInfo().username;
    const typed = args[0]!;
    if (options.label !== undefined)
      return withWritableStore(terminal, options, async (store) => {
        const [episode, against] = [
          await episodeOf(store, typed),
          options.against === undefined ? undefined : await episodeOf(store, options.against),
        ];
        const statement = {
          ...(against === undefined ? {} : { against }),
          ...(options.reason === undefined ? {} : { reason: options.reason }),
        };
        await addReview(store, { episode, label: options.label!, by, at: Date.now(), ...statement });
        if (options.json === true) printJson(terminal, { episode, label: options.label, by, ...statement });
        else print(terminal, `✓ ${episode.slice(0, 8)}: ${printable(options.label!)}, says ${printable(by)}`);
        return exits.fine;
      });
    return withExistingStore(terminal, options, async (store) => {
      const run = await loadRun(store, typed);
      const records = await Array.fromAsync(recordsOf(store, { run: run.id }));
      const reviews = await readReviews(store);
      const scores = new Map<string, readonly Score[]>();
      for (const { id } of records) scores.set(id, await store.scores(id));
      if (options.agreement === true) {
        const labels = reviews.filter(({ episode, against }) => against === undefined && scores.has(episode));
        return tell(options, terminal, { agreement: peopleAgreement(labels, scores) }, ({ agreement }) =>
          agreement.length === 0
            ? ['No episode of this run has two labels, or a label and a score.']
            : agreement.map(({ with: who, episodes, raw, alpha, interval }) => {
                const ends = interval === null ? '' : ` (${interval.map((end) => end.toFixed(2)).join(' to ')})`;
                return `${printable(who)}: ${alpha === null ? 'alpha is undefined because all labels are the same' : `alpha ${alpha.toFixed(2)}${ends}`}, ${(100 * raw).toFixed(0)}% agreement over ${episodes} episodes`;
              }),
        );
      }
      if (options.pairs === true) {
        const pairs: { episode: string; against: string; words: { episode: readonly string[]; against: readonly string[] } }[] = [];
        for (const { episode, against } of blindPairs(records, reviews, by)) {
          if (pairs.length === options.limit) break;
          const words = { episode: wordsOf(await store.events(episode.id)), against: wordsOf(await store.events(against.id)) };
          // Of two that are the same word for word nothing can be said.
          if (!equal(words.episode, words.against)) pairs.push({ episode: episode.id, against: against.id, words });
        }
        return tell(options, terminal, { pairs }, () =>
          pairs.length === 0
            ? ['No pair is left to compare.']
            : pairs.flatMap(({ episode, against, words }, i) => [
                ...(i === 0 ? (['episode', 'against'] as const).flatMap((side) => [`── ${side}`, ...words[side].map(printable), '']) : []),
                `ludus judge review ${episode.slice(0, 8)} --against ${against.slice(0, 8)} --label episode|against|tie`,
              ]),
        );
      }
      const queue = withoutLabel(records, reviews, by)
        .map(({ id }) => ({ episode: id, ...urgency(scores.get(id) ?? []) }))
        .sort((a, b) => b.disagreement - a.disagreement || Number(b.failed !== null) - Number(a.failed !== null))
        .slice(0, options.limit);
      return tell(options, terminal, { queue }, () =>
        queue.length === 0
          ? ['Nothing is left to label in this run.']
          : queue.map(({ episode, disagreement, failed }) => {
              const short = episode.slice(0, 8);
              return `${short}  verdicts differ by ${disagreement.toFixed(2)}${failed === null ? '' : `, failed: ${printable(failed)}`}  (ludus show ${short})`;
            }),
      );
    });
  },
};

/** How far its verdicts lie apart, each on its own scale from 0 to 1, and what a rule has against it. The faults together are one verdict. */
function urgency(scores: readonly Score[]): { readonly disagreement: number; readonly failed: string | null } {
  const inputs = [...new Map(scores.map((score) => [`${score.name} ${score.seat ?? ''}`, score])).values()].flatMap((score) => {
    const { name, value, scale } = score;
    if (value === null || (name !== 'return' && usualScorers.includes(name.split('/', 1)[0]!))) return [];
    const [low, high] = scale ?? [0, 1];
    const share = Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
    return [{ score, share: name.startsWith(faultPrefix) ? 1 - share : share }];
  });
  const [faults, others] = [true, false].map((kind) => inputs.filter(({ score }) => score.name.startsWith(faultPrefix) === kind));
  const shares = [...others!.map(({ share }) => share), ...(faults!.length === 0 ? [] : [Math.min(...faults!.map(({ share }) => share))])];
  const worst = [...faults!, ...others!].find(({ share }) => share === 0)?.score;
  return {
    disagreement: shares.length < 2 ? 0 : Math.max(...shares) - Math.min(...shares),
    failed: worst === undefined ? null : `${worst.name}${worst.reason === undefined ? '' : `, ${worst.reason}`}`,
  };
}

/** What was said in an episode, by seats: who sat there is not in it. */
function wordsOf(events: readonly EpisodeEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === 'action' ? [`${event.seat}: ${event.action.text}`] : []));
}

async function episodeOf(store: Store, typed: string): Promise<string> {
  const [match, other] = await store.find(typed, 2);
  if (match === undefined || (other !== undefined && match !== typed))
    throw new Fault(
      'input',
      `${match === undefined ? 'No' : 'More than one'} episode starts with "${typed.slice(0, 80)}". Run "ludus list episodes" to see all.`,
    );
  return match;
}

function tell<T>(options: Options, terminal: Terminal, found: T, lines: (found: T) => readonly string[]): number {
  if (options.json === true) printJson(terminal, found);
  else print(terminal, ...lines(found));
  return exits.fine;
}
