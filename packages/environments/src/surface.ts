/**
 * @file Switches that every environment has: a visible list of legal moves, a history window, and a disguised surface.
 *
 * They wrap an environment: the rules stay unchanged, and only the messages between rules and seats are modified. The disguise replaces the
 * words of the game (cards, verbs) with made-up words from a seeded table, so that a model cannot use what it has read about the game. The
 * replacement is its own inverse: the same function disguises what a seat reads and restores what it answers. A seat that answers in the
 * original words has not made a legal move.
 */

import type {
  Action,
  AnyEnvironment,
  Ask,
  Json,
  JsonObject,
  Message,
  Reply,
  Script,
  Seat,
  Seen,
  Step,
  TaskOf,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf, parameter, readTask, rng } from '@ludus-agents/kernel/internal/core/index';

const switches = {
  legal: parameter.boolean({ default: false, description: 'tell each asked seat its legal moves in words' }),
  window: parameter.integer({
    min: 0,
    max: 10_000,
    default: 0,
    description: 'number of latest messages that a seat can see; 0 is all',
  }),
  disguise: parameter.integer({
    min: 0,
    max: 2 ** 31,
    default: 0,
    description: 'replace the words of the game with made-up ones drawn from this seed; 0 does not',
  }),
  pictures: parameter.boolean({ default: false, description: 'show each asked seat a picture with the text' }),
  simulator: parameter.boolean({
    default: false,
    description: 'let agents that look ahead search the true state, including what is hidden from their seat',
  }),
};

/** Parameters that the wrapper adds to every environment. They change how a game is shown, not what is played. */
export const surfaceParameters: readonly string[] = Object.keys(switches);

/** Environments without pictures don't have this switch. */
const { pictures: _, ...unseen } = switches;

/**
 * The simulator switch is handled by the engine, because it changes neither the rules nor the messages. `pictures` is omitted when it is
 * off.
 */
type Surface = Omit<TaskOf<typeof switches>, 'simulator' | 'pictures'> & { readonly pictures?: boolean };
type Swap = (text: string) => string;

/** The state of an environment with a disguised surface. */
type Dressed = { readonly surface: Surface; readonly undressed: Json };

/** Adds the switches to an environment. With all of them off, the environment behaves as before, without overhead. */
export function dress(environment: AnyEnvironment): AnyEnvironment {
  const words = environment.about.words ?? [];
  const swaps = new Map<number, Swap>();
  const swapOf = (seed: number): Swap => {
    const cachedSwap = swaps.get(seed) ?? swapping(words, seed);
    swaps.set(seed, cachedSwap);
    return cachedSwap;
  };
  return {
    ...environment,
    parameters: { ...environment.parameters, ...(environment.draw === undefined ? unseen : switches) },
    task(input) {
      const { surface, rest } = parts(input);
      const task = environment.task(rest) as JsonObject;
      const { simulator, pictures, ...read } = readTask(nameOf(environment), switches, surface);
      if (pictures) checkPictures(environment, read.disguise);
      const isChanged = read.legal || read.window > 0 || read.disguise > 0 || pictures;
      return isChanged || simulator
        ? { ...task, ...(isChanged ? read : {}), ...(pictures ? { pictures } : {}), ...(simulator ? { simulator } : {}) }
        : task;
    },
    seats: (task) => environment.seats(isPlain(task) ? withoutSimulator(task) : parts(task).rest),
    start(task, dice) {
      if (isPlain(task)) return environment.start(withoutSimulator(task), dice);
      const { surface, rest } = parts(task) as { surface: Surface; rest: Json };
      const dressed = put(withPictures(environment, environment.start(rest, dice), surface), surface, swapOf(surface.disguise));
      return surface.disguise === 0 ? dressed : { ...dressed, messages: [warning(environment.seats(rest)), ...dressed.messages] };
    },
    step(state, actions, dice) {
      if (!isDressed(state)) return environment.step(state, actions, dice);
      const swap = swapOf(state.surface.disguise);
      const plain: Record<Seat, Action> = {};
      for (const seat in actions) plain[seat] = swapTexts(actions[seat], swap);
      return put(withPictures(environment, environment.step(state.undressed, plain, dice), state.surface), state.surface, swap);
    },
    ...(environment.knows === undefined
      ? {}
      : { knows: (state, seat) => environment.knows?.(isDressed(state) ? state.undressed : state, seat) ?? null }),
    ...(environment.imagine === undefined
      ? {}
      : {
          imagine: (state, seat, dice) =>
            isDressed(state)
              ? { ...state, undressed: environment.imagine?.(state.undressed, seat, dice) }
              : environment.imagine?.(state, seat, dice),
        }),
    ...(environment.scripts === undefined
      ? {}
      : { scripts: Object.fromEntries(Object.entries(environment.scripts).map(([name, script]) => [name, reading(script, swapOf)])) }),
  };
}

function parts(input: Json): { surface: JsonObject; rest: Json } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { surface: {}, rest: input };
  const surface: Record<string, Json> = {};
  const rest: Record<string, Json> = {};
  for (const [name, value] of Object.entries(input as JsonObject)) (Object.hasOwn(switches, name) ? surface : rest)[name] = value;
  return { surface, rest };
}

/** A parsed task contains either all switches or, if they are off, none. */
function isPlain(task: JsonObject): boolean {
  return task['disguise'] === undefined;
}

function withoutSimulator(task: JsonObject): JsonObject {
  if (task['simulator'] === undefined) return task;
  const { simulator: _, ...rest } = task;
  return rest;
}

function isDressed(state: Json): state is Dressed {
  return (state as Dressed | null)?.undressed !== undefined;
}

function checkPictures(environment: AnyEnvironment, disguise: number): void {
  if (environment.draw === undefined)
    throw new Fault('input', `${nameOf(environment)} does not draw pictures. Remove "pictures", or add draw(state, seat) to its rules.`);
  if (disguise > 0) throw new Fault('input', 'A picture would show the words that a disguise hides. Remove "pictures" or "disguise".');
}

/**
 * Adds pictures of what the asked seats see to a step: to the message that describes it, if no other seat reads that message, otherwise to
 * the ask.
 */
function withPictures(environment: AnyEnvironment, step: Step, { pictures }: Surface): Step {
  if (pictures !== true) return step;
  const messages = [...step.messages];
  const asks = step.asks.map((ask): Ask => {
    const image = environment.draw?.(step.state, ask.seat) ?? null;
    if (image === null) return ask;
    // Public knowledge may be drawn for everyone.
    const mayShow = (to: readonly Seat[]) => to.includes(ask.seat) && (to.length === 1 || environment.about.open === true);
    const at = messages.findLastIndex(({ to, text }) => mayShow(to) && text.includes(image.alt));
    if (at < 0) return { ...ask, images: [...(ask.images ?? []), image] };
    const { images = [] } = messages[at];
    if (images.every(({ data }) => data !== image.data)) messages[at] = { ...messages[at], images: [...images, image] };
    return ask;
  });
  return { ...step, messages, asks };
}

/** Applies the switches to a step on its way to the seats. */
function put(step: Step, surface: Surface, swap: Swap): Step<Dressed> {
  const messages: Message[] = step.messages.map((message) => (message.to.length === 0 ? message : swapTexts(message, swap)));
  const asks = step.asks.map(
    (ask): Ask => ({
      ...ask,
      ...(ask.choices === undefined ? {} : { choices: ask.choices.map(swap) }),
      ...(surface.window === 0 ? {} : { window: surface.window }),
      ...(surface.disguise === 0 ? {} : { data: { disguise: surface.disguise, ...(ask.data === undefined ? {} : { inner: ask.data }) } }),
    }),
  );
  if (surface.legal) {
    for (const { seat, choices } of asks)
      if (choices !== undefined) messages.push({ to: [seat], text: `Legal moves: ${choices.join(' ')}` });
  }
  return { ...step, state: { surface, undressed: step.state }, messages, asks };
}

const warningText = 'Some words of this game have been replaced by made-up ones; use the words you are given.';

function warning(seats: readonly Seat[]): Message {
  return { to: seats, text: warningText };
}

/** Lets a script that was written for the original words play through the disguise. */
function reading(script: Script, swapOf: (seed: number) => Swap): Script {
  const read = (turn: Turn) => {
    const disguise = disguiseIn(turn);
    if (disguise === 0) return script(turn);
    const swap = swapOf(disguise);
    const answer = script(unswapTurn(turn, swap));
    return 'action' in answer
      ? { ...(answer as Reply), action: swapTexts((answer as Reply).action, swap) }
      : swapTexts(answer as Action, swap);
  };
  return script.speaks === true ? Object.assign(read, { speaks: true as const }) : read;
}

/** Reads the seed of the table in use from the ask, for programs. */
function disguiseIn({ ask }: Turn): number {
  const seed = (ask.data as JsonObject | undefined)?.['disguise'];
  return typeof seed === 'number' ? seed : 0;
}

function unswapTurn(turn: Turn, swap: Swap): Turn {
  const observations = turn.view.seen.flatMap((item): Seen | [] => {
    if (item.kind === 'message') return item.text === warningText ? [] : swapTexts(item, swap);
    return item.kind === 'action' ? { ...item, action: swapTexts(item.action, swap) } : item;
  });
  const { choices, data: _, ...ask } = turn.ask;
  const inner = (turn.ask.data as JsonObject)['inner'];
  const plain: Ask = {
    ...ask,
    ...(choices === undefined ? {} : { choices: choices.map(swap) }),
    ...(inner === undefined ? {} : { data: inner }),
  };
  return { ...turn, view: { ...turn.view, seen: observations }, ask: plain };
}

/** Swaps the words in a message or an action, including its data, because the data must match the text. */
function swapTexts<T extends { readonly text: string; readonly data?: Json }>(message: T, swap: Swap): T {
  const text = swap(message.text);
  return message.data === undefined ? { ...message, text } : { ...message, text, data: swapData(message.data, swap) };
}

function swapData(data: Json, swap: Swap): Json {
  if (typeof data === 'string') return swap(data);
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => swapData(item, swap));
  return Object.fromEntries(Object.entries(data as JsonObject).map(([key, value]) => [key, swapData(value, swap)]));
}

/** Returns the function that swaps each word with its made-up counterpart, and back. It keeps simple endings and capitals. */
function swapping(words: readonly string[], seed: number): Swap {
  if (seed === 0 || words.length === 0) return (text) => text;
  const twin = new Map<string, string>();
  const used = new Set(words.map((word) => word.toLowerCase()));
  const dice = rng(seed, 'disguise');
  for (const word of words) {
    let result = invent(word.length, () => dice.int(2 ** 16));
    while (used.has(result)) result = invent(word.length, () => dice.int(2 ** 16));
    used.add(result);
    twin.set(word, result);
    twin.set(result, word);
  }
  const longestFirst = [...twin.keys()].sort((a, b) => b.length - a.length).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join('|')})(s|es|ed|ing)?(?![\\p{L}\\p{N}])`, 'giu');
  return (text) =>
    text.replace(pattern, (whole, word: string, ending: string | undefined) => {
      const exact = twin.get(word);
      if (exact !== undefined) return exact + (ending ?? '');
      const lower = twin.get(word.toLowerCase());
      // A single letter is a card only in its exact case: "a" is a word, "A" may be an ace.
      if (lower === undefined || word.length === 1) return whole;
      return lower[0].toUpperCase() + lower.slice(1) + (ending ?? '');
    });
}

const onsets = [
  'b',
  'br',
  'd',
  'dr',
  'f',
  'fl',
  'g',
  'gl',
  'k',
  'kr',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  's',
  'sk',
  't',
  'tr',
  'v',
  'z',
] as const;
const vowels = ['a', 'e', 'i', 'o', 'u'] as const;
const codas = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 't', 'v', 'z'] as const;

/** Invents a pronounceable word without meaning. */
function invent(length: number, roll: () => number): string {
  const from = (sounds: readonly string[]) => sounds[roll() % sounds.length];
  const syllables = length > 5 ? 2 : 1;
  let word = '';
  for (let i = 0; i < syllables; i++) word += from(onsets) + from(vowels) + from(codas);
  return word + from(vowels);
}
