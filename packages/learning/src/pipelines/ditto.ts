/**
 * @file Ditto (arXiv 2401.12474): role dialogues as reading comprehension. Given the whole profile, the model writes a question and answers
 * it in role; the stored item contains only the short card, so that a model learns the role by heart.
 *
 * Every second item is a contrast: a question about another role's knowledge, which this one must not answer.
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { definePipeline, findLabelled, type MakeSteps, type ProfileFact, plainText, type RoleProfile } from './pipeline.ts';

const labels = ['answer', 'evidence'];

export const ditto = definePipeline({
  name: 'ditto',
  about: 'role dialogues as reading comprehension of a profile, with questions in and out of role',
  source: 'Ditto, arXiv 2401.12474',
  differs: 'one persona at a time; contrasts come from the other available personas; evidence must be a sentence of the profile',
  takes: 'persona',
  proof: 'the evidence is in the profile, and the answer has a word of it, or is a refusal out of role; then a committee',
  async make(steps) {
    const { source, item, dice } = steps;
    if (source.kind !== 'persona') return { refused: 'there is no persona' };
    const inRole = item % 2 === 0;
    const of = inRole ? source.profile : dice.pick(source.others);
    return dialogue(steps, { profile: source.profile, inRole, fact: dice.pick(of.facts) });
  },
  standIn({ step, facts, dice }) {
    const { name, fact, inRole, query, answer } = facts as Facts;
    if (step === 'query') {
      const asks = [`What can you tell me about this: ${fact}`, `They say: ${fact} Is it so?`, `Tell me more. Somebody wrote: ${fact}`];
      return `${dice.pick(asks)}`;
    }
    if (step === 'answer') {
      const slip = dice.next() < 0.15;
      if (inRole === slip) return `Answer: I know nothing of that, and I will not make it up.\nEvidence: NONE`;
      return `Answer: So it is, and I, ${name}, say it: ${fact}\nEvidence: ${fact}`;
    }
    return (query ?? '') !== '' && (answer ?? '') !== '' && dice.next() >= 0.02 ? 'Yes.' : 'No.';
  },
});

type Facts = JsonObject & {
  readonly name: string;
  readonly fact: string;
  readonly inRole: boolean;
  readonly query?: string;
  readonly answer?: string;
};

interface Dialogue {
  readonly profile: RoleProfile;
  readonly inRole: boolean;
  /** The subject of the question: a fact of this profile, or of another one. */
  readonly fact: ProfileFact;
}

async function dialogue(steps: MakeSteps, { profile, inRole, fact }: Dialogue) {
  const facts = { name: profile.name, fact: fact.text, inRole };
  const query = (await steps.ask('query', queryPrompt(profile, { inRole, fact }), { facts })).trim();
  if (query === '') return { refused: 'the question was empty' };
  const speech = await steps.ask('answer', answerPrompt(profile, query), { facts: { ...facts, query } });
  const [answer, evidence] = [findLabelled(speech, 'answer', labels), findLabelled(speech, 'evidence', labels)];
  if (answer === null || evidence === null) return { refused: 'the answer had no evidence' };
  const problem = inRole ? inRoleProblem(profile, { answer, evidence, steps }) : outOfRoleProblem({ answer, evidence, fact, steps });
  if (problem !== null) return { refused: problem };
  if (!(await steps.agree('judge', judgePrompt(profile, { query, answer, inRole }), { facts: { ...facts, query, answer } })))
    return { refused: 'the committee did not agree' };
  return {
    kept: {
      key: plainText(query),
      messages: [
        { role: 'system' as const, content: profile.card },
        { role: 'user' as const, content: query },
        { role: 'assistant' as const, content: answer },
      ],
      facts: { role: profile.name, query: inRole ? 'in role' : 'out of role', evidence: inRole ? evidence : null },
    },
  };
}

interface Said {
  readonly answer: string;
  readonly evidence: string;
  readonly steps: MakeSteps;
}

function inRoleProblem({ facts }: RoleProfile, { answer, evidence, steps }: Said): string | null {
  if (steps.reads(answer) === 'refuse') return 'a question in role was refused';
  const quoted = facts.find(({ text }) => plainText(evidence).includes(plainText(text)));
  if (quoted === undefined) return 'the evidence is not in the profile';
  const words = new Set(plainText(answer).split(' '));
  return quoted.keys.length === 0 || quoted.keys.some((key) => words.has(key.toLowerCase()))
    ? null
    : 'the answer does not use its evidence';
}

function outOfRoleProblem({ answer, evidence, fact, steps }: Said & { readonly fact: ProfileFact }): string | null {
  if (!/^\W*none\b/i.test(evidence)) return 'evidence was claimed for a question out of role';
  if (plainText(answer).includes(plainText(fact.text))) return 'a question out of role was answered';
  const reading = steps.reads(answer);
  return reading === 'refuse' || reading === 'correct' ? null : 'a question out of role was answered';
}

function lines({ facts }: RoleProfile): string {
  return facts.map(({ text }) => `- ${text}`).join('\n');
}

function queryPrompt(profile: RoleProfile, { inRole, fact }: Pick<Dialogue, 'inRole' | 'fact'>): string {
  const wanted = inRole
    ? `Write one question that a visitor might ask ${profile.name} and that this sentence of the profile answers: "${fact.text}"`
    : `Write one question that a visitor might ask ${profile.name} about this, which is none of the profile and ${profile.name} cannot know: "${fact.text}"`;
  return `Profile of ${profile.name}:\n${lines(profile)}\n\n${wanted}\nWrite the question alone.`;
}

function answerPrompt(profile: RoleProfile, query: string): string {
  return [
    `Profile of ${profile.name}:`,
    lines(profile),
    '',
    `A visitor asks ${profile.name}: "${query}"`,
    `Answer as ${profile.name} would, in the first person and in character. If the profile does not answer it, say in character that you do not know.`,
    'Then name your evidence: the sentence of the profile, word for word, or NONE.',
    'Use this form:\nAnswer: …\nEvidence: …',
  ].join('\n');
}

function judgePrompt(profile: RoleProfile, { query, answer, inRole }: { query: string; answer: string; inRole: boolean }): string {
  const wanted = inRole
    ? 'Is the answer in character, and does everything it says follow from the profile?'
    : 'Does the answer stay in character and keep from answering what this person cannot know?';
  return `Profile of ${profile.name}:\n${lines(profile)}\n\nVisitor: "${query}"\n${profile.name}: "${answer}"\n\n${wanted} Answer yes or no.`;
}
