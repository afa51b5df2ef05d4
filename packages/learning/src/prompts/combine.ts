/**
 * @file Combines engines under one budget: one after the other, a race and then a fresh start from its winner, or in parallel.
 *
 * Every engine stalls eventually, and another one often continues from there. Results are never lost: the answer changes only through the
 * gate.
 */

import { Fault, type Json, parameter } from '@ludus-agents/kernel/internal/core/index';
import type { Candidate } from './candidate.ts';
import { defineEngine, type Engine, type Happening, type Happenings, holdChild, type Parts, selectScore } from './engine.ts';
import type { TrialRunner } from './evaluator.ts';
import type { TrialKey } from './trial-ledger.ts';
import { placesOf, scoreOf } from './trial-scores.ts';

type Engines = Readonly<Record<string, Engine>>;

/** Thrown when a stage has used up its part of the budget, while the whole budget is not spent. */
class StageOver extends Error {}

/** The offset between stages, so that their proposals use different random numbers. */
const apart = 1_000_000;

/** A bench that ends when `over` returns true, with its own counts of questions and trials. */
function slice(bench: TrialRunner, { stage, over }: { readonly stage: number; readonly over: () => boolean }): TrialRunner {
  const check = () => {
    if (over()) throw new StageOver();
  };
  const moveRepeat = (place: TrialKey): TrialKey =>
    place.split === 'propose' ? { ...place, repeat: place.repeat + stage * apart } : place;
  return {
    tasks: bench.tasks,
    get spent() {
      return bench.spent;
    },
    get left() {
      return bench.left;
    },
    async evaluate(candidate, places) {
      check();
      return bench.evaluate(candidate, places.map(moveRepeat));
    },
    seen: (candidate, split) => bench.seen(candidate, split),
    async propose(proposer, question) {
      check();
      return bench.propose(proposer, { ...question, step: question.step + stage * apart });
    },
  };
}

interface Stage {
  readonly start: Candidate;
  readonly stage: number;
  readonly over?: () => boolean;
}

/** The parts of a stage: its start, its bench, its random generator. */
export function stageOf(parts: Parts, { start, stage, over = () => false }: Stage): Parts {
  return { ...parts, start, bench: slice(parts.bench, { stage, over }), dice: (...path) => parts.dice('stage', stage, ...path) };
}

/** The events of an engine until its stage is over. */
export async function* runStage(engine: Engine, parts: Parts): Happenings {
  try {
    yield* engine.run(parts);
  } catch (thrown) {
    if (!(thrown instanceof StageOver)) throw thrown;
  }
}

function enginesNamed(engines: Engines, names: Json): readonly Engine[] {
  const list = Array.isArray(names) ? (names as readonly Json[]) : [];
  const matchingEngines = list.map((name) => (typeof name === 'string' && Object.hasOwn(engines, name) ? engines[name] : undefined));
  if (matchingEngines.length < 2 || matchingEngines.some((engine) => engine === undefined))
    throw new Fault(
      'input',
      `"engines" must be a list of two or more of ${Object.keys(engines).join(', ')}, but got ${JSON.stringify(names)}.`,
    );
  return matchingEngines as readonly Engine[];
}

const engineList = parameter.json({ default: ['skillopt', 'gepa'], description: 'names of the engines, in order' });

/**
 * One after the other: each starts from the best so far and continues until `plateau` calls bring no improvement; then the cycle repeats.
 */
export function sequence(engines: Engines): Engine {
  return defineEngine({
    name: 'then',
    method: 'one engine after the other, from the best so far',
    source: 'adaptive sequential composition of optimizers',
    differs: 'a stage that finds nothing hands over; nothing found is ever lost',
    parameters: {
      engines: engineList,
      plateau: parameter.integer({
        min: 1,
        max: 100_000,
        default: 100,
        description: 'calls without an improvement after which the next engine starts',
      }),
    },
    async *run(parts, settings) {
      const list = enginesNamed(engines, settings.engines);
      let best = parts.start;
      parts.archive.add(best);
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
      for (let stage = 0; ; stage++) {
        const engine = list[stage % list.length];
        yield { kind: 'note', words: `${engine.name} goes on from ${best.id.slice(0, 8)}` };
        let since = parts.bench.spent.calls;
        const over = () => parts.bench.spent.calls - since >= settings.plateau;
        for await (const happening of runStage(engine, stageOf(parts, { start: best, stage, over }))) {
          if (happening.kind === 'best' && happening.candidate.id !== best.id) {
            since = parts.bench.spent.calls;
            best = happening.candidate;
          }
          yield happening;
        }
      }
    },
  });
}

/** A race on a part of the budget, a second evaluation of every engine's answer, then another engine from the best of them. */
export function race(engines: Engines): Engine {
  return defineEngine({
    name: 'race',
    method: 'a race of engines, then a fresh one from the winner',
    source: 'the composition “omni” of gepa-ai/gepa',
    differs: 'answers are compared on other seeds of the gate’s tasks, and the winner passes the gate',
    parameters: {
      engines: parameter.json({ default: ['skillopt', 'gepa', 'practice'], description: 'names of the engines' }),
      share: parameter.number({ min: 0.05, max: 0.95, default: 0.6, description: 'share of the budget for the race' }),
    },
    async *run(parts, settings) {
      const list = enginesNamed(engines, settings.engines);
      const { bench, start, archive } = parts;
      if (!Number.isFinite(bench.left))
        throw new Fault('input', 'A race divides its budget between engines, so it needs a budget of calls.');
      archive.add(start);
      yield { kind: 'best', candidate: start, score: await selectScore(parts, start) };
      const calls = Math.floor((bench.left * settings.share) / list.length);
      const answers: { readonly one: Engine; readonly best: Candidate }[] = [];
      for (const [stage, engine] of list.entries()) {
        let matchingCandidate = start;
        const before = bench.spent.calls;
        yield { kind: 'note', words: `${engine.name} runs with ${calls} calls` };
        for await (const happening of runStage(engine, stageOf(parts, { start, stage, over: () => bench.spent.calls - before >= calls })))
          if (happening.kind === 'best') matchingCandidate = happening.candidate;
          else yield happening;
        answers.push({ one: engine, best: matchingCandidate });
      }
      const ranked = await voteBest(parts, answers);
      const winner = ranked[0]?.best ?? start;
      let best = start;
      if (winner.id !== start.id) {
        const verdict = await holdChild(parts, start, winner);
        yield { kind: 'verdict', candidate: winner.id, against: start.id, verdict };
        if (verdict.accept) best = winner;
      }
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
      const fresh = (ranked[1] ?? ranked[0])?.one as Engine;
      yield { kind: 'note', words: `${ranked[0]?.one.name} wins; ${fresh.name} goes on from there` };
      yield* fresh.run(stageOf(parts, { start: best, stage: list.length }));
    },
  });
}

/** Evaluates each answer again on the select tasks with other seeds, which exposes answers that won by luck. */
async function voteBest<A extends { readonly best: Candidate }>({ bench }: Parts, answers: readonly A[]): Promise<readonly A[]> {
  const scores: number[] = [];
  const places = placesOf('select', bench.tasks.select).map((place) => ({ ...place, repeat: apart }));
  for (const { best } of answers) scores.push(scoreOf(await bench.evaluate(best, places)));
  return answers
    .map((answer, i) => ({ answer, score: scores[i] }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ answer }) => answer);
}

/** In parallel: the next turn goes to the engine with the highest gain per call, plus a small bonus for engines with few calls. */
export function portfolio(engines: Engines): Engine {
  return defineEngine({
    name: 'portfolio',
    method: 'engines side by side, turns by what they gained',
    source: 'algorithm portfolios',
    differs: 'engines are generators, so a turn is whatever one does until it tells something',
    parameters: { engines: engineList },
    async *run(parts, settings) {
      const list = enginesNamed(engines, settings.engines);
      let best = parts.start;
      parts.archive.add(best);
      const first = await selectScore(parts, best);
      yield { kind: 'best', candidate: best, score: first };
      const lines = list.map((engine, stage) => new Line(engine, stageOf(parts, { start: best, stage }), first));
      while (lines.some((line) => !line.over)) {
        const line = next(lines);
        const happening = await line.turn();
        if (happening === null) continue;
        if (happening.kind !== 'best') {
          yield happening;
          continue;
        }
        if (happening.candidate.id === best.id) continue;
        const verdict = await holdChild(parts, best, happening.candidate);
        yield { kind: 'verdict', candidate: happening.candidate.id, against: best.id, verdict };
        if (!verdict.accept) continue;
        best = happening.candidate;
        yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
      }
    },
  });
}

/** One engine of a portfolio: its generator, and the cost and gain of its turns. */
class Line {
  over = false;
  calls = 0;
  gained = 0;
  readonly #bench: TrialRunner;
  readonly #course: Happenings;
  #score: number;

  constructor(engine: Engine, parts: Parts, score: number) {
    this.#bench = parts.bench;
    this.#course = engine.run(parts);
    this.#score = score;
  }

  async turn(): Promise<Happening | null> {
    const before = this.#bench.spent.calls;
    const { value, done } = await this.#course.next();
    this.calls += this.#bench.spent.calls - before;
    if (done === true) {
      this.over = true;
      return null;
    }
    if (value.kind === 'best') {
      this.gained += Math.max(0, value.score - this.#score);
      this.#score = Math.max(this.#score, value.score);
    }
    return value;
  }
}

/** The engine with the highest gain per call, plus a bonus that shrinks with every call. */
function next(lines: readonly Line[]): Line {
  const open = lines.filter(({ over }) => !over);
  const worth = ({ calls, gained }: Line) => (gained + 0.5) / (calls + 25);
  return open.reduce((best, line) => (worth(line) > worth(best) ? line : best));
}
