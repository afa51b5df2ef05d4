/** @file The output of a judging agent for a position: a number, a comment, arguments, and the best of several moves. */

import type { Agent, ModelCall, Seen, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { choiceIn, explanationIn, onOneLine, scoreIn } from './answers.ts';
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

/** The value of a path that no answer gave a number for: unknown, like that of any other position. */
const unknown = 0.5;

/** The value of a path for the seat: the mean of the answers that have a number. Others are counted as unreadable. */
export async function judgeOf(judge: Agent, path: readonly Seen[], { times, by, aim }: PathJudging, mates: Mates): Promise<Judgement> {
  const about = aim === undefined ? 'How well does it go for you?' : `How far does it get you with this sub-task: ${aim}?`;
  const score = `${about} Write "Score: …" from 0 (lost) to 10 (won), and why in one sentence.`;
  const opening = path.length === 0 ? 'Look at where you are now.' : 'Suppose it goes on like this.';
  let [sum, scored, explanation] = [0, 0, ''];
  for (let i = 0; i < times; i++) {
    const text = by === 'score' ? await answerTo(judge, path, `${opening} ${score}`, mates) : await afterDebate(judge, path, score, mates);
    const value = scoreIn(text);
    sum += value ?? 0;
    if (value !== null) scored++;
    countAct(mates.acted, value === null ? 'unreadableScores' : 'judged');
    if (explanation === '') explanation = explanationIn(text);
  }
  if (explanation !== '') countAct(mates.acted, 'explained');
  return { value: scored === 0 ? unknown : sum / scored, words: explanation };
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
    const choice = choiceIn(
      await answerTo(judge, [], ask, mates),
      finalists.map(({ move }) => move),
    );
    countAct(mates.acted, 'debated');
    if (choice === undefined) countAct(mates.acted, 'unreadableChoices');
    else votes.set(choice, (votes.get(choice) ?? 0) + 1);
  }
  const winner = finalists.reduce((best, item) => ((votes.get(item.move) ?? 0) > (votes.get(best.move) ?? 0) ? item : best)).move;
  if (winner !== finalists[0]?.move) countAct(mates.acted, 'overturned');
  return winner;
}

/** An agent's free-text answer at the end of a path that was not played. An answer that is all thought is used as it was written. */
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
  return reply.action.text.trim() === '' ? (reply.calls?.at(-1)?.text ?? '') : reply.action.text;
}
