/**
 * @file Imitation before play: a learner imitates a script or random legal play, and the result is the first reference.
 *
 * In random play every situation has its own random odds. If all moves were equally likely everywhere, imitation would teach the model to
 * ignore everything that does not change the legal moves (a card, a price), and self-play might not recover from that. To predict varying
 * odds, the model has to read the text.
 */

import type { Learner, Policy, Rng, Seed, TokenRow, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng, textOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { refuseFailedGames } from './failed-games.ts';
import { between } from './schedule.ts';
import { type ScriptErrors, type ShownScript, scriptCast, type WarmUpSetup } from './script-play.ts';
import { nonsense } from './vocabulary-texts.ts';

export type WarmUp = {
  readonly games: number;
  readonly steps: number;
  readonly rate: number;
  /** Rows of one step, drawn again each time, equally many from every environment; all of them by default. */
  readonly rows?: number;
  /** How often a move is replaced by an invalid one, which is not imitated, so that the learner sees error messages. Never by default. */
  readonly slips?: number;
  /** The model to imitate: a script of the environment, on every seat of the learner. Random legal play by default. */
  readonly script?: string;
  /** A second script that answers instead of the first at a share of the turns, so that reinforcement has something to improve. */
  readonly errs?: ScriptErrors;
};

/** Every answer of a script on the learner's seats as a row to imitate. */
async function scriptPlay(
  learner: Learner,
  setup: WarmUpSetup,
  { games, seed, script, errs }: ShownScript & { readonly games: number; readonly seed: Seed },
): Promise<readonly TokenRow[]> {
  const { environment, task } = setup;
  const rows: TokenRow[] = [];
  const dice = rng(seed, 'warm-up', environment.id);
  // A failing episode only ends itself, so the error is rethrown afterwards.
  let thrown: unknown;
  const cast = scriptCast(setup, { script, errs }, (turn, text) => {
    try {
      rows.push(toDemonstrationRow(learner, turn, text));
    } catch (why) {
      thrown ??= why;
    }
  });
  const logs = await rollout(environment, cast, { seeds: Array.from({ length: games }, () => dice.int(2 ** 32)), task });
  if (thrown !== undefined) throw thrown;
  refuseFailedGames(logs);
  if (rows.length === 0)
    throw new Fault('input', `The script "${script}" of ${environment.id} gave no answers, so there is nothing to imitate.`);
  return rows;
}

/** Every move of random legal games as a row to imitate. */
async function randomPlay(
  learner: Learner,
  { environment, task, others = {} }: WarmUpSetup,
  { games, seed, slips = 0 }: Pick<WarmUp, 'games' | 'slips'> & { readonly seed: Seed },
): Promise<readonly TokenRow[]> {
  const rows: TokenRow[] = [];
  const messages = [...nonsense];
  const policy: Policy = {
    name: 'random',
    act: (turns) =>
      turns.map((turn) => {
        const { choices } = turn.ask;
        if (choices === undefined) throw new Fault('input', `${environment.id} lists no moves, so there is no random play to imitate.`);
        // Some earlier moves are no longer legal: the most common way to break the rules.
        if (slips > 0 && turn.rng.next() < slips) return { action: { text: turn.rng.pick(messages) } };
        const text = choices[turn.rng.weighted(oddsOf(turn, choices.length, seed))];
        rows.push(toDemonstrationRow(learner, turn, text));
        if (messages.length < 64 && !messages.includes(text)) messages.push(text);
        return { action: { text } };
      }),
  };
  const dice = rng(seed, 'warm-up', environment.id);
  const seats: readonly string[] = environment.seats(environment.task(task));
  await rollout(environment, Object.fromEntries(seats.map((seat) => [seat, others[seat] ?? policy])), {
    seeds: Array.from({ length: games }, () => dice.int(2 ** 32)),
    task,
  });
  return rows;
}

/** The odds of the choices in a situation: up to nine times as likely as another, and equal on average over situations. */
function oddsOf({ view }: Turn, choices: number, seed: Seed): readonly number[] {
  const dice = rng(seed, 'odds', view.seat, textOf(view));
  return Array.from({ length: choices }, () => 0.125 + dice.next());
}

/** The learner's input and output if it gave this answer. */
export function toDemonstrationRow(learner: Learner, ...[turn, text]: Parameters<NonNullable<Learner['rowOf']>>): TokenRow {
  if (learner.rowOf === undefined)
    throw new Fault('input', `${learner.id} cannot be trained on given answers. Use a learner that can.`, { code: 'E_UNSUPPORTED' });
  return learner.rowOf(turn, text);
}

/** Another way to create demonstrations than from views: the rows of games of a script, or of random play if none is named. */
export type ShowRows = (
  ground: WarmUpSetup,
  how: { readonly games: number; readonly seed: Seed; readonly script: string | undefined },
) => Promise<readonly TokenRow[]>;

export async function warmUp(
  learner: Learner,
  grounds: readonly WarmUpSetup[],
  { games, steps, rate, seed, slips = 0, script, errs, rows: count, show }: WarmUp & { readonly seed: Seed; readonly show?: ShowRows },
): Promise<void> {
  if (steps === 0) return learner.refer();
  const each = Math.ceil(games / grounds.length);
  const shelves: (readonly TokenRow[])[] = [];
  for (const ground of grounds)
    shelves.push(
      show !== undefined
        ? await show(ground, { games: each, seed, script })
        : script === undefined
          ? await randomPlay(learner, ground, { games: each, seed, slips })
          : await scriptPlay(learner, ground, { games: each, seed, script, errs }),
    );
  const weigh = (list: readonly TokenRow[], each: number) =>
    list.map((row) => ({ ...row, mask: Array.from(row.mask, (bit) => bit / each) }));
  const shared = weigh(shelves.flat(), games);
  // Episode lengths differ by environment; sampling from all rows alike would neglect environments with short episodes.
  const drawSamples = (count: number, dice: Rng) => Array.from({ length: count }, (_, i) => dice.pick(shelves[i % shelves.length]));
  for (let step = 0; step < steps; step++) {
    const samples = count === undefined ? shared : weigh(drawSamples(count, rng(seed, 'step', step)), count);
    await learner.forwardBackward(samples, 'cross_entropy');
    await learner.optimStep({ rate: between({ from: rate, to: rate / 10 }, step / steps), clip: 1 });
  }
  await learner.refer();
}
