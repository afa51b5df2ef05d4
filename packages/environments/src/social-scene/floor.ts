/** @file Selects who acts next in a scene: in rounds, by called names, by talkativeness, or after a person has spoken. */

import type { Rng, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isSpeakingOrder, longestExchange, nextSpeakers } from '../turn-taking.ts';
import { personSeat } from './scene.ts';
import type { SocialState } from './state.ts';

type Floor = Pick<SocialState, 'next' | 'queue' | 'streak' | 'recent'>;

/** Maximum number of consecutive answers by characters, if a narrator picks them, before the person is asked. */
export const longestStreak = 8;

const usualTalkativeness = 0.5;

/** Returns who acts after a turn. `state` contains the actions of that turn. */
export function nextFloor(state: SocialState, rng: Rng): Floor {
  const { scene, present, task } = state;
  const actor = scene.characters[state.next]?.seat ?? '';
  const recent = recentWith(state, actor);
  if (scene.person !== undefined) return { ...afterPerson({ ...state, ...recent }, actor, rng), ...recent };
  const inRound = { next: roundFrom(state)[0] ?? state.next, queue: [], streak: 0, ...recent };
  if (!isSpeakingOrder(task.order) || task.order === 'everybody' || task.order === 'listed') return inRound;
  const speakers = roundFrom(state)
    .map((at) => speakerAt(state, at))
    .filter(({ name }) => name !== actor && present[name]);
  if (speakers.length === 0) return inRound;
  const [seat] = nextSpeakers({ order: task.order, speakers, said: readWords(state, actor), turn: 0, ...recent, rng });
  return { ...inRound, next: indexOf(state, seat) };
}

/** The person gets an answer first. It is the person's turn again after all others have answered, or if no other character is left. */
function afterPerson(state: SocialState, actor: Seat, rng: Rng): Floor {
  const { scene, present, task, turn, recent = [] } = state;
  const waiting = state.queue.filter((seat) => present[seat]);
  const speakers = scene.characters.flatMap(({ seat }, at) => (seat !== personSeat && present[seat] ? [speakerAt(state, at)] : []));
  const order = isSpeakingOrder(task.order) ? task.order : task.order === 'narrator' ? 'named' : 'listed';
  const answering =
    actor === personSeat && speakers.length > 0
      ? nextSpeakers({ order, speakers, said: readWords(state, actor), turn: turn - 1, recent, rng })
      : waiting;
  const [seat = personSeat, ...queue] = answering;
  return { next: indexOf(state, seat), queue, streak: actor === personSeat ? 0 : state.streak + 1 };
}

/** The latest speakers, those of greetings first; only the order `reply` needs them. */
function recentWith({ task, scene, doings, ...state }: SocialState, actor: Seat): Pick<SocialState, 'recent'> {
  if (task.order !== 'reply') return {};
  const recent = state.recent ?? scene.characters.flatMap(({ seat, greeting = '' }) => (greeting === '' ? [] : [seat]));
  const hasSpoken = actor !== recent.at(-1) && doings.some(({ seat }) => seat === actor);
  return { recent: hasSpoken ? [...recent, actor].slice(-2 * longestExchange) : recent };
}

/** Returns the present characters by index, starting after the current actor. */
function roundFrom({ scene, next, present }: SocialState): readonly number[] {
  const { characters } = scene;
  const round = characters.map((_, i) => (next + i + 1) % characters.length);
  return round.filter((at) => present[characters[at]?.seat ?? ''] === true);
}

function speakerAt({ scene }: SocialState, at: number): { readonly name: Seat; readonly talkativeness: number } {
  const character = scene.characters[at];
  return { name: character?.seat ?? '', talkativeness: character?.talkativeness ?? usualTalkativeness };
}

/** Returns a seat's speech in the last turn. */
function readWords({ doings }: SocialState, seat: Seat): string {
  return doings.flatMap((doing) => (doing.seat === seat ? [doing.text] : [])).join(' ');
}

function indexOf({ scene }: SocialState, seat: Seat | undefined): number {
  return scene.characters.findIndex((character) => character.seat === seat);
}
