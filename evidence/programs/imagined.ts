/**
 * @file A walk past doors, one in five of which leads on. The page behind each door can be imagined before one is opened. A script
 * replaces the model: it imagines the right page with a given probability and scores pages with noise. Without imagination, it sees
 * through a door with a smaller probability.
 *
 * Options: settings (JSON of the search "webdreamer"), right (probability that an imagined page is right), errors ("fixed": it repeats
 * its error about a door; "fresh": errors are independent), walks, seed. Prints the share of doors that lead on, the calls per walk,
 * and how often a page was imagined.
 */

import { type SearchMind, searchAgent } from '@ludus-agents/agents/internal/search/agent';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import type { Action, AnyEnvironment, Json, JsonObject, Rng, Seen } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { counting, lastMoveIn, noisy, textsIn } from './_readers.ts';

const doors = ['[a]', '[b]', '[c]', '[d]', '[e]'];
const [rooms, direct, noise] = [5, 0.5, 0.2];

type State = { readonly right: string; readonly room: number; readonly passed: number };

const house: AnyEnvironment = {
  id: 'doors@1',
  about: { summary: 'Doors of which one leads on.', tasks: [{}], turns: rooms },
  parameters: {},
  task: () => ({}),
  seats: () => ['walker'],
  start: (_: object, random: Rng) => room({ right: random.pick(doors), room: 0, passed: 0 }, 'Walk.'),
  step(before: State, actions: Readonly<Record<string, Action>>, random: Rng) {
    const isRight = actions['walker']?.text === before.right;
    const state: State = { right: random.pick(doors), room: before.room + 1, passed: before.passed + (isRight ? 1 : 0) };
    return room(state, isRight ? 'It leads on.' : 'A dead end.');
  },
};

function room(state: State, text: string) {
  const isOver = state.room === rooms;
  return {
    // The stand-in for a model knows what is behind doors, and errs on purpose.
    ...{ state, messages: [{ to: ['walker'], text, data: { right: state.right } }] },
    asks: isOver ? [] : [{ seat: 'walker', choices: doors }],
    ...(isOver ? { rewards: { walker: state.passed / rooms } } : {}),
  };
}

const isMove = ({ kind }: Seen) => kind === 'action';

export default async function run({
  settings = '{}',
  right = 0.75,
  errors = 'fixed',
  walks = 40,
  seed = 1,
}: ProgramOptions): Promise<Json> {
  let [calls, imagined, share, walk] = [0, 0, 0, 0];
  const judge = scripted('dreamer', (turn) => {
    const texts = textsIn(turn);
    const ask = texts.at(-1) ?? '';
    const last = turn.view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
    const truth = last?.kind === 'message' && (last.data as { readonly right: string }).right === lastMoveIn(turn);
    const dice = errors === 'fixed' ? rng(Number(seed), walk, turn.view.seen.filter(isMove).length, lastMoveIn(turn)) : turn.rng;
    const noisyTruth = (chance: number) => (dice.next() < chance ? truth : dice.next() < 1 / doors.length);
    if (ask.startsWith('Imagine')) return { text: `Next: ${noisyTruth(Number(right)) ? 'It leads on.' : 'A dead end.'}` };
    const page = texts.at(-2) ?? '';
    const isImagined = turn.view.seen.at(-2)?.kind === 'message';
    const isGood = isImagined ? page === 'It leads on.' : noisyTruth(direct);
    return { text: `Score: ${(10 * noisy(isGood ? 0.8 : 0.2, noise, turn.rng)).toFixed(2)}` };
  });
  for (; walk < Number(walks); walk++) {
    const agent = searchAgent({
      ...{ name: 'walker', environment: 'doors', base: undefined, judge: counting(judge, () => calls++) },
      settings: readSearch({ name: 'walker', kind: 'search', settings: JSON.parse(String(settings)) as JsonObject }),
    });
    const { events, returns } = await playOne(house, { walker: agent }, {}, Number(seed) * 1000 + walk);
    share += (returns['walker'] ?? 0) / Number(walks);
    const last = events.findLast((event) => event.kind === 'action');
    imagined += ((last?.kind === 'action' ? last.mind : undefined) as SearchMind | undefined)?.acted?.['imagined'] ?? 0;
  }
  return { right: share, calls: calls / Number(walks), imagined };
}
