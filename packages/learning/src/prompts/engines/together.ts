/**
 * @file Texts and weights in turn, as an engine: fast–slow training (FST, arXiv 2605.12484) on one budget, in one ledger and one archive.
 *
 * Weights are a component like any other, the spec's `model`, and training is a proposal that changes it. So scores under different weights
 * are never mixed up, the gate decides about the answer, and a run is resumed like every other.
 */

import { type AgentSpec, Fault, parameter } from '@ludus-agents/kernel/internal/core/index';
import { breed, type Candidate, createFirstCandidate } from '../candidate.ts';
import { runStage, stageOf } from '../combine.ts';
import { addressOf } from '../components.ts';
import { defineEngine, type Engine, type Happening, holdChild, type Parts, type Proposer, selectScore } from '../engine.ts';
import { fastSlow, groupsOf } from '../fast-slow.ts';
import { frontOf } from '../round.ts';
import type { TrialKey, TrialRecord } from '../trial-ledger.ts';
import { skillopt } from './skillopt.ts';

const parameters = {
  rounds: parameter.integer({ min: 1, max: 1000, default: 3, description: 'rounds of texts and weights' }),
  share: parameter.number({ min: 0.05, max: 0.95, default: 0.5, description: 'share of a round’s calls for the texts' }),
  problems: parameter.integer({ min: 1, max: 256, default: 2, description: 'tasks per update' }),
  size: parameter.integer({ min: 2, max: 256, default: 8, description: 'plays of each task in an update, spread over the front of texts' }),
  front: parameter.integer({ min: 1, max: 16, default: 2, description: 'maximum number of texts to train the weights under' }),
  freeze: parameter.choice({ options: ['none', 'texts', 'weights'], default: 'none', description: 'what to freeze' }),
} as const;

interface Settings {
  readonly problems: number;
  readonly size: number;
  readonly front: number;
}

/** The engine with a trainer of weights; without one, it reports what is missing. */
export function togetherWith(trainer: Proposer | null): Engine {
  return defineEngine({
    name: 'together',
    method: 'FST, texts and weights in turn',
    source: 'arXiv 2605.12484',
    differs: 'texts go through the gate; the answer changes only through the gate, while training continues',
    parameters,
    trains: true,

    async *run(parts, { rounds, share, freeze, ...settings }) {
      if (trainer === null)
        throw new Fault(
          'input',
          'The engine "together" needs weights that can be trained here. Try the recipe together-demo, which has some.',
        );
      const { bench, archive } = parts;
      let best = parts.start;
      let last = best;
      archive.add(best);
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
      if (!Number.isFinite(bench.left))
        throw new Fault('input', 'Optimizing texts and weights in turn divides a budget of calls, so it needs one.');
      const happenings: Happening[] = [];
      const training = new Training(parts, trainer, settings);
      const from = bench.spent.calls;
      const round = bench.left / rounds;
      /** The number of calls at which the texts, or the weights, of a round are complete. */
      const until = (at: number, part: number) => from + round * (at + part);
      const course = fastSlow(
        best.spec,
        { rounds, freeze: freeze === 'none' ? undefined : freeze },
        {
          texts: async (spec, at) => {
            const end = until(at, freeze === 'weights' ? 1 : share);
            return (await textsFrom(parts, spec, { stage: at, end, most: settings.front, told: happenings })).map((text) => text.spec);
          },
          weights: (front, at) => training.until(until(at, 1), front),
        },
      );
      for await (const { kind, round: at, front } of course) {
        yield* happenings.splice(0);
        const answer = knownOrNew(parts, front[0], { parent: last, round: at });
        last = answer;
        if (kind === 'weights') yield { kind: 'note', words: `round ${at + 1}: weights ${answer.spec.model}` };
        if (answer.id === best.id) continue;
        if (archive.add(answer)) yield { kind: 'candidate', candidate: answer };
        const verdict = await holdChild(parts, best, answer);
        yield { kind: 'verdict', candidate: answer.id, against: best.id, verdict };
        if (!verdict.accept) continue;
        best = answer;
        yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
      }
    },
  });
}

/** The candidate of a spec: the archived one, or a new one that training has derived from its parent. */
function knownOrNew(
  { archive }: Parts,
  spec: AgentSpec,
  { parent, round }: { readonly parent: Candidate; readonly round: number },
): Candidate {
  const id = addressOf(spec);
  if (archive.has(id)) return archive.get(id);
  const bred = breed(spec, { parents: [parent], origin: { engine: archive.engine, proposer: 'train', step: round } });
  return 'child' in bred ? bred.child : parent;
}

interface TextRound {
  readonly stage: number;
  readonly end: number;
  readonly most: number;
  readonly told: Happening[];
}

/** Runs a light round of texts with the spec's weights; returns its front. */
async function textsFrom(parts: Parts, spec: AgentSpec, { stage, end, most, told }: TextRound): Promise<readonly Candidate[]> {
  const { bench, archive } = parts;
  let best = archive.get(addressOf(spec));
  for await (const happening of runStage(skillopt, stageOf(parts, { start: best, stage, over: () => bench.spent.calls >= end })))
    if (happening.kind === 'best') best = happening.candidate;
    else told.push(happening);
  const candidates = archive.candidates.filter((candidate) => candidate.spec.model === spec.model);
  return frontOf(best, { candidates, bench, most });
}

/** Updates of the weights under a front of texts, each from plays with the current weights. */
class Training {
  readonly #parts: Parts;
  readonly #trainer: Proposer;
  readonly #settings: Settings;
  #updates = 0;

  constructor(parts: Parts, trainer: Proposer, settings: Settings) {
    this.#parts = parts;
    this.#trainer = trainer;
    this.#settings = settings;
  }

  /** Makes as many updates as the remaining calls allow, reserving those of the gate. */
  async until(end: number, front: readonly AgentSpec[]): Promise<string> {
    const { bench, repeats } = this.#parts;
    const { problems, size } = this.#settings;
    const last = end - problems * size - bench.tasks.select * repeats;
    let model = front[0]?.model ?? '';
    while (bench.spent.calls <= last) model = await this.#update(front.map((spec) => createFirstCandidate({ ...spec, model })));
    return model;
  }

  async #update(front: readonly Candidate[]): Promise<string> {
    const update = this.#updates++;
    const { bench, dice } = this.#parts;
    const { problems, size } = this.#settings;
    const tasks = Array.from({ length: problems }, (_, i) => (update * problems + i) % bench.tasks.propose);
    const specs = front.map(({ spec }) => spec);
    const group = groupsOf(specs, { seed: dice('groups').int(2 ** 30), update, problems: tasks, size });
    const plays: TrialRecord[] = [];
    for (const [text, candidate] of front.entries()) {
      const places = group.flatMap((item, i): TrialKey[] =>
        item.text === text ? [{ split: 'propose', task: item.problem, repeat: apart + update * size + (i % size) }] : [],
      );
      plays.push(...(await bench.evaluate(candidate, places)));
    }
    const parent = front[0];
    const scored = plays.filter(({ score }) => score !== null);
    const [child] = await bench.propose(this.#trainer, { parent, step: update, plays: scored, components: ['model'] });
    return child?.spec.model ?? (parent.spec.model as string);
  }
}

/** The offset of training plays, so that their random numbers differ from those of the texts. */
const apart = 500_000;
