/** @file `ludus show blame`: the first step of an episode that rules know to be wrong, or whose correction changes the outcome most. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { attribute, flowOf, wrongIn } from '@ludus-agents/evaluation/internal/scoring/attribution';
import { type DecisiveError, findDecisiveErrors, type ReplayFound } from '@ludus-agents/evaluation/internal/scoring/counterfactual';
import type { FaultRecord } from '@ludus-agents/kernel/internal/core/fault';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type Agent, type Episode, printable, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { brief, findEpisode, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandCall, type CommandRun, exits } from '../../command.ts';
import { type KeptOptions, openKeptEpisode } from '../../kept-episode.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options extends KeptOptions {
  readonly json?: boolean;
  readonly find: 'rules' | 'replay';
  readonly graph?: boolean;
  readonly changes: number;
  readonly steps: number;
}

export const blame: CommandRun<Options> = {
  async run(call) {
    const { args, options, terminal } = call;
    if (options.find === 'replay') return blameByReplay(call, options);
    const episode = await withExistingStore(terminal, options, async (store): Promise<Episode> => {
      const { id } = await findEpisode(store, args[0]!);
      return { id, events: await store.events(id) };
    });
    const blame = blameIn(episode);
    const graph = options.graph === true ? graphOf(episode) : null;
    if (options.json === true) printJson(terminal, { ...blame, ...(graph === null ? {} : { graph }) });
    else print(terminal, ...(graph ?? []).map(edgeText), textOf(blame));
    return exits.fine;
  },
};

/** The step whose change improves the outcome most, by playing the episode again from before each step. */
async function blameByReplay(call: CommandCall<Options>, options: Options): Promise<number> {
  const { terminal } = call;
  const { record, log, cast, admit, environment, now } = await openKeptEpisode(call, options);
  const agents: Record<Seat, Agent> = {};
  for (const [seat, spec] of Object.entries(cast)) {
    const again = now[seat];
    const trust = again === undefined ? admit(seat) : terminal.trust;
    const load = createAgentLoader(createAgentServices(terminal.cwd, trust, options));
    agents[seat] = await load(again === undefined ? spec : await readSpec(again, terminal.cwd, terminal.trust), seat, environment);
  }
  const { controller, release } = interruptible(terminal);
  try {
    const { changes, steps } = options;
    const decisiveErrors = await findDecisiveErrors({ environment, events: log, agents, changes, steps, signal: controller.signal });
    const graph = options.graph === true ? graphOf({ id: record.id, events: log }) : null;
    if (options.json === true) printJson(terminal, { episode: record.id, ...decisiveErrors, ...(graph === null ? {} : { graph }) });
    else print(terminal, ...(graph ?? []).map(edgeText), ...replayLines(record.id, decisiveErrors));
    return exits.fine;
  } finally {
    release();
  }
}

function replayLines(episode: string, { errors, tried, replays }: ReplayFound): readonly string[] {
  const cost = `${count(tried, 'step')} tried in ${count(replays, 'replay')}.`;
  const [first, ...others] = errors;
  if (first === undefined) return [`No single change of a step improves the outcome of ${brief(episode)}. ${cost}`];
  const who = (error: DecisiveError) => `${printable(error.seat)}${error.member === undefined ? '' : ` (${printable(error.member)})`}`;
  const text = (error: DecisiveError) =>
    `${who(error)}, at answer ${error.step} (event ${error.event}): "${printable(error.did)}". With "${printable(error.better)}" the outcome is ${error.outcome.toFixed(2)}, not ${error.before.toFixed(2)}.`;
  return [`Decisive error: ${text(first)}`, ...others.slice(0, 4).map((error) => `Also: ${text(error)}`), cost];
}

interface GraphEdge {
  readonly event: number;
  readonly by: string;
  readonly text: string;
  /** The events whose information it used. */
  readonly uses: readonly number[];
}

/** The information-dependency graph of an episode. */
function graphOf(episode: Episode): readonly GraphEdge[] {
  return [...flowOf(episode)].map(([event, uses]) => {
    const item = episode.events[event];
    const by = item?.kind === 'action' ? item.seat : 'environment';
    const text = item?.kind === 'action' ? item.action.text : item?.kind === 'message' ? item.text : '';
    return { event, by, text: text.replace(/\s+/g, ' ').slice(0, 80), uses };
  });
}

function edgeText({ event, by, text, uses }: GraphEdge): string {
  return `${event} ${printable(by)} "${printable(text)}"${uses.length === 0 ? '' : ` ← ${uses.join(', ')}`}`;
}

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
  const attribution = attribute(episode);
  const action = attribution === null ? undefined : episode.events[attribution.cause.event];
  if (attribution === null || action?.kind !== 'action') return { episode: episode.id, wrong, blame: null };
  const { event, followers, reach } = attribution.cause;
  return {
    episode: episode.id,
    wrong,
    blame: { seat: attribution.agent, step: attribution.step, event, text: action.action.text, followers, reach },
  };
}

function textOf({ fault, ...found }: BlameFound): string {
  if (fault === undefined) return answersText(found);
  const ended = `${printable(fault.seat ?? `the ${fault.boundary}`)} failed, which ended ${brief(found.episode)}: ${printable(fault.message)}`;
  return found.wrong.length === 0 ? ended : `${ended}\n${answersText(found)}`;
}

function answersText({ episode, wrong, blame: match }: BlameFound): string {
  if (wrong.length === 0)
    return `No answer in ${brief(episode)} is known to be wrong: no rule was broken, no call failed, and nothing contradicts the environment.`;
  if (match === null) return `The outcome of ${brief(episode)} does not depend on any of the ${wrong.length} wrong answers.`;
  const depend =
    match.followers === 0
      ? ''
      : ` ${count(match.followers, 'later event')} ${match.followers === 1 ? 'depends' : 'depend'} on it directly.`;
  return `${printable(match.seat)}, at answer ${match.step} (event ${match.event}): "${printable(match.text)}".${depend} ${Math.round(100 * match.reach)}% of what led to the end depends on it.`;
}
