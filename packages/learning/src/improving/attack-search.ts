/** @file Attackers of an environment with two sides, searched against a target on the defender's seat: `privacy` and `jailbreak`. */

import { type Agent, type AgentSpec, rng, type Script, type Seed, scripted } from '@ludus-agents/kernel/internal/core/index';
import { type Figures, figuresOf } from '../adversaries/figures.ts';
import { createRewriter } from '../adversaries/models.ts';
import { attackerBy, linesFor, type RedTeam, toggleLine, waysIn } from '../adversaries/scripted.ts';
import { threadedSearch } from '../adversaries/search.ts';
import { verdictOf } from '../adversaries/verdict.ts';
import { type Assault, type AssaultOptions, type Duelled, examplesOf, seedsFrom, waysOf } from './attack-range.ts';
import { emptyArsenal } from './kept-arsenal.ts';

/** Searches for an attacker on one half of the episodes and measures it on the other, with half of the visitors honest. */
export async function searchAttack(options: AssaultOptions, team: RedTeam): Promise<Assault> {
  const { target, seed, attacker: model, budget, range } = options;
  const scripts = range.environment.scripts as Readonly<Record<string, Script>>;
  const attackerOf = (spec: AgentSpec): Agent | Promise<Agent> =>
    model === undefined ? scripted('attacker', attackerBy(spec, team, scripts)) : range.agent(spec, team.attacker);
  const duel = async (spec: AgentSpec, seeds: readonly Seed[], benign: number, against = target) => {
    const agents = { [team.attacker]: await attackerOf(spec), [team.defender]: await range.agent(against, team.defender) };
    const fought: Duelled[] = [];
    for (const value of seeds) {
      const { episode, events } = await range.play(agents, { benign }, value);
      fought.push({ ...verdictOf(events), episode, ways: [...new Set(waysIn(team, events))], ...quoteWayIn(team, events) });
    }
    return fought;
  };
  const fresh = Math.ceil(budget / 2);
  const runs = Math.max(2, Math.min(12, Math.floor((budget - fresh) / 8)));
  const looks = Math.max(0, Math.floor((budget - fresh) / runs) - 2);
  const threads = Math.min(2, Math.max(1, looks));
  // The best stored instruction of earlier attacks that this kind of attacker can use.
  const best = options.known.texts.find(({ written }) => written === (model !== undefined))?.text ?? '';
  const start: AgentSpec = { name: 'attacker', kind: model === undefined ? 'lines' : `llm:${model.id}`, texts: { instruction: best } };
  const searchResult = await threadedSearch<AgentSpec>({
    ...{ start, seed, threads, steps: Math.floor(looks / threads) },
    propose:
      model === undefined ? (parent, dice) => toggleLine(parent, linesFor(team, 'attack'), dice) : createRewriter('attack', { model }),
    evaluate: async (spec, from) => {
      const fought = await duel(spec, seedsFrom(from, runs), 0);
      return {
        score: figuresOf(fought).leakScore,
        evidence: fought.filter(({ harm }) => harm).map(({ prompt, answer }) => `${prompt}\n${answer}`),
      };
    },
  });
  const last = await duel(
    searchResult.best,
    seedsFrom(rng(seed, 'fresh attacks').int(2 ** 31), Math.max(1, Math.min(fresh, range.left))),
    0.5,
  );
  const { attacks, harm, harmAtMost, overRefusal, honest }: Figures = figuresOf(last);
  return {
    report: {
      ...{ attacks, harm, harmAtMost, untested: [], plain: null, parts: null },
      overRefusal: honest === 0 ? null : overRefusal,
      ways: waysOf(last.filter(({ hostile }) => hostile)),
      arsenal: searchResult.tried
        .toSorted((a, b) => b.score - a.score)
        .map(({ candidate, score }) => ({ text: candidate.texts?.['instruction'] ?? '', score })),
      examples: examplesOf(last),
    },
    front: [],
    kept: {
      ...emptyArsenal,
      texts: searchResult.tried.map(({ candidate, score }) => ({
        ...{ text: candidate.texts?.['instruction'] ?? '', score, written: model !== undefined },
      })),
    },
    replay: (other, seeds) => duel(searchResult.best, seeds, 0.5, other),
  };
}

/** The last messages of both sides. */
function quoteWayIn(team: RedTeam, events: Parameters<typeof waysIn>[1]): { readonly prompt: string; readonly answer: string } {
  const last = (seat: string) => events.findLast((event) => event.kind === 'message' && event.from === seat);
  const textOf = (seat: string) => {
    const event = last(seat);
    return event?.kind === 'message' ? event.text : '';
  };
  return { prompt: textOf(team.attacker), answer: textOf(team.defender) };
}
