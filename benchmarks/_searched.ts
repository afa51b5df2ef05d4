/**
 * @file Grounds and stand-ins for searches by agents: quest worlds, sites, and a story and a mill written for this benchmark. The stand-ins see how far a move
 * gets them towards the goal with errors, never exactly, and act for a model: so figures say what a way of searching makes of errors, not what a
 * model can do.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { type SearchMind, searchAgent } from '@ludus-agents/agents/internal/search/agent';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { readStory } from '@ludus-agents/environments/internal/story/story';
import type {
  Agent,
  AnyEnvironment,
  Json,
  JsonObject,
  Model,
  Position,
  Reply,
  Seen,
  Simulator,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { rng as dice, hash, nameOf, scripted } from '@ludus-agents/kernel/internal/core/index';
import { loadEnvironment, loadModel } from 'ludus-agents';
import { playOne } from '../evidence/programs/_play.ts';
import { counting, lastMoveIn, noisy, textsIn } from '../evidence/programs/_readers.ts';
import { mill } from './_mill.ts';

/** How many steps are left after each move of a turn, as someone knows who knows the world. */
type Distances = (turn: Turn, simulator: Simulator | undefined) => ReadonlyMap<string, number>;

export interface SearchGround {
  readonly name: string;
  readonly environment: AnyEnvironment;
  /** The tasks of the episodes, in turn. */
  readonly tasks: readonly Json[];
  readonly distances: (task: Json, seed: number) => Promise<Distances>;
}

/** Someone must carry three things from their places to a lamp, in any order, through a house of six rooms. */
const lighthouse = {
  ...{ kind: 'story', name: 'lighthouse', about: 'Light the lamp: it needs oil, a wick, and matches.', begins: 'hall', turns: 16 },
  places: {
    hall: { text: 'A hall.', moves: way('cellar', 'stairs', 'kitchen') },
    kitchen: { text: 'A kitchen, matches.', moves: { ...way('hall', 'garden'), '[take matches]': { to: 'kitchen', gives: ['matches'] } } },
    garden: { text: 'A garden.', moves: way('kitchen', 'cellar') },
    cellar: { text: 'A cellar, oil.', moves: { ...way('hall', 'garden'), '[take oil]': { to: 'cellar', gives: ['oil'] } } },
    stairs: { text: 'Stairs, a wick.', moves: { ...way('hall', 'lamp'), '[take wick]': { to: 'stairs', gives: ['wick'] } } },
    lamp: {
      text: 'The lamp.',
      moves: { ...way('stairs'), '[rest]': { to: 'lamp' }, '[light it]': { to: 'lit', needs: ['oil', 'wick', 'matches'] } },
    },
    lit: { text: 'It burns.', over: true, pays: 1 },
  },
};

function way(...places: readonly string[]) {
  return Object.fromEntries(places.map((place) => [`[to the ${place}]`, { to: place }]));
}

/** The built-in grounds, or the one environment in a file: without chance and hidden information, and with a return above .5 for the goal. */
export async function searchGrounds(file?: string): Promise<readonly SearchGround[]> {
  if (file !== undefined) {
    const environment = await loadEnvironment(file);
    return [{ name: nameOf(environment), environment, tasks: [{}], distances: async () => byBreadth() }];
  }
  const story = readStory(lighthouse, 'lighthouse') as AnyEnvironment;
  const sites = await builtInEnvironment('sites');
  const quest = { rooms: 3, doors: 1, containers: 1, depth: 1, clutter: 1, traders: 0, loops: 0, simulator: true };
  const view = { sight: 'list', candidates: 12, possible: 'possible', simulator: true };
  const pages = ['wiki-edit', 'shop-buy', 'admin-role', 'office-invite'].map((template) => ({ template, ...view }));
  return [
    { name: 'quest-world', environment: await builtInEnvironment('quest-world'), tasks: [quest], distances: async () => byBreadth() },
    { name: 'sites', environment: sites, tasks: pages, distances: (task, seed) => bySolver(sites, task, seed) },
    { name: 'your story', environment: story, tasks: [{}], distances: async () => byBreadth() },
    { name: 'mill', environment: mill as AnyEnvironment, tasks: [{}], distances: async () => byBreadth() },
  ];
}

/** What the goal pays at least, and steps beyond which nothing is looked at. */
const [won, farthest, mostSteps] = [0.5, 30, 12];

/** Exact distances, by trying everything. */
function byBreadth(): Distances {
  const far = new Map<string, number>();
  const isWon = (position: Position, seat: string) => position.asks.length === 0 && (position.returns[seat] ?? 0) > won;
  const distance = (from: Position, seat: string): number => {
    if (from.asks.length === 0) return isWon(from, seat) ? 0 : farthest;
    const visited = new Set([from.key()]);
    let layer: readonly Position[] = [from];
    for (let depth = 1; layer.length > 0 && depth < farthest; depth++) {
      const next: Position[] = [];
      for (const position of layer)
        for (const text of position.asks[0]?.choices ?? []) {
          const after = position.step({ [seat]: { text } }, dice(1));
          if (isWon(after, seat)) return depth;
          if (after.asks.length === 0 || visited.has(after.key())) continue;
          visited.add(after.key());
          next.push(after);
        }
      layer = next;
    }
    return farthest;
  };
  return ({ ask }, simulator) => {
    const { seat, sample } = simulator as Simulator;
    const root = sample(dice(1));
    return new Map(
      (ask.choices ?? []).map((text) => {
        const after = root.step({ [seat]: { text } }, dice(1));
        const key = after.key();
        const steps = far.get(key) ?? distance(after, seat);
        if (after.asks.length > 0) far.set(key, steps);
        return [text, steps];
      }),
    );
  };
}

type Place = Json | undefined;
type Solver = (turn: Turn) => Reply;
/** Distances on sites by seed, which all arms share, since they take longest to find. */
const siteDistances = new Map<string, Map<string, number>>();

/**
 * By the solver of the sites, which is started on the page after each action, at each place of its plan so far, also after going back: an action
 * that ends the task wrongly, or changes what it must not, leaves the goal out of reach.
 */
async function bySolver(environment: AnyEnvironment, task: Json, seed: number): Promise<Distances> {
  const solver = environment.scripts?.['solver'] as Solver;
  const places: Place[] = [undefined];
  const add = ({ mind }: Reply) => {
    if (mind !== undefined && !places.some((place) => JSON.stringify(place) === JSON.stringify(mind))) places.unshift(mind);
  };
  const recorded = (turn: Turn) => {
    const reply = solver(turn);
    add(reply);
    return reply;
  };
  await playOne(environment, { agent: scripted('solver', recorded) }, task, seed);
  const name = `${JSON.stringify(task)} ${seed}`;
  const far = siteDistances.get(name) ?? new Map<string, number>();
  siteDistances.set(name, far);
  return (turn, simulator) => {
    const { seat, sample } = simulator as Simulator;
    const at = (position: Position): Turn['view'] => ({
      seat,
      seen: [
        ...turn.view.seen.slice(0, 1),
        ...position
          .told(seat)
          .slice(-1)
          .map((text): Seen => ({ kind: 'message', to: [seat], text })),
      ],
    });
    const follow = (from: Position, start: Place, most: number): number => {
      let [position, mind]: [Position, Place] = [from, start];
      for (let step = 0; step < most && position.asks.length > 0; step++) {
        const ask = position.asks[0]!;
        const reply = solver({ view: at(position), ask, rng: dice(1), ...(mind === undefined ? {} : { mind }) });
        position = position.step({ [seat]: reply.action }, dice(1));
        mind = reply.mind;
        if (position.asks.length === 0 && (position.returns[seat] ?? 0) > won) return step + 1;
      }
      return farthest;
    };
    const forward = (from: Position): number => {
      const key = pageKey(from);
      let best = far.get(key);
      if (best !== undefined) return best;
      best = farthest;
      // The places near the end come first, since a short way spares the search for longer ones.
      for (const place of places) best = Math.min(best, follow(from, place, Math.min(mostSteps, best - 1)));
      far.set(key, best);
      return best;
    };
    const distance = (from: Position): number => {
      if (from.asks.length === 0) return (from.returns[seat] ?? 0) > won ? 0 : farthest;
      return Math.min(forward(from), forward(from.step({ [seat]: { text: '[back]' } }, dice(1))) + 1);
    };
    const root = sample(dice(1));
    return new Map((turn.ask.choices ?? []).map((text) => [text, distance(root.step({ [seat]: { text } }, dice(1)))]));
  };
}

/** The same for equal pages and data, however they were reached. */
function pageKey(position: Position): string {
  const { web, tab } = JSON.parse(position.key()) as { web: Json; tab: { url: string; typed: Json } };
  return JSON.stringify([web, tab.url, tab.typed]).replace(/"f\d+e/g, '"e');
}

/** Errors of the stand-ins. */
const errors = {
  /** How often the base proposes a move that gets closer. */
  base: 0.4,
  /** The error of the judge, in shares of what is to be done. */
  judge: 0.08,
  /** How often a result is imagined rightly, and how often a move is seen through without imagining. */
  imagined: 0.75,
  direct: 0.5,
  /** How often a step of thought is sound. */
  thought: 0.8,
};
/** Kinds of moves of which half are overvalued, by this much, until a lesson says so. */
const [moveKinds, overvalued] = [6, 0.35];
const subtaskSteps = 3;

export interface SearchRun {
  /** Share of episodes that reach the goal. */
  readonly won: number;
  /** Share of moves that get closer to it, as long as it can be reached. */
  readonly closer: number;
  /** Share of moves before which such a move was tried: the rest cannot be made right by a better value. */
  readonly tried: number;
  /** Model calls of a move. */
  readonly calls: number;
  /** Those that are in the log. */
  readonly logged: number;
  readonly acted: Readonly<Record<string, number>>;
}

/** The agents of a search: the stand-ins, or a language model as all of them. */
type Mates = Readonly<Record<'base' | 'writer' | 'judge', Agent>>;

async function matesBy(name: string, { environment }: SearchGround, seat: string, tell: () => void): Promise<Mates> {
  const model = await loadModel(name);
  const { score } = model;
  const counted: Model = {
    ...model,
    complete(...input) {
      tell();
      return model.complete(...input);
    },
    ...(score !== undefined && {
      score(...input) {
        tell();
        return score.apply(model, input);
      },
    }),
  };
  const load = createAgentLoader({ ...createAgentServices(process.cwd(), Trust.commandLine), model: async () => counted });
  const open = { ...environment, about: { ...environment.about, complete: false, listed: false, bare: false } };
  const spec = (role: string) => ({ name: role, kind: 'llm', model: name, settings: { temperature: 0.7, maxTokens: 60 } });
  const [base, writer, judge] = await Promise.all([
    load(spec('base'), seat, environment),
    load(spec('base'), seat, open),
    load(spec('judge'), seat, open),
  ]);
  return { base, writer, judge };
}

/** Plays a number of episodes with a search over stand-ins that err. */
export async function searchRun(
  ground: SearchGround,
  settings: JsonObject,
  { seed, episodes, model }: { readonly seed: number; readonly episodes: number; readonly model?: string | undefined },
): Promise<SearchRun> {
  const { environment, tasks } = ground;
  const [seat = ''] = environment.seats(environment.task(tasks[0]!));
  const biased = dice(seed, 'kinds')
    .shuffle(Array.from({ length: moveKinds }, (_, i) => i))
    .slice(0, settings['strategy'] === 'r-mcts' ? moveKinds / 2 : 0);
  const kindOf = (move: string) => Number.parseInt(hash(move).slice(0, 6), 16) % moveKinds;
  let [calls, logged, moves, open, tried, closer, wins] = [0, 0, 0, 0, 0, 0, 0];
  const mates = model === undefined ? undefined : await matesBy(model, ground, seat, () => calls++);
  const acted: Record<string, number> = {};
  let earlier: { mind: Json | undefined; paths: readonly { steps: []; paid: number }[] } = { mind: undefined, paths: [] };
  for (let episode = 0; episode < episodes; episode++) {
    const episodeSeed = seed * 1000 + episode;
    const task = tasks[episode % tasks.length]!;
    const distances = await ground.distances(task, episodeSeed);
    let [left, start, now]: [ReadonlyMap<string, number>, number, number] = [new Map(), 0, 0];
    const bestMoves = () => [...left].filter(([, steps]) => steps < now).map(([move]) => move);
    const truth = (turn: Turn) => (lastMoveIn(turn) === lastReal ? now : (left.get(lastMoveIn(turn)) ?? now));
    let lastReal = '';
    const share = (steps: number, aim: string | undefined) => {
      const until = aim === undefined ? 0 : Number(/within (\d+) steps/.exec(aim)?.[1] ?? 0);
      const whole = aim === undefined ? start : subtaskSteps + 1;
      return Math.min(1, Math.max(0, 1 - Math.max(0, steps - until) / Math.max(1, whole)));
    };
    const base = scripted('base', (turn) => {
      const texts = textsIn(turn);
      const ask = texts.at(-1) ?? '';
      if (ask.includes('"Sub-task: …"')) {
        const stops = Array.from({ length: 5 }, (_, i) => now - subtaskSteps * (i + 1));
        return {
          text: stops
            .filter((stop) => stop > -subtaskSteps)
            .map((stop) => `Sub-task: get within ${Math.max(0, stop)} steps`)
            .join('\n'),
        };
      }
      if (ask.includes('"Step: …"') || ask.includes('"Answer: …"')) return { text: answerAsk(turn, ask) };
      const tried = texts.flatMap((text) => /^Tried here: (.+), worth /.exec(text)?.[1] ?? []);
      const choices = (turn.ask.choices ?? []).filter((choice) => !tried.includes(choice));
      const good = bestMoves().filter((move) => choices.includes(move));
      const isSeen = turn.rng.next() < errors.base && good.length > 0;
      return { text: turn.rng.pick(isSeen ? good : choices.length === 0 ? (turn.ask.choices ?? ['']) : choices) };
    });
    /** Three steps of thought and a move, which is a good one where no step was mistaken. */
    function answerAsk(turn: Turn, ask: string): string {
      const steps = textsIn(turn).findLast((text) => text.startsWith('Your steps so far')) ?? '';
      const count = steps.split('\n').length - 1;
      const isSound = !steps.includes('mistaken') && (count >= 3 || turn.rng.next() < errors.thought);
      if (count < 3 && !ask.startsWith('Write "Answer')) return `Step: ${isSound ? 'sound' : 'mistaken'} thought ${turn.rng.int(1000)}`;
      const good = bestMoves();
      return `Answer: ${turn.rng.pick(isSound && good.length > 0 ? good : [...left.keys()])}`;
    }
    const judge = scripted('judge', (turn) => {
      const texts = textsIn(turn);
      const ask = texts.at(-1) ?? '';
      const { rng } = turn;
      const see = (steps: number, aim?: string) => noisy(share(steps, aim), errors.judge, rng);
      const argued = /Argue for (.+), in one/.exec(ask)?.[1];
      if (argued !== undefined) return { text: `I see ${see(left.get(argued) ?? now).toFixed(3)}.` };
      if (ask.includes('"Choice: MOVE"')) return { text: `Choice: ${bestArgued(ask, [...left.keys()])}` };
      const current = /You work on this sub-task: (.+?)\. Look/.exec(ask)?.[1];
      if (current !== undefined) return { text: `Done: ${share(now, current) >= 1 ? 'yes' : 'no'}\nReflection: ${now} steps are left` };
      if (ask.includes('"Lesson: …"')) {
        const move = /You made the move (.+?) and took/.exec(ask)?.[1] ?? '';
        return { text: `Lesson: moves of kind ${kindOf(move)} are worth less than they seem` };
      }
      if (ask.startsWith('Imagine')) {
        const isRight = rng.next() < errors.imagined;
        const steps = left.get(lastMoveIn(turn)) ?? now;
        return { text: `Next: about ${isRight ? steps : rng.pick([...left.values()])} steps are left` };
      }
      if (ask.includes('reason without a mistake')) {
        const isMistaken = texts.some((text) => text.startsWith('Your steps so far') && text.includes('mistaken'));
        return { text: `Score: ${(10 * noisy(isMistaken ? 0.2 : 0.8, 0.3, rng)).toFixed(2)}` };
      }
      const imagined = /about (-?\d+) steps are left/.exec(texts.at(-2) ?? '')?.[1];
      const move = lastMoveIn(turn);
      const aim = /this sub-task: (.+?)\?/.exec(ask)?.[1];
      const isHere = ask.startsWith('Look at where');
      const isDirect = settings['strategy'] === 'webdreamer' && imagined === undefined;
      const steps =
        imagined !== undefined
          ? Number(imagined)
          : isHere
            ? now
            : isDirect && rng.next() >= errors.direct
              ? rng.pick([...left.values()])
              : truth(turn);
      const isWarned = texts.some((text) => text.includes(`moves of kind ${kindOf(move)} are worth less`));
      const extra = !isHere && biased.includes(kindOf(move)) && !isWarned ? overvalued : 0;
      return { text: `Score: ${(10 * Math.min(1, see(steps, aim) + extra)).toFixed(3)}` };
    });
    const past = earlier;
    const search = searchAgent({
      ...{ name: 'searcher', environment: environment.id, settings: readSearch({ name: 'searcher', kind: 'search', settings }) },
      ...(mates ?? { base: counting(base, () => calls++), judge: counting(judge, () => calls++) }),
      earlier: () => Promise.resolve(past),
    });
    const agent: Agent = {
      ...search,
      async act(turn, signal, simulator) {
        left = distances(turn, simulator);
        now = Math.min(...left.values()) + 1;
        if (start === 0) start = now;
        lastReal = lastMoveIn(turn);
        const reply = await search.act(turn, signal, simulator);
        moves++;
        logged += reply.calls?.length ?? 0;
        if (now > farthest) return reply;
        open++;
        const { moves: searched } = reply.mind as { readonly moves: readonly { readonly move: string }[] };
        if (searched.some(({ move }) => (left.get(move) ?? farthest) < now)) tried++;
        if ((left.get(reply.action.text) ?? farthest) < now) closer++;
        return reply;
      },
    };
    const { events, returns } = await playOne(environment, { [seat]: agent }, task, episodeSeed);
    const last = events.findLast((event) => event.kind === 'action');
    const mind = last?.kind === 'action' ? last.mind : undefined;
    for (const [name, count] of Object.entries((mind as SearchMind | undefined)?.acted ?? {})) acted[name] = (acted[name] ?? 0) + count;
    const isWon = (returns[seat] ?? 0) > won;
    wins += isWon ? 1 : 0;
    earlier = { mind, paths: [{ steps: [], paid: isWon ? 1 : 0 }] };
  }
  return {
    won: wins / episodes,
    closer: closer / Math.max(1, open),
    tried: tried / Math.max(1, open),
    calls: calls / moves,
    logged: logged / moves,
    acted,
  };
}

/** The move for which the arguments in a text add up to most. */
function bestArgued(text: string, moves: readonly string[]): string {
  const sumOf = (move: string) =>
    text
      .split(`For ${move}: I see `)
      .slice(1)
      .reduce((sum, part) => sum + Number.parseFloat(part), 0);
  return moves.reduce((best, move) => (sumOf(move) > sumOf(best) ? move : best), moves[0] ?? '');
}
