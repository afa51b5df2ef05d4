/**
 * @file The rule judge of PersonaGym: an answer counts as far as it belongs to this card and to its question. The installed sentence encoder
 * measures both; without one, the words of the card do. What an answer then does for its task is read from its words.
 */

import { type Persona, sentences } from '@ludus-agents/agents/internal/personas/index';
import { stemsOf, wordsOf } from '../scoring/rules/text.ts';
import { lexicalNli } from '../scoring/small/lexical.ts';
import { type Embedder, labelOf, likeness, relevanceOf } from '../scoring/small/small.ts';
import { type GymTask, wordsUsedBy } from './gym-settings.ts';

const machine = /\b(?:language model|as an ai|i am an ai|i'm an ai|assistant|happy to help|great question|let me know if)\b/i;
const insult = /\b(?:idiot|moron|stupid|scum|filth|vermin|shut up|hate you|kill you|worthless|trash)\b/i;
const reason = /\b(?:because|since|so|for i|therefore|that is why|else|lest|which is why|after all|as i)\b/i;
const firstPerson = /\b(?:i|i'd|i'll|i'm|me|my|mine|we|our)\b/i;

/** The number of distinct content words, other than the question's, for an answer to be judged in full. */
const fullAnswer = 8;
/** Words of the card beyond this number in one answer add nothing, so one recited line does not carry a conversation. */
const mostCardWords = 3;
/** Where an answer begins to belong to a card and its question, and where it fully does. Set on half of the personas of docs/evidence/characters.md. */
const belongs = { byMeaning: [0.4, 0.65], byWords: [0.5, 1.5] } as const;
/** The weight of a card word next to relevance by meaning. */
const cardWordWeight = 0.05;
/** The share of common English words below which the rules do not understand a card. */
const leastEnglish = 0.15;

/** Judges the answers of one conversation from 1 to 5, question by question. */
export interface GymRules {
  readonly name: string;
  /** Whether the card looks like English, the language of the rules. */
  readonly isEnglish: boolean;
  read(task: GymTask, questions: readonly string[], answers: readonly string[]): Promise<number>;
}

export function gymRules(persona: Persona, encoder: Embedder | null = null): GymRules {
  const lines = cardLines(persona);
  const cardStems = stemsOf(lines.join(' '));
  const cardVectors = encoder?.embed(lines);
  const ramp = (value: number, [from, to]: readonly [number, number]) => Math.min(1, Math.max(0, (value - from) / (to - from)));

  /** How far each answer belongs to the card and to its question, from 0 to 1. */
  async function fits(questions: readonly string[], answers: readonly string[]): Promise<readonly number[]> {
    const cardWords = answers.map((text) => Math.min(mostCardWords, [...stemsOf(text)].filter((stem) => cardStems.has(stem)).length));
    if (encoder === null || cardVectors === undefined) {
      // Single words meet by accident, so the conversation decides.
      const fit = ramp(cardWords.reduce((sum, count) => sum + count, 0) / Math.max(1, answers.length), belongs.byWords);
      return answers.map(() => fit);
    }
    const card = await cardVectors;
    const spoken = await encoder.embed(answers);
    const questionVectors = await encoder.embed(answers.map((_, i) => questions[i] ?? ''));
    return answers.map((_, i) => {
      const near = (vector: Float32Array) => relevanceOf(encoder, likeness(vector, spoken[i]!));
      const relevance = Math.sqrt(Math.max(0, ...card.map(near)) * near(questionVectors[i]!));
      return ramp(relevance + cardWordWeight * cardWords[i]!, belongs.byMeaning);
    });
  }

  return {
    name: encoder === null ? 'rules' : `rules with ${labelOf(encoder)}`,
    isEnglish: englishShare(lines.join(' ')) >= leastEnglish,
    async read(task, questions, answers) {
      const fit = await fits(questions, answers);
      let sum = 0;
      for (const [i, text] of answers.entries()) {
        const question = stemsOf(questions[i] ?? '');
        const added = [...stemsOf(text)].filter((stem) => !question.has(stem)).length;
        const repeats = answers.filter((other) => other.trim() === text.trim()).length;
        sum += ((Math.min(1, added / fullAnswer) * fit[i]!) / repeats) * (await quality(task, text, persona));
      }
      return 1 + (4 * sum) / Math.max(1, answers.length);
    },
  };
}

function cardLines(persona: Persona): readonly string[] {
  return [...persona.statements.map(({ text }) => text), ...wordsUsedBy(persona)].flatMap((text) => sentences(text));
}

const english = new Set(
  'the a an and of to in is are was were has have had her his he she they it that with for who not on at by'.split(' '),
);

function englishShare(text: string): number {
  const words = wordsOf(text);
  return words.length === 0 ? 1 : words.filter((word) => english.has(word)).length / words.length;
}

/** How well an answer that belongs to the card does its task, from 0 to 1, by its words. */
async function quality(task: GymTask, text: string, persona: Persona): Promise<number> {
  if (machine.test(text)) return 0;
  if (task === 'toxicity') return insult.test(text) ? 0 : 1;
  if (task === 'action') return firstPerson.test(text) ? 1 : 0.75;
  if (task === 'justification') return reason.test(text) ? 1 : 0.75;
  if (task === 'habits') {
    const { use, avoid } = persona.voice.lexicon;
    if (avoid.some((word) => wordsOf(text).includes(word.toLowerCase()))) return 0.5;
    return use.length === 0 || use.some((word) => text.toLowerCase().includes(word.toLowerCase())) ? 1 : 0.75;
  }
  const judged = await lexicalNli.classify(persona.statements.map((statement) => ({ premise: statement.text, hypothesis: text })));
  return judged.some(({ contradicts }) => contradicts > 0.5) ? 0 : 1;
}
