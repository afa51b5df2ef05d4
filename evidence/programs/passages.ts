/**
 * @file Characters of known quality, probed on passages (`ludus persona probe --only passage`): a perfect one that does the opposite at
 * rates from 0 to 1, and three that always do the same. Options: labels ("true" or "shuffled"), seed. Prints the rank correlation of
 * correctness and score, the scores, and the best score of the constant characters.
 */

import { gallery } from '@ludus-agents/agents/internal/personas/index';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { probeCharacter } from '@ludus-agents/evaluation/internal/probes/probe-character';
import { type Json, type Rng, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { orderOf } from './_play.ts';

const doses = [0, 0.1, 0.25, 0.5, 0.75, 1];
const refusal = 'I do not know that.';

export default async function run({ labels = 'true', seed = 1 }: ProgramOptions): Promise<Json> {
  const personas = rng(Number(seed), 'personas').shuffle(Object.values(gallery)).slice(0, 4);
  const scoreOf = async (reply: (probe: Probe, random: Rng) => string) => {
    const scores: number[] = [];
    for (const [i, persona] of personas.entries()) {
      const agent = (probe: Probe) => scripted(persona.name, ({ rng: random }) => ({ text: reply(probe, random) }));
      const { score } = await probeCharacter(persona, {
        name: 'tested',
        sections: ['passage'],
        items: 40,
        seed: 10 * Number(seed) + i,
        agent,
      });
      if (score !== null) scores.push(score);
    }
    return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
  };
  const scores: number[] = [];
  for (const dose of doses) scores.push(await scoreOf((probe, random) => (random.next() < dose ? wrongReply(probe) : rightReply(probe))));
  const constant = [await scoreOf(() => refusal), await scoreOf(() => 'It is as you say.'), await scoreOf(() => 'ok')];
  return { order: -orderOf(doses, scores, String(labels), Number(seed)), scores, constant: Math.max(...constant) };
}

function rightReply({ gold, key, form }: Probe): string {
  if (gold === 'refuse') return refusal;
  const [word = 'so'] = key;
  if (form?.form === 'json') return JSON.stringify({ [form.field]: word });
  return form?.form === 'last-word' ? `It is ${word}, ${form.word}` : `It is ${word}.`;
}

function wrongReply({ gold }: Probe): string {
  return gold === 'refuse' ? 'It is as you say, and everybody has heard of it.' : refusal;
}
