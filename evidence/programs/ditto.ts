/**
 * @file Ditto: a model that was trained to work through the pipeline on other people writes dialogues of 12 new people with their
 * profile in view. The dialogues that the pipeline accepts train a second model, which is then tested without the profile.
 *
 * Options: profile ("own", or "other": another person's facts under the same name), server, seed. Prints the share of right answers to
 * questions in new wordings.
 */

import { type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { ditto } from '@ludus-agents/learning/internal/pipelines/ditto';
import type { MadeItem, MakeSteps, RoleProfile } from '@ludus-agents/learning/internal/pipelines/pipeline';
import type { ProgramOptions } from '../arms.ts';
import { type Lesson, taught } from './_taught.ts';

const kinds = [
  {
    fact: 'lives in',
    values: ['Arle', 'Brin', 'Colt', 'Dunmore', 'Elva', 'Fenwick', 'Garth', 'Holt'],
    asks: ['Where do you live?', 'Where is your home?'],
    fresh: 'In which town do you live?',
  },
  {
    fact: 'works as a',
    values: ['baker', 'nurse', 'teacher', 'driver', 'cook', 'sailor', 'farmer', 'clerk'],
    asks: ['What is your work?', 'What do you do for a living?'],
    fresh: 'What is your job?',
  },
  {
    fact: 'plays the',
    values: ['flute', 'drum', 'harp', 'organ', 'violin', 'horn', 'cello', 'lute'],
    asks: ['What do you play?', 'Which instrument is yours?'],
    fresh: 'Which instrument do you play?',
  },
  {
    fact: 'owns a',
    values: ['goat', 'parrot', 'mule', 'ferret', 'hawk', 'cat', 'pony', 'turtle'],
    asks: ['Which animal is yours?', 'What animal do you own?'],
    fresh: 'Do you own an animal? Which one?',
  },
] as const;
const syllables = ['ba', 'ko', 'li', 'mu', 'ne', 'ra', 'so', 'ti', 'vu', 'ze'];
const refusal = 'I do not know that.';

export default async function run({ profile = 'own', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'ditto');
  const [students, people] = [Array.from({ length: 60 }, () => personOf(random)), Array.from({ length: 12 }, () => personOf(random))];
  const place = { server: String(server), seed: Number(seed) };
  const writer = await taught({ ...place, key: 'ditto writer', answer: 64, lessons: () => pipelineLessons(students, random) });
  const dialogues: MadeItem[] = [];
  await Promise.all(
    people.map(async (person, i) => {
      const other = people[(i + 1) % people.length];
      const source =
        profile === 'own'
          ? person
          : { ...person, facts: other.facts.map((fact) => ({ ...fact, text: fact.text.replace(other.name, person.name) })) };
      for (let item = 0; item < 16; item++) {
        const ask = async (_: string, prompt: unknown) => (await writer.answers([textIn(prompt)]))[0];
        const outcome = await ditto.make(stepsOf(source, { others: [other], item, dice: rng(Number(seed), person.name, item), ask }));
        if ('kept' in outcome) dialogues.push(outcome.kept);
      }
    }),
  );
  const lessons = dialogues.map(
    ({ messages }): Lesson => ({ prompt: `${messages[0].content}\n${messages[1].content}`, answer: messages[2].content }),
  );
  if (lessons.length === 0) return { right: 0, kept: 0 };
  const student = await taught({ ...place, key: `ditto student ${profile}`, steps: 80, lessons: () => lessons });
  const questions = people.flatMap(({ card, facts }) =>
    facts.map(({ keys }, i) => ({ prompt: `${card}\n${kinds[i].fresh}`, key: keys[0] })),
  );
  const answers = await student.answers(questions.map(({ prompt }) => prompt));
  return {
    right: questions.filter(({ key }, i) => answers[i].toLowerCase().includes(key)).length / questions.length,
    kept: lessons.length,
  };
}

function personOf(random: Rng): RoleProfile {
  const name = Array.from({ length: 3 }, () => random.pick(syllables))
    .join('')
    .replace(/^./, (letter) => letter.toUpperCase());
  const facts = kinds.map(({ fact, values }) => {
    const value = random.pick(values);
    return { text: `${name} ${fact} ${value}.`, keys: [value.toLowerCase()] };
  });
  return { name, card: `You are ${name}.`, facts };
}

/** What the model is asked in the pipeline, with replies written by rule. */
async function pipelineLessons(people: readonly RoleProfile[], random: Rng): Promise<readonly Lesson[]> {
  const lessons: Lesson[] = [];
  for (const [i, person] of people.entries())
    for (let item = 0; item < 8; item++) {
      const ask = async (step: string, prompt: unknown, options?: { readonly facts?: JsonObject }) => {
        const answer = replyOf(step, options?.facts ?? {}, random);
        lessons.push({ prompt: textIn(prompt), answer });
        return answer;
      };
      await ditto.make(stepsOf(person, { others: [people[(i + 1) % people.length]], item, dice: random, ask }));
    }
  return lessons;
}

function replyOf(step: string, facts: JsonObject, random: Rng): string {
  const fact = String(facts['fact']);
  const kind = kinds.find((each) => fact.includes(` ${each.fact} `))!;
  if (step === 'query') return facts['inRole'] === true ? random.pick(kind.asks) : `What do you know about ${fact.split(' ')[0]}?`;
  if (step === 'judge') return 'Yes.';
  if (facts['inRole'] !== true) return `Answer: ${refusal}\nEvidence: NONE`;
  return `Answer: ${fact}\nEvidence: ${fact}`;
}

interface StepSetup {
  readonly others: readonly RoleProfile[];
  readonly item: number;
  readonly dice: Rng;
  readonly ask: MakeSteps['ask'];
}

function stepsOf(profile: RoleProfile, { others, item, dice, ask }: StepSetup): MakeSteps {
  return {
    ...{ item, dice, ask, judges: 0, source: { kind: 'persona', profile, others } },
    run: async () => ({ ok: false, text: '' }),
    poll: async (step, prompt, options) => [await ask(step, prompt, options)],
    agree: async (step, prompt, options) => /^\W*yes\b/i.test(await ask(step, prompt, options)),
    reads: (reply) => (reply.includes(refusal) ? 'refuse' : 'answer'),
  };
}

function textIn(prompt: unknown): string {
  return typeof prompt === 'string' ? prompt : (prompt as readonly { readonly content: string }[]).map(({ content }) => content).join('\n');
}
