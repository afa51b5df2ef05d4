/**
 * @file Training data for a player: conversations, half of which contradict the profile. A reader, a language model trained on other
 * people, aligns every sentence with the profile, and contradicted entries are retired.
 *
 * Options: rows ("aligned", "unadjusted", or "lines": adjusted, without the alignments as questions), server, seed. Prints the share of
 * new people's questions that the player answers according to the profile.
 */

import { renderPersona } from '@ludus-agents/agents/internal/personas/render';
import { lexicalEmbedder } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import type { Nli } from '@ludus-agents/evaluation/internal/scoring/small/small';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { alignRun } from '@ludus-agents/learning/internal/align-run';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { lessonFrom, personOf, promptFrom, questionTo, storedTalk, subjects } from './_talks.ts';
import { type Lesson, type TaughtModel, taught } from './_taught.ts';

export default async function run({ rows = 'aligned', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const place = { server: String(server), seed: Number(seed) };
  const reader = await taught({
    ...place,
    key: 'aligner',
    steps: 100,
    answer: 8,
    lessons: () => readingLessons(rng(place.seed, 'reading')),
  });
  const nli = rows === 'unadjusted' ? blindReader : readerBy(reader);
  const random = rng(place.seed, 'people');
  const talks = Array.from({ length: 120 }, () => {
    const { persona, values } = personOf(random);
    const order = random.shuffle(subjects.map((_, i) => i));
    const denies = order.map(() => random.next() < 0.5);
    const exchanges = order.map((i) => ({
      asked: random.pick(subjects[i].asked),
      said: denies[i] ? subjects[i].denied : subjects[i].said(values[i]),
    }));
    return { persona, exchanges, denied: denies.filter((each) => each).length };
  });
  const reports = await forEachOf(talks, async ({ persona, exchanges }) =>
    alignRun({ ...(await storedTalk(persona, exchanges)), nli, embedder: lexicalEmbedder }),
  );
  const all = reports.flatMap((report) => report.rows).filter(({ messages }) => rows !== 'lines' || messages[0].role === 'system');
  const lessons = () => all.map(({ messages }) => lessonFrom(messages));
  const player = await taught({ ...place, key: `player ${rows}`, steps: 240, rows: 16, answer: 32, lessons });
  const fresh = rng(place.seed, 'new people');
  const questions = Array.from({ length: 30 }, () => personOf(fresh)).flatMap(({ persona, values }) => {
    const system = renderPersona(persona)
      .map(({ text }) => text)
      .join('\n\n');
    return subjects.map(({ fresh: content }, i) => ({
      prompt: promptFrom([{ role: 'system', content: system }, questionTo(content)]),
      value: values[i],
    }));
  });
  const answers = await player.answers(questions.map(({ prompt }) => prompt));
  const right = answers.filter((text, i) => text.toLowerCase().includes(questions[i].value.toLowerCase())).length / answers.length;
  const retired = reports.reduce((sum, { changes }) => sum + changes.length, 0);
  return { right, retired, denied: talks.reduce((sum, { denied }) => sum + denied, 0), rows: all.length };
}

const relations = ['shows', 'contradicts', 'neither'] as const;

function readingPrompt(premise: string, hypothesis: string): string {
  return `Profile: ${premise}\nSentence: ${hypothesis}\nDoes the sentence show this, contradict it, or neither?`;
}

/** Sentences of other people, each with an entry that it shows, contradicts, or has nothing to do with. */
function readingLessons(random: Rng): readonly Lesson[] {
  return Array.from({ length: 1500 }, () => {
    const { persona, values } = personOf(random);
    const [i, other] = random.shuffle(subjects.map((_, at) => at));
    const relation = random.pick(relations);
    const hypothesis = relation === 'contradicts' || random.next() < 0.3 ? subjects[i].denied : subjects[i].said(values[i]);
    const entry = relation === 'neither' ? other : i;
    const answer = entry === other ? 'neither' : hypothesis === subjects[i].denied ? 'contradicts' : 'shows';
    return { prompt: readingPrompt(persona.statements[entry].text, hypothesis), answer };
  });
}

function readerBy(model: TaughtModel): Nli {
  return {
    ...{ name: 'taught reader', basis: 'model' },
    async classify(pairs) {
      const answers = await model.answers(pairs.map(({ premise, hypothesis }) => readingPrompt(premise, hypothesis)));
      return answers.map((text) => ({
        entails: +(text === 'shows'),
        neutral: +(text === 'neither'),
        contradicts: +(text === 'contradicts'),
      }));
    },
  };
}

/** Finds that no sentence bears on anything: no entry is retired. */
const blindReader: Nli = {
  ...{ name: 'none', basis: 'model' },
  classify: async (pairs) => pairs.map(() => ({ entails: 0, neutral: 1, contradicts: 0 })),
};
