/** @file Selects who acts next in a scene: in rounds, by called names, by talkativeness, or after a person has spoken. */

import type { Rng, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isSpeakingOrder, nextSpeakers } from '../turn-taking.ts';
import { personSeat } from './scene.ts';
import type { SocialState } from './state.ts';

type Floor = Pick<SocialState, 'next' | 'queue' | 'streak'>;

/** Maximum number of consecutive answers by characters, if a narrator picks them, before the person is asked. */
export const longestStreak = 8;

const usualTalkativeness = 0.5;

/** Returns who acts after a turn. `state` contains the actions of that turn. */
export function nextFloor(state: SocialState, rng: Rng): Floor {
  const { scene, present, task } = state;
  const actor = scene.characters[state.next]?.seat ?? '';
  if (scene.person !== undefined) return afterPerson(state, actor, rng);
  const inRound = { next: roundFrom(state)[0] ?? state.next, queue: [], streak: 0 };
  if (!isSpeakingOrder(task.order) || task.order === 'everybody' || task.order === 'listed') return inRound;
  const speakers = roundFrom(state)
    .map((at) => speakerAt(state, at))
    .filter(({ name }) => name !== actor && present[name]);
  if (speakers.length === 0) return inRound;
  const [seat] = nextSpeakers({ order: task.order, speakers, said: readWords(state, actor), turn: 0, rng });
  return { ...inRound, next: indexOf(state, seat) };
}

/** The person gets an answer first. It is the person's turn again after all others have answered, or if no other character is left. */
function afterPerson(state: SocialState, actor: Seat, rng: Rng): Floor {
  const { scene, present, task, turn } = state;
  const waiting = state.queue.filter((seat) => present[seat]);
  const speakers = scene.characters.flatMap(({ seat }, at) => (seat !== personSeat && present[seat] ? [speakerAt(state, at)] : []));
  const order = isSpeakingOrder(task.order) ? task.order : task.order === 'narrator' ? 'named' : 'listed';
  const answering =
    actor === personSeat && speakers.length > 0
      ? nextSpeakers({ order, speakers, said: readWords(state, actor), turn: turn - 1, rng })
      : waiting;
  const [seat = personSeat, ...queue] = answering;
  return { next: indexOf(state, seat), queue, streak: actor === personSeat ? 0 : state.streak + 1 };
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
