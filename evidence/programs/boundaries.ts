/**
 * @file Characters who know some topics and not others, probed with the questions of `ludus persona probe --only knowledge`. A language
 * model was trained to play other characters from their cards.
 *
 * Options: card ("boundaries": with the character's knowledge and gaps; "neutral": the same number of lines about other things),
 * server, seed. Prints refused conflicts minus refused twins, both shares, and the number of boundary lines in the prompt.
 */

import { parsePersona } from '@ludus-agents/agents/internal/personas/parse';
import { renderPersona } from '@ludus-agents/agents/internal/personas/render';
import { knowledgeProbes } from '@ludus-agents/evaluation/internal/probes/knowledge';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { readReply } from '@ludus-agents/evaluation/internal/probes/read-reply';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { type Lesson, taught } from './_taught.ts';

const names = ['Mara', 'Olin', 'Petra', 'Quin', 'Rosa', 'Sven', 'Tess', 'Ugo', 'Vera', 'Wim'];
const jobs = ['baker', 'nurse', 'teacher', 'driver', 'cook', 'sailor', 'farmer', 'clerk'];
const topics =
  'bees;tides;chess;opera;glass;falcons;tax law;steam engines;old maps;cheese;comets;horses;silk;mushrooms;clocks;poison;glaciers;violins;coins;ghosts;sailing;bridges;wine;volcanoes'.split(
    ';',
  );
/** The first topics are asked about in tests alone. */
const [fresh, practiced] = [topics.slice(0, 12), topics.slice(12)];
const likes = ['walks', 'soup', 'quiet evenings', 'long letters', 'early mornings', 'rain'];

interface Case {
  readonly prompt: string;
  readonly probe: Probe;
  readonly lines: number;
}

export default async function run({ card = 'boundaries', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'fresh characters');
  const cases = Array.from({ length: 40 }, () => casesOf(random, String(card), fresh)).flat();
  const lessons = () => {
    const dice = rng(Number(seed), 'characters');
    return Array.from({ length: 240 }, (_, i) => casesOf(dice, i % 2 === 0 ? 'boundaries' : 'neutral', practiced)).flatMap(lessonsOf);
  };
  const model = await taught({ key: 'boundaries', server: String(server), seed: Number(seed), lessons, steps: 120, answer: 32 });
  const replies = await model.answers(cases.map(({ prompt }) => prompt));
  const refusalFor = (gold: string) => {
    const group = cases.flatMap(({ probe }, i) => (probe.gold === gold ? [readReply(replies[i]) === 'refuse'] : []));
    return group.filter((refused) => refused).length / group.length;
  };
  const [conflicts, twins] = [refusalFor('refuse'), refusalFor('answer')];
  return { difference: conflicts - twins, conflicts, twins, lines: cases.reduce((sum, { lines }) => sum + lines, 0) };
}

/** The questions about topics that a new character is asked, under its card. */
function casesOf(random: Rng, card: string, list: readonly string[]): readonly Case[] {
  const name = random.pick(names);
  const order = random.shuffle(list);
  const knows = order.slice(0, 4).map((topic) => ({ topic, depth: 'expert' }));
  const cannotKnow = order.slice(4, 8).map((topic) => ({ topic }));
  const persona = parsePersona({
    name,
    identity: { social: { occupation: { title: random.pick(jobs) } } },
    knowledge: { knows, cannotKnow, onUnknown: 'guess_in_character' },
  } as Json);
  const sections = renderPersona(persona).flatMap(({ text }) => (text === '' ? [] : text.split('\n')));
  const isBoundary = (text: string) => topics.some((topic) => text.includes(topic));
  const neutral = sections.map((text, i) => (isBoundary(text) ? `- You like ${likes[i % likes.length]}` : text));
  const lines = card === 'boundaries' ? sections : neutral;
  const boundaryCount = card === 'boundaries' ? lines.filter(isBoundary).length : 0;
  return knowledgeProbes(persona, 12, random.int(2 ** 31))
    .filter(({ source }) => topics.includes(source))
    .map((probe) => ({ prompt: `${lines.join('\n')}\n\n${probe.turns[0]}`, probe, lines: boundaryCount }));
}

function lessonsOf(cases: readonly Case[]): readonly Lesson[] {
  return cases.map(({ prompt, probe: { gold, source } }) => ({
    prompt,
    answer: gold === 'refuse' ? `I do not know about ${source}.` : `I can tell you much about ${source}.`,
  }));
}
