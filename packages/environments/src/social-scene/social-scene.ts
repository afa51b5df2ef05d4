/** @file Social scene: characters with cards and secrets, goals that are checked by rules, and an optional narrator. */

import type { Action, Ask, Environment, Json, Message, ParsedMove, Rng, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { audit, Fault, forfeitText, readTask } from '@ludus-agents/kernel/internal/core/index';
import { gather, nothingHeld } from '@ludus-agents/kernel/internal/core/simultaneous';
import { curious, goodbye, wordsOf } from '../chat.ts';
import { agreeable, character, leaky, silent } from './actors.ts';
import { cardsFor, conversationIntroduction, introduction, narratorIntroduction } from './cards.ts';
import { applyAct, type Doing, doingsOf, goalScore, leaks, type SocialSituation, spokenDoings, wordsIn } from './doings.ts';
import { longestStreak, nextFloor } from './floor.ts';
import { applyEffect, type Command, commandsOf, handing, narrator, type Telling } from './narrator.ts';
import { type Character, fillScene, personSeat, readScene, type SocialScene, withPerson } from './scene.ts';
import { scenes } from './scenes.ts';
import {
  asksOf,
  changes,
  characterOf,
  everyone,
  messagesFor,
  narratorSeat,
  parameters,
  type SocialState,
  type SocialTask,
  surroundings,
  surroundingsText,
  toTold,
  witnesses,
} from './state.ts';

const leakCharge = 1;

export const socialScene: Environment<SocialState, SocialTask> = {
  id: 'social-scene@1',
  about: {
    summary:
      'Two to eight characters talk and act in a small world. Each has a card with a public side, a secret, and a goal; how well two characters know each other decides what they see of each other’s cards. Goals are checked by rules (who has which item, who is where, who promised what) and pay from 0 to 1 at the end; revealing your own secret costs 1. A narrator seat, played by rules or by any agent, can describe effects, move people, let time pass, and end the scene. With a person, the scene is a conversation in free text: the person speaks, characters answer, and /quit ends it.',
    tasks: [
      {},
      { scene: 'market-stall', order: 'simultaneous' },
      { scene: 'dinner', narrator: true, order: 'narrator' },
      { scene: 'shop-dispute', closeness: 0 },
      { scene: 'old-house', narrator: true },
      {
        script: {
          person: 'Nell Hart',
          setting: 'A workshop on the market square.',
          characters: [
            { seat: 'Ann Archer', lines: [{ id: 's1', cue: 'clock', says: 'I mend clocks.' }] },
            { seat: 'Ben Bower', greeting: 'Mind the dog.' },
            { seat: 'Cleo' },
          ],
        },
        order: 'named',
        turns: 3,
      },
    ],
    // In each of 20 turns, the characters and then the narrator may each make two invalid moves.
    turns: 20 * 6 + 6,
    words: ['speak', 'gesture', 'act', 'leave', 'none', 'effect', 'move'],
  },
  parameters,

  task(input) {
    const task = readTask('social-scene', parameters, input);
    if (task.order === 'narrator' && !task.narrator)
      throw new Fault('input', 'social-scene: the order "narrator" needs a narrator. Set "narrator" to true, or choose another order.');
    const isConversation = task.script !== null && readScene(task.script).person !== undefined;
    if (isConversation && task.order === 'simultaneous')
      throw new Fault('input', 'social-scene: a conversation with a person has no order "simultaneous". Choose another order.');
    return task;
  },

  seats(task) {
    const seats = sceneOf(task).characters.map(({ seat }) => seat);
    return task.narrator ? [...seats, narratorSeat] : seats;
  },

  start(task, rng) {
    const scene = closer(fillScene(sceneOf(task), rng), task.closeness);
    const each = <T>(value: (character: Character) => T) =>
      Object.fromEntries(scene.characters.map((character) => [character.seat, value(character)]));
    const state: SocialState = {
      ...nothingHeld,
      task,
      scene,
      places: each(({ place }) => place),
      present: each(() => true),
      holders: scene.objects,
      words: each(() => ({})),
      leaked: each(() => false),
      turn: 0,
      stale: 0,
      next: scene.person === undefined ? 0 : scene.characters.length - 1,
      queue: [],
      streak: 0,
      narrating: false,
      clock: 0,
      performed: 0,
      refused: 0,
      doings: [],
      told: [],
    };
    const messages = scene.characters.map(({ seat, lines = [] }): Message => {
      if (scene.person !== undefined) {
        const data = seat === personSeat ? {} : { data: { person: scene.person, lines } };
        return { to: [seat], text: conversationIntroduction(scene, seat), ...data };
      }
      const around = surroundings(state, seat);
      return {
        to: [seat],
        text: `${introduction(scene, seat)}\n${surroundingsText(state, seat)}`,
        data: { ...cardsFor(scene, seat), ...around },
      };
    });
    if (task.narrator) messages.push({ to: [narratorSeat], text: narratorIntroduction(state) });
    for (const { seat, greeting = '' } of scene.characters)
      if (greeting !== '') messages.push({ to: everyone(state), from: seat, text: greeting, data: { kind: 'speak' } });
    return { state: { ...state, told: toTold(messages) }, messages, asks: asksOf(state) };
  },

  step: (state, actions, rng) => (state.narrating ? takeNarration(state, actions[narratorSeat]) : takeActions(state, actions, rng)),

  knows(state, seat) {
    const { scene, turn, stale, clock, narrating } = state;
    const observations = state.told.filter(({ to }) => to.includes(seat)).map(({ to: _, ...rest }): Json => rest);
    const common = { told: observations, turn, stale, clock, narrating, asked: asksOf(state).some((ask) => ask.seat === seat) };
    if (scene.person !== undefined) Object.assign(common, { next: state.next, queue: state.queue, streak: state.streak });
    if (state.recent !== undefined) Object.assign(common, { recent: state.recent });
    if (seat === narratorSeat)
      return { ...common, places: state.places, present: state.present, holders: state.holders, doings: state.doings, next: state.next };
    return { ...common, cards: cardsFor(scene, seat), around: surroundings(state, seat), here: state.present[seat] === true };
  },

  // A bot's empty answer passes. Any other answer is speech, whatever its form.
  plain: (seat, text) => ({ text: seat === narratorSeat ? text : toSpeech(text) }),

  scripts: { character, leaky, silent, agreeable, narrator, user: curious },
};

/** Wraps text as a speaking move. Quotes and brackets are replaced, because they would end the move early. */
function toSpeech(text: string): string {
  const speech = text
    .replace(/["“”„]/g, "'")
    .replace(/\[/g, '(')
    .replace(/\]/g, ')')
    .replace(/\s+/g, ' ')
    .trim();
  return speech === '' ? '[none]' : `[speak "${speech}"]`;
}

function sceneOf({ script, scene }: SocialTask): SocialScene {
  return script === null ? scenes[scene] : withPerson(readScene(script));
}

function closer(scene: SocialScene, level: number): SocialScene {
  if (level < 0) return scene;
  const seats = scene.characters.map(({ seat }) => seat);
  return {
    ...scene,
    relations: Object.fromEntries(seats.flatMap((seat, i) => seats.slice(i + 1).map((other) => [`${seat} ${other}`, level]))),
  };
}

/** Collects the answers of the asked characters, and applies them once all have answered. Answers of other seats are ignored. */
function takeActions(state: SocialState, actions: Readonly<Record<Seat, Action>>, rng: Rng): Step<SocialState> {
  const asks = asksOf(state);
  const seats = Object.keys(state.present);
  const isConversation = state.scene.person !== undefined;
  const read = (action: Action, { seat }: Ask): ParsedMove<readonly Doing[]> => {
    if (!isConversation) return doingsOf(action, seats);
    const isGoodbye = seat === personSeat && wordsOf(action) === goodbye;
    return { ok: true, move: isGoodbye ? [{ kind: 'leave' }] : spokenDoings(action, seats) };
  };
  const gathered = gather(state, actions, { asks, read, tries: state.task.retries });
  if (!gathered.done) {
    const { holding, penalties } = gathered;
    const messages = gathered.messages.map((message) => withRefused(message, actions));
    const refused = state.refused + messages.length;
    return { state: { ...state, ...holding, refused, told: toTold(messages) }, messages, asks: gathered.asks, penalties };
  }
  let situation: SocialSituation = state;
  const messages: Message[] = [];
  const leaked: Record<Seat, boolean> = { ...state.leaked };
  const rewards: Record<Seat, number> = {};
  const doings: Telling['doings'][number][] = [];
  let refused = state.refused;
  for (const seat of Object.keys(gathered.moves)) {
    if (gathered.moves[seat] === null) {
      refused++;
      messages.push(withRefused({ to: [seat], text: forfeitText(seat) }, actions));
    }
    for (const doing of gathered.moves[seat] ?? []) {
      const at = { ...state, ...situation };
      messages.push(...messagesFor(at, seat, doing));
      if (doing.kind === 'none') continue;
      if (doing.kind === 'leave') situation = { ...situation, present: { ...situation.present, [seat]: false } };
      else {
        const next = situationAfter(at, seat, doing);
        messages.push(...changes(at, next, seat));
        situation = next;
        const { marks } = characterOf(state, seat);
        if (!leaked[seat] && leaks(marks, doing.text)) {
          leaked[seat] = true;
          rewards[seat] = -leakCharge;
          messages.push({ to: [], text: `${seat} gave its secret away`, data: { leak: seat } });
        }
      }
      doings.push({ seat, text: doing.kind === 'leave' ? 'leave' : doing.text });
    }
  }
  const isCounted = !isConversation || asks.some(({ seat }) => seat === personSeat);
  const after: SocialState = {
    ...state,
    ...situation,
    ...nothingHeld,
    leaked,
    doings,
    performed: state.performed + doings.length,
    refused,
    turn: state.turn + (isCounted ? 1 : 0),
    stale: doings.length === 0 ? state.stale + 1 : 0,
    narrating: state.task.narrator,
  };
  return concludeScene({ ...after, ...nextFloor(after, rng) }, messages, rewards);
}

const shownRefusal = 200;

/** Adds the rejected answer to a rejection message, for spectators. */
function withRefused(message: Message, actions: Readonly<Record<Seat, Action>>): Message {
  const [seat = ''] = message.to;
  return { ...message, data: { refused: (actions[seat]?.text ?? '').slice(0, shownRefusal).toWellFormed() } };
}

/** Returns the state after a speech or an act: promises, holders of objects, and places are updated. */
function situationAfter(state: SocialState, seat: Seat, doing: Doing & { readonly text: string }): SocialSituation {
  const { scene, places, present, holders, words } = state;
  const situation: SocialSituation = { places, present, holders, words };
  if (doing.kind === 'act') return applyAct(scene.places, situation, { seat, text: doing.text });
  const inputs = doing.kind === 'speak' ? wordsIn(scene.terms, doing.text) : [];
  return inputs.length === 0 ? situation : { ...situation, words: { ...words, [seat]: { ...words[seat], ...Object.fromEntries(inputs) } } };
}

/** Applies the narrator's commands immediately. */
function takeNarration(before: SocialState, action: Action): Step<SocialState> {
  const read = commandsOf(action, before.scene, before.present);
  const misses = before.misses[narratorSeat] ?? 0;
  if (!read.ok && misses < before.task.retries) {
    const messages: Message[] = [{ to: [narratorSeat], text: read.problem }];
    const state: SocialState = { ...before, misses: { [narratorSeat]: misses + 1 }, told: toTold(messages) };
    return { state, messages, asks: asksOf(state), penalties: { [narratorSeat]: 1 } };
  }
  let state: SocialState = { ...before, ...nothingHeld, narrating: false };
  const messages: Message[] = read.ok ? [] : [{ to: [narratorSeat], text: forfeitText(narratorSeat) }];
  let reason: string | null = null;
  for (const command of read.ok ? read.move : []) {
    if (command.kind === 'effect') messages.push(checkEffect(state, command));
    if (command.kind === 'end') reason = command.reason;
    else state = applyCommand(state, command, messages);
  }
  return reason === null
    ? concludeScene(state, messages, {})
    : endScene(state, { messages, rewards: {} }, `the narrator ends it: ${reason}`);
}

/**
 * The narrator knows every card and all holders, so its effects are checked: they must not reveal a secret, take an object that a character
 * doesn't have, or give one that it already has.
 */
function checkEffect(state: SocialState, { who, text }: Extract<Command, { readonly kind: 'effect' }>): Message {
  const isLeaked = state.scene.characters.some(({ marks }) => leaks(marks, text));
  const handed = handing(state, text);
  const impossible = handed !== null && (state.holders[handed.object] === who) === handed.gets;
  return audit(narratorSeat, !isLeaked && !impossible, `${who} ${text}`);
}

function applyCommand(state: SocialState, command: Exclude<Command, { readonly kind: 'end' }>, messages: Message[]): SocialState {
  if (command.kind === 'time') {
    messages.push({ to: everyone(state), text: `${command.minutes} minutes pass.` });
    return { ...state, clock: state.clock + command.minutes };
  }
  const { who } = command;
  if (command.kind === 'pick') {
    const picked = state.scene.person !== undefined && state.streak >= longestStreak ? personSeat : who;
    return { ...state, next: state.scene.characters.findIndex(({ seat }) => seat === picked), queue: [] };
  }
  const { places, present, holders, words } = state;
  const situation: SocialSituation = { places, present, holders, words };
  if (command.kind === 'move') {
    const next = { ...situation, places: { ...places, [who]: command.place } };
    messages.push(...changes(state, next, who));
    return { ...state, ...next };
  }
  const next = applyEffect(situation, who, command.text);
  messages.push({ to: witnesses(state, who), text: `${who} ${command.text}.` }, ...changes(state, next, who));
  return { ...state, ...next };
}

/** Continues with the next ask, unless the scene has ended. */
function concludeScene(state: SocialState, messages: readonly Message[], rewards: Readonly<Record<Seat, number>>): Step<SocialState> {
  const { turn, stale, present, task, scene } = state;
  if (scene.person !== undefined) return continueConversation(state, messages, rewards);
  const striving = scene.characters.filter(({ conditions }) => conditions.length > 0);
  const settled = striving.length > 0 && striving.every((character) => goalScore(state, character) === 1);
  if (settled) return endScene(state, { messages, rewards }, 'every goal is reached');
  if (scene.characters.filter(({ seat }) => present[seat]).length < 2)
    return endScene(state, { messages, rewards }, 'fewer than two are left');
  if (stale > 2) return endScene(state, { messages, rewards }, 'nothing more happens');
  if (turn >= task.turns) return endScene(state, { messages, rewards }, 'the time is up');
  const next: SocialState = { ...state, told: toTold(messages) };
  const step: Step<SocialState> = { state: next, messages, asks: asksOf(next) };
  return Object.keys(rewards).length === 0 ? step : { ...step, rewards };
}

/** A conversation continues until the person leaves, no other speaker is left, or its turns are used up. */
function continueConversation(
  state: SocialState,
  messages: readonly Message[],
  rewards: Readonly<Record<Seat, number>>,
): Step<SocialState> {
  const { turn, present, task, scene, next } = state;
  if (present[personSeat] !== true) return endScene(state, { messages, rewards }, `${scene.person} left`);
  if (scene.characters.filter(({ seat }) => present[seat]).length < 2) return endScene(state, { messages, rewards }, 'the person is alone');
  if (!state.narrating && scene.characters[next]?.seat === personSeat && turn >= task.turns)
    return endScene(state, { messages, rewards }, 'its turns are used up');
  const continued: SocialState = { ...state, told: toTold(messages) };
  const step: Step<SocialState> = { state: continued, messages, asks: asksOf(continued) };
  return Object.keys(rewards).length === 0 ? step : { ...step, rewards };
}

function endScene(
  state: SocialState,
  { messages, rewards: stepRewards }: Pick<Step, 'messages'> & Required<Pick<Step, 'rewards'>>,
  reason: string,
): Step<SocialState> {
  const rewards: Record<Seat, number> = {};
  const results: Record<Seat, Json> = {};
  for (const character of state.scene.characters) {
    const goal = goalScore(state, character);
    rewards[character.seat] = goal + (stepRewards[character.seat] ?? 0);
    results[character.seat] = {
      goal,
      leaked: state.leaked[character.seat] === true,
      left: state.present[character.seat] !== true,
      words: state.words[character.seat] ?? {},
    };
  }
  const all = [
    ...messages,
    { to: everyone(state), text: `The ${state.scene.person === undefined ? 'scene' : 'conversation'} ends: ${reason}.` },
    { to: [], text: 'results', data: { results, reason, turns: state.turn, performed: state.performed, refused: state.refused } },
  ];
  return { state: { ...state, narrating: false, told: toTold(all) }, messages: all, asks: [], rewards };
}
