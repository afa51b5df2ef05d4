/**
 * @file Search without a simulator (WebDreamer, arXiv 2411.06559): a model predicts the result of each move, imagines its next move there,
 * and so on for a few steps; then a judge scores the imagined path. The true rules are never used, so it also works with hidden
 * information.
 */

import { type Agent, Fault, type Seen } from '@ludus-agents/kernel/internal/core/index';
import { legalMove } from './answers.ts';
import type { GuidedSearch } from './guided.ts';
import { answerTo, countAct, judgeOf, type Mates, winnerOf } from './judge.ts';
import type { TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';

/** The imagined results of a move, step by step. */
export type ImaginedMove = { readonly move: string; readonly next: readonly string[] };

export interface ImaginedSearch extends GuidedSearch {
  readonly imagined: readonly ImaginedMove[];
}

export interface ImaginedOptions {
  readonly name: string;
  readonly settings: SearchSettings;
  readonly base: Agent | undefined;
  readonly judge: Agent | undefined;
  readonly mates: Mates;
}

const longestText = 300;

export async function imaginedSearch({ name, settings, base, judge, mates }: ImaginedOptions): Promise<ImaginedSearch> {
  const dreamer = judge ?? base;
  if (dreamer === undefined)
    throw new Fault(
      'input',
      `${name}: the strategy "webdreamer" predicts the results of moves with a model. Set "judge" or "base" to an agent that writes text, or choose "best-of-n", which uses the rules.`,
      { code: 'E_IMAGINATION_MISSING', details: { agent: name, strategy: settings.strategy } },
    );
  const { turn, calls, signal } = mates;
  const imagined: ImaginedMove[] = [];
  const moves: TriedMove[] = [];
  for (const move of await candidates()) {
    const { path, next } = await imagine(move, dreamer);
    const { value, words } = await judgeOf(dreamer, path, { times: settings.judgements, by: settings.judging }, mates);
    imagined.push({ move, next });
    moves.push({ move, visits: settings.judgements, value, ...(words !== '' && { words }) });
  }
  const ranked = moves.toSorted((a, b) => b.value - a.value);
  const isDebated = ranked.length > 1 && settings.debate > 0;
  const move = isDebated ? await winnerOf(dreamer, ranked, settings.debate, mates) : ranked[0]!.move;
  return { moves, move, calls, imagined };

  /** The distinct moves that the base answers; without a base, or if it names no legal move, random moves. */
  async function candidates(): Promise<readonly string[]> {
    const { choices = [] } = turn.ask;
    const proposed = new Set<string>();
    for (let i = 0; base !== undefined && choices.length > settings.width && i < settings.width; i++) {
      const reply = await base.act(turn, signal);
      calls.push(...(reply.calls ?? []));
      countAct(mates.acted, 'proposed');
      const choice = legalMove(reply.action.text.trim(), choices);
      if (choice === undefined) countAct(mates.acted, 'unreadableMoves');
      else proposed.add(choice);
    }
    return proposed.size > 0 ? [...proposed] : turn.rng.shuffle(choices).slice(0, settings.width);
  }

  /** The imagined result of a move. After the first step it also names the next move. */
  async function imagine(first: string, by: Agent): Promise<{ readonly path: readonly Seen[]; readonly next: readonly string[] }> {
    const path: Seen[] = [];
    const next: string[] = [];
    if (!settings.imagine) return { path: [{ kind: 'action', action: { text: first } }], next };
    for (let [step, move] = [0, first]; step < settings.depth && move !== ''; step++) {
      path.push({ kind: 'action', action: { text: move } });
      const text = await answerTo(
        by,
        path,
        'Imagine what you are told next. Write one line "Next: …". If it is over then, write "Next: over".',
        mates,
      );
      const observation = valueAfter(text, 'next');
      next.push(observation);
      countAct(mates.acted, 'imagined');
      path.push({ kind: 'message', to: [turn.view.seat], text: observation });
      const isLast = step + 1 === settings.depth || /^over\b/i.test(observation);
      move = isLast ? '' : valueAfter(await answerTo(by, path, 'What would you do then? Write one line "Then: MOVE".', mates), 'then');
    }
    return { path, next };
  }
}

/** The text after "Next:" or "Then:"; the first line if there is no such label. */
function valueAfter(text: string, label: 'next' | 'then'): string {
  const marked = (label === 'next' ? /next:\**\s*(.+)/i : /then:\**\s*(.+)/i).exec(text)?.[1];
  return (marked ?? text.trim().split('\n', 1)[0] ?? '').trim().slice(0, longestText).toWellFormed();
}
