/**
 * @file Characters of known quality, probed on passages (`ludus persona probe --only passage`): a perfect one that does the opposite at
 * rates from 0 to 1, and three that always do the same. Options: labels ("true" or "shuffled"), test (a seed whose characters are left
 * out), seed. Prints the rank correlation of correctness and score, the scores, and the best score of the constant characters.
 */

import { gallery, renderPersona } from '@ludus-agents/agents/internal/personas/index';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { probeCharacter } from '@ludus-agents/evaluation/internal/probes/probe-character';
import { type Agent, type Json, type Rng, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { orderOf } from './_play.ts';
import { scripts } from './_stages.ts';

const doses = [0, 0.1, 0.25, 0.5, 0.75, 1];
const refusal = 'I do not know that.';

export default async function run({ labels = 'true', test = '', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const shuffled = rng(Number(test === '' ? seed : test), 'personas').shuffle(Object.values(gallery));
  const personas = test === '' ? shuffled.slice(0, 4) : shuffled.slice(4);
  const scoreOf = async (reply: (probe: Probe, random: Rng) => string, dose?: number) => {
    const scores: number[] = [];
    for (const [i, persona] of personas.entries()) {
      const card = renderPersona(persona)
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .join('\n');
      const agent = (probe: Probe): Agent => {
        const usual = scripted(persona.name, ({ rng: random }) => ({ text: reply(probe, random) }));
        if (dose === undefined) return usual;
        const player = stage.player(usual, card);
        const wrong = { action: { text: wrongReply(probe) } };
        return { name: persona.name, act: async (turn, signal) => (turn.rng.next() < dose ? wrong : player.act(turn, signal)) };
      };
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
  const scores = await stage.once(`passages ${test} ${seed}`, async () => {
    const list: number[] = [];
    for (const dose of doses) list.push(await scoreOf(rightReply, dose));
    return list;
  });
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
