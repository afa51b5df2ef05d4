/**
 * @file The escalation score over games with 0 to 8 hawks among doves: rank correlation of score and number of hawks.
 * Options: labels ("true" or "shuffled"), seed.
 */

import { escalation } from '@ludus-agents/evaluation/internal/scoring/rules/escalation';
import { logOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { type Episode, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, orderOf, playOne, scriptOf } from './_play.ts';

export default async function run({ labels = 'true', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf('nations');
  const task = { days: 5 };
  const seats = environment.seats(environment.task(task));
  const counts = [0, 1, 2, 3, 4, 6, 8];
  const scores: number[] = [];
  for (const hawks of counts) {
    const agents = Object.fromEntries(
      seats.map((seat, i) => [seat, scripted('nation', scriptOf(environment, i < hawks ? 'hawk' : i < 8 ? 'dove' : seat))]),
    );
    const { events } = await playOne(environment, agents, task, Number(seed));
    const log = logOf({ events } as Episode);
    let sum = 0;
    for (const seat of seats.slice(0, 8)) {
      const finding = escalation.find({ logs: [log], log, seat, persona: null, personaOf: () => null, reference: {} });
      sum += finding !== null && 'value' in finding ? (finding.value ?? 0) : 0;
    }
    scores.push(sum);
  }
  return { order: orderOf(counts, scores, String(labels), Number(seed)), scores };
}
