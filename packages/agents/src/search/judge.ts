/** @file The output of a judging agent for a position: a number, a comment, arguments, and the best of several moves. */

import type { Agent, ModelCall, Seen, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { TriedMove } from './positions.ts';
import type { Judgement } from './tree.ts';

/** The context of a call to a judge. */
export interface Mates {
  readonly turn: Turn;
  readonly notes: readonly string[];
  /** Calls are added here. */
  readonly calls: ModelCall[];
  /** How often each mechanism acted; updated here. */
  readonly acted: SearchCounts;
  /** Omitted if only the seat's observations may be used. */
  readonly simulator: Simulator | undefined;
  readonly signal: AbortSignal;
}

export type SearchCounts = Record<string, number>;

export function countAct(acted: SearchCounts, mechanism: string, times = 1): void {
  acted[mechanism] = (acted[mechanism] ?? 0) + times;
}

export interface PathJudging {
  /** The number of answers or debates whose mean counts. */
  readonly times: number;
  /** A score at once, or after one argument for and one against. */
  readonly by: 'score' | 'debate';
  /** The current sub-task; without it, the whole task. */
  readonly aim?: string | undefined;
}

const longestWords = 200;

/** The value of a path for the seat: the mean of several answers; one without a number counts as 0. */
export async function judgeOf(judge: Agent, path: readonly Seen[], { times, by, aim }: PathJudging, mates: Mates): Promise<Judgement> {
  const about = aim === undefined ? 'How well does it go for you?' : `How far does it get you with this sub-task: ${aim}?`;
  const score = `${about} Write "Score: …" from 0 (lost) to 10 (won), and why in one sentence.`;
  const opening = path.length === 0 ? 'Look at where you are now.' : 'Suppose it goes on like this.';
  let [sum, explanation] = [0, ''];
  for (let i = 0; i < times; i++) {
    const text = by === 'score' ? await answerTo(judge, path, `${opening} ${score}`, mates) : await afterDebate(judge, path, score, mates);
    sum += scoreIn(text);
    countAct(mates.acted, 'judged');
    if (explanation === '') explanation = explanationIn(text);
  }
  if (explanation !== '') countAct(mates.acted, 'explained');
  return { value: sum / times, words: explanation };
}

/** The judge's answer after it has argued for the path and then against it. */
async function afterDebate(judge: Agent, path: readonly Seen[], score: string, mates: Mates): Promise<string> {
  const pro = await answerTo(judge, path, 'Suppose it goes on like this. Argue in one or two sentences why that is good for you.', mates);
  const con = await answerTo(
    judge,
    path,
    `Suppose it goes on like this. Somebody argues for it: ${onOneLine(pro)} Argue in one or two sentences why it is bad for you.`,
    mates,
  );
  countAct(mates.acted, 'debatedValues');
  return answerTo(judge, path, `Two argued about it. For: ${onOneLine(pro)} Against: ${onOneLine(con)} ${score}`, mates);
}

function scoreIn(text: string): number {
  const score = Number(/score:\**\s*(\d+(?:\.\d+)?)/i.exec(text)?.[1] ?? 0);
  return Math.min(10, Math.max(0, score)) / 10;
}

function explanationIn(text: string): string {
  const withoutScore = text.replace(linear(/\**score:\**\s*[\d.]+(?:\s*\/\s*10)?/i), '');
  return onOneLine(withoutScore);
}

export function onOneLine(text: string, longest = longestWords): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, longest).toWellFormed();
}

/** The most moves in the final debate. */
const mostFinalists = 5;

/**
 * The move that wins a debate of the finalists, which are sorted by value (the discriminator of SWE-Search). In each round every finalist
 * has an advocate who reads the earlier arguments, then the judge chooses. The most frequent choice wins; of equals, the one with the
 * higher value.
 */
export async function winnerOf(judge: Agent, ranked: readonly TriedMove[], rounds: number, mates: Mates): Promise<string> {
  const finalists = ranked.slice(0, mostFinalists);
  const votes = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    // Every other round is reversed, so that the order of speakers does not decide.
    const order = round % 2 === 0 ? finalists : finalists.toReversed();
    const speeches: string[] = [];
    for (const { move, words = '' } of order) {
      const earlier = speeches.length === 0 ? '' : ` Others said: ${speeches.join(' ')}`;
      const noted = words === '' ? '' : ` In the search it was said of it: ${words}`;
      const ask = `These moves are left: ${order.map((item) => item.move).join(' or ')}. Argue for ${move}, in one or two sentences.${noted}${earlier}`;
      speeches.push(`For ${move}: ${onOneLine(await answerTo(judge, [], ask, mates))}`);
    }
    const ask = `These moves are left: ${order.map(({ move }) => move).join(' or ')}. ${speeches.join(' ')} Weigh this, and write "Choice: MOVE".`;
    const choice = choiceIn(await answerTo(judge, [], ask, mates), finalists);
    countAct(mates.acted, 'debated');
    if (choice !== undefined) votes.set(choice, (votes.get(choice) ?? 0) + 1);
  }
  const winner = finalists.reduce((best, item) => ((votes.get(item.move) ?? 0) > (votes.get(best.move) ?? 0) ? item : best)).move;
  if (winner !== finalists[0]?.move) countAct(mates.acted, 'overturned');
  return winner;
}

/** The finalist that an answer names; if several match, the longest. */
function choiceIn(text: string, finalists: readonly TriedMove[]): string | undefined {
  const choice = /choice:\**\s*(.+)/i.exec(text)?.[1]?.trim().toLowerCase() ?? '';
  const named = finalists.map(({ move }) => move).filter((move) => choice.startsWith(move.toLowerCase()));
  return named.sort((a, b) => b.length - a.length)[0];
}

/** An agent's free-text answer at the end of a path that was not played. */
export async function answerTo(
  judge: Agent,
  path: readonly Seen[],
  ask: string,
  { turn, notes, calls, simulator, signal }: Mates,
): Promise<string> {
  const seat = turn.view.seat;
  const messages = [...notes, ask].map((text): Seen => ({ kind: 'message', to: [seat], text }));
  const requestedTurn: Turn = { view: { seat, seen: [...turn.view.seen, ...path, ...messages] }, ask: { seat }, rng: turn.rng };
  const reply = await judge.act(requestedTurn, signal, simulator);
  calls.push(...(reply.calls ?? []));
  return reply.action.text;
}
