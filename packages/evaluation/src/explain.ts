/**
 * @file Explains an agent's action by experiment: the agent is asked again at the same turn with parts of its view removed or swapped,
 * with members muted and memories withheld, and other moves are played out from there. Its own reasons are not used as evidence.
 */

import { nestedSpecs } from '@ludus-agents/agents/internal/kind-rules';
import { standIn } from '@ludus-agents/agents/internal/kinds';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import type {
  ActionEvent,
  Agent,
  AgentSpec,
  AnyEnvironment,
  EndEvent,
  EpisodeEvent,
  Json,
  JsonObject,
  Seat,
  Seen,
  StartEvent,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';
import { compareWithLog, fork } from '@ludus-agents/kernel/internal/engine/play';
import type { Interval } from './scoring/statistics/mean.ts';
import { summaryOfRepeats } from './scoring/statistics/summary.ts';
import { mostExact, shapleyShares } from './shapley.ts';

export interface ExplainOptions {
  readonly environment: AnyEnvironment;
  readonly events: readonly EpisodeEvent[];
  /** The index of an action, or of an event before it. */
  readonly at: number;
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  readonly load: (spec: AgentSpec | string, seat: Seat, environment: AnyEnvironment) => Promise<Agent>;
  /** How often the agent is asked with each change. */
  readonly samples: number;
  /** The number of games played out after each alternative move, and the number of alternative moves. */
  readonly games: number;
  readonly moves: number;
  readonly signal: AbortSignal;
}

/** The answers with their relative frequencies. */
type Answers = Readonly<Record<string, number>>;

/** A change of the agent's input, and the resulting answers. */
export type Changed = {
  /** Distance from the answers without the change: 0 if it made no difference, 1 if every answer differs. */
  readonly difference: number;
  readonly answers: Answers;
};

export type PartExplained = {
  readonly part: string;
  /** Its contribution to the action's probability. All contributions add up to the probability with all parts minus that with none. */
  readonly share: number;
  readonly without: Changed;
  /** The same, with this part replaced by one from another deal, if any. */
  readonly swapped?: Changed;
};

export type Explanation = {
  readonly at: number;
  readonly seat: Seat;
  readonly did: string;
  /** The probability that the agent repeats the action, from the same number of answers as for each change. */
  readonly again: number;
  readonly againInterval: Interval | null;
  readonly samples: number;
  readonly answers: Answers;
  readonly parts: readonly PartExplained[];
  /** The reward that the seat received after it, and its components: the events that paid or fined the seat. */
  readonly paid: number;
  readonly rewards: readonly { readonly event: number; readonly reward: number; readonly penalty: number }[];
  /** The agents that replaced human players when actions were played out; omitted if there were none. */
  readonly standIns?: Readonly<Record<Seat, string>>;
  readonly moves: readonly {
    readonly move: string;
    readonly made: boolean;
    readonly mean: number;
    /** Null for a single game. */
    readonly interval: Interval | null;
    readonly games: number;
  }[];
  readonly members: readonly ({ readonly member: string; readonly importance?: number } & Partial<Changed>)[];
  readonly memories: readonly ({ readonly id: string; readonly text: string } & Changed)[];
};

export async function explainTurn(explainOptions: ExplainOptions): Promise<Explanation> {
  const people = Object.entries(explainOptions.cast).flatMap(([seat, spec]) =>
    isPerson(spec) ? [[seat, standIn(explainOptions.environment, seat)]] : [],
  );
  const standIns: Readonly<Record<Seat, string>> = Object.fromEntries(people);
  const options = { ...explainOptions, playing: { ...explainOptions.cast, ...standIns } };
  const { environment, events, cast, load, samples, signal } = options;
  const at = events.findIndex((event, i) => i >= options.at && event.kind === 'action');
  const action = events[at] as ActionEvent | undefined;
  if (action === undefined)
    throw new Fault('input', `No action at or after event ${options.at}. Run "ludus show ID" to see the numbers of the events.`);
  const { seat } = action;
  if (isPerson(cast[seat]))
    throw new Fault('input', `A person played ${seat}, and people are not asked again. Choose an agent to ask instead.`);
  const course = new Course(environment, events[0] as StartEvent);
  if (compareWithLog(course, events.slice(0, at)) !== null)
    throw new Fault('input', `This log does not match ${environment.id}. Replay it with the version of the rules that recorded it.`);
  const turn = course.turn(course.waiting.find((ask) => ask.seat === seat) as Turn['ask']);
  const simulator = course.simulator(seat);
  const agent = await load(cast[seat], seat, environment);
  const askAgent = async (who: Agent, changed: Partial<Turn>): Promise<Answers> => {
    const counts: Record<string, number> = {};
    for (let i = 0; i < samples; i++) {
      // Yields to other work of the server.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      const text = await answerOf(who, { ...turn, ...changed, rng: rng(i, 'explain', seat, at) }, signal, simulator);
      counts[text] = (counts[text] ?? 0) + 1;
    }
    return Object.fromEntries(Object.entries(counts).map(([text, count]) => [text, count / samples]));
  };
  const answers = await askAgent(agent, {});
  const measureChange = async (now: Partial<Turn>, who = agent): Promise<Changed> => {
    const then = await askAgent(who, now);
    return { answers: then, difference: variation(answers, then) };
  };
  const did = action.action.text.trim();
  const end = events.at(-1);
  const rewards = rewardsAfter(events, at, seat);
  return {
    at,
    seat,
    did,
    again: answers[did] ?? 0,
    againInterval: summaryOfRepeats(Array.from({ length: samples }, (_, i) => Number(i < Math.round((answers[did] ?? 0) * samples))))!
      .interval,
    samples,
    answers,
    parts: await partsExplained(options, { turn, did, changed: measureChange, again: answers[did] ?? 0 }),
    paid: end?.kind === 'end' ? rewards.reduce((sum, { reward, penalty }) => sum + reward - penalty, 0) : 0,
    rewards,
    ...(people.length === 0 ? {} : { standIns }),
    moves: await movesExplained(options, { at, seat, did, choices: turn.ask.choices ?? [] }),
    members: await membersExplained(options, { action, changed: measureChange }),
    memories: await memoriesExplained(turn, action, measureChange),
  };
}

type Ask = (changed: Partial<Turn>, who?: Agent) => Promise<Changed>;

async function answerOf(agent: Agent, turn: Turn, signal: AbortSignal, simulator: Parameters<Agent['act']>[2]): Promise<string> {
  try {
    return (await agent.act(turn, signal, simulator)).action.text.trim();
  } catch (thrown) {
    signal.throwIfAborted();
    // An agent that can't answer any more depends on the part that was removed.
    return `(no answer: ${thrown instanceof Error ? thrown.message.slice(0, 120) : 'it failed'})`;
  }
}

/** Total variation: half the sum of differences. */
function variation(a: Answers, b: Answers): number {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].reduce((sum, key) => sum + Math.abs((a[key] ?? 0) - (b[key] ?? 0)), 0) / 2;
}

interface Now {
  readonly turn: Turn;
  readonly did: string;
  readonly again: number;
  readonly changed: Ask;
}

/** Messages of the view: the latest each by itself, and all before them as one part. */
async function partsExplained(
  { environment, events }: ExplainOptions,
  { turn, did, again, changed }: Now,
): Promise<readonly PartExplained[]> {
  const { seen } = turn.view;
  const indexes = seen.flatMap((item, i) => (item.kind === 'message' ? [i] : []));
  const single = indexes.slice(-(indexes.length > mostExact ? mostExact - 1 : mostExact));
  const earlier = indexes.filter((i) => !single.includes(i));
  const groups = [...(earlier.length > 0 ? [earlier] : []), ...single.map((i) => [i])];
  const withOnly = (visible: readonly number[]): Partial<Turn> => {
    const hidden = new Set(groups.filter((_, g) => !visible.includes(g)).flat());
    return { view: { ...turn.view, seen: seen.filter((_, i) => !hidden.has(i)) } };
  };
  const knownEntries = new Map<string, Promise<Changed>>();
  const askShowing = (visible: readonly number[]) => {
    const match = knownEntries.get(visible.join()) ?? changed(withOnly(visible));
    knownEntries.set(visible.join(), match);
    return match;
  };
  const all = groups.map((_, g) => g);
  const value = async (visible: readonly number[]) =>
    visible.length === groups.length ? again : ((await askShowing(visible)).answers[did] ?? 0);
  const shares = await shapleyShares(groups.length, value, rng(0, 'shapley'));
  const others = otherDeal(environment, events, turn.view.seat);
  const parts: PartExplained[] = [];
  for (const [g, group] of groups.entries()) {
    const item = seen[group[0]] as Extract<Seen, { kind: 'message' }>;
    const text = group.length > 1 ? `${group.length} earlier messages, from: ${item.text}` : item.text;
    const other = group.length === 1 ? others[indexes.indexOf(group[0])] : undefined;
    const isOther = other !== undefined && other.text !== item.text;
    const swapped = isOther
      ? await changed({ view: { ...turn.view, seen: seen.map((item, i) => (i === group[0] ? other : item)) } })
      : undefined;
    parts.push({
      part: text.slice(0, 200),
      share: shares[g],
      without: await askShowing(all.filter((value) => value !== g)),
      ...(swapped === undefined ? {} : { swapped }),
    });
  }
  return parts;
}

/** Opening messages to a seat under other random seeds: legal replacements for a part. */
function otherDeal(
  environment: AnyEnvironment,
  events: readonly EpisodeEvent[],
  seat: Seat,
): readonly Extract<Seen, { kind: 'message' }>[] {
  const { task, seed } = events[0] as StartEvent;
  const { messages } = environment.start(task, rng(seed + 1, 'start'));
  return messages.flatMap((message) => (message.to.includes(seat) ? [{ kind: 'message', ...message } as const] : []));
}

function rewardsAfter(events: readonly EpisodeEvent[], at: number, seat: Seat): Explanation['rewards'] {
  return events.flatMap((episodeEvent, event) => {
    if (event < at || episodeEvent.kind !== 'reward') return [];
    const [reward, penalty] = [episodeEvent.rewards[seat] ?? 0, episodeEvent.penalties?.[seat] ?? 0];
    return reward === 0 && penalty === 0 ? [] : [{ event, reward, penalty }];
  });
}

function isPerson(spec: AgentSpec | string): boolean {
  return ['human', 'me'].includes(typeof spec === 'string' ? spec : spec.kind);
}

interface Choice {
  readonly at: number;
  readonly seat: Seat;
  readonly did: string;
  readonly choices: readonly string[];
}

/** The action and some alternative moves, each played out from here under several seeds. */
async function movesExplained(
  options: ExplainOptions & { readonly playing: ExplainOptions['cast'] },
  { at, seat, did, choices }: Choice,
): Promise<Explanation['moves']> {
  const { environment, events, playing, load, games, moves, signal } = options;
  if (games === 0) return [];
  const agents: Record<Seat, Agent> = {};
  for (const [item, spec] of Object.entries(playing)) agents[item] = await load(spec, item, environment);
  const others = rng(0, 'explain', at)
    .shuffle(choices.filter((choice) => choice !== did))
    .slice(0, moves);
  const out: Explanation['moves'][number][] = [];
  for (const move of [did, ...others]) {
    const returns: number[] = [];
    for (let game = 0; game < games; game++) {
      let left = 1;
      const agent = agents[seat];
      const forced: Agent = {
        ...agent,
        act: (turn, stop, simulator) =>
          left-- > 0
            ? { action: { text: move }, ...(turn.mind === undefined ? {} : { mind: turn.mind }) }
            : agent.act(turn, stop, simulator),
      };
      let end: EndEvent | undefined;
      for await (const event of fork(environment, events, at, { ...agents, [seat]: forced }, { seed: game, signal }))
        if (event.kind === 'end') end = event;
      if (end?.reason === 'over') returns.push((end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0));
    }
    signal.throwIfAborted();
    const summary = summaryOfRepeats(returns);
    if (summary !== null) out.push({ move, made: move === did, mean: summary.value, interval: summary.interval, games: summary.episodes });
  }
  return out;
}

/** The team's answers without each of its members. */
async function membersExplained(
  { environment, cast, load }: ExplainOptions,
  { action, changed }: { readonly action: ActionEvent; readonly changed: Ask },
): Promise<Explanation['members']> {
  const mind = isObject(action.mind) && action.mind['kind'] === 'team/1' ? action.mind : null;
  if (mind === null) return [];
  const counts = (mind['result'] as JsonObject | undefined)?.['importance'] as Readonly<Record<string, number>> | undefined;
  const spec = cast[action.seat];
  const names = Object.keys((mind['calls'] as JsonObject | undefined) ?? {});
  const isWhole = typeof spec === 'object' && nestedSpecs(spec).length > 1;
  const out: Explanation['members'][number][] = [];
  for (const member of names) {
    const importance = counts?.[member];
    const existing = { member, ...(importance === undefined ? {} : { importance }) };
    // Without the team's spec, only its members' messages to each other are known.
    out.push(isWhole ? { ...existing, ...(await changed({}, await load(without(spec, member), action.seat, environment))) } : existing);
  }
  return out;
}

/** The same team without one member. If the leader is removed, the next member leads. */
function without(spec: AgentSpec, member: string): AgentSpec {
  const { called, links, lead } = readTeam(spec);
  const { lead: _, links: __, members: ___, ...settings } = (spec.settings ?? {}) as Readonly<Record<string, Json>>;
  return {
    ...spec,
    settings: {
      ...settings,
      members: called
        .filter(({ name }) => name !== member)
        .map(({ name, spec: item }) => (typeof item === 'string' ? item : { ...item, name })),
      ...(lead === undefined || lead === member ? {} : { lead }),
      ...(links === undefined ? {} : { links: links.filter((pair) => !pair.includes(member)) }),
    },
  };
}

/** The agent's answers without each of the recalled memories. */
async function memoriesExplained(turn: Turn, action: ActionEvent, changed: Ask): Promise<Explanation['memories']> {
  const recalled =
    (isObject(action.mind) ? (action.mind['why'] as { memories?: readonly string[] } | undefined)?.memories : undefined) ?? [];
  const before = isObject(turn.mind) ? turn.mind : null;
  const memory = before?.['memory'] as { readonly records: readonly { readonly id: string; readonly text: string }[] } | undefined;
  const out: Explanation['memories'][number][] = [];
  for (const id of recalled) {
    const record = memory?.records.find((item) => item.id === id);
    if (before === null || memory === undefined || record === undefined) continue;
    const mind = { ...before, memory: { ...memory, records: memory.records.filter((item) => item !== record) } } as Json;
    out.push({ id, text: record.text, ...(await changed({ mind })) });
  }
  return out;
}
