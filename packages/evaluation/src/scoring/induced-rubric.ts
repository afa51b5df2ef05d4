/** @file Induced metrics as a rubric: what people praised and criticised becomes questions that a judge answers with a quote. */

import { slug } from '@ludus-agents/agents/internal/personas/index';
import type { Metric } from './autolibra.ts';
import type { ChecklistAxis, ChecklistRubric } from './judges/rubric.ts';

/** Examples of behaviour that stand in a question. */
const mostExamples = 4;

/** A checklist with one axis for each metric: 1 where only what was praised is there, −1 where only what was criticised is, else 0. */
export function rubricOfMetrics(metrics: readonly Metric[], name: string): ChecklistRubric {
  const used = new Set<string>();
  return {
    name,
    version: 1,
    form: 'checklist',
    about: 'How the seat behaves, by what people praised and criticised in episodes like this one.',
    source: 'Metrics induced from feedback as in AutoLibra (Zhu et al. 2025); each is asked as two questions, and code adds the points.',
    plants: [],
    axes: metrics.map((metric) => axisOf(metric, freshId(slug(metric.name), used))),
  };
}

function axisOf({ name, definition, good, bad }: Metric, id: string): ChecklistAxis {
  const about = definition.trim() === '' ? name : `${name}: ${definition.trim()}`;
  return {
    id,
    about,
    scale: [-1, 1],
    start: 0,
    questions: [
      { id: 'well', ask: `Does the seat do well in this${examples(good)}?`, points: 1 },
      { id: 'badly', ask: `Does the seat do badly in this${examples(bad)}?`, points: -1 },
    ],
  };
}

function examples(behaviours: readonly string[]): string {
  const subset = behaviours.map((behaviour) => behaviour.trim()).filter((item) => item !== '');
  return subset.length === 0 ? '' : `, as in: ${subset.slice(0, mostExamples).join('; ')}`;
}

function freshId(wanted: string, used: Set<string>): string {
  let id = wanted;
  for (let n = 2; used.has(id); n++) id = `${wanted}-${n}`;
  used.add(id);
  return id;
}
