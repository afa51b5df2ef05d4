/**
 * @file Meta probing agents (MPA): questions are rewritten, each by a principle of an ability, with unchanged answers. The writing model
 * has no vote: code preserves the answer, and judges, if any are named, decide whether it is still the same question. No model has to solve
 * it, so that hard probes are not discarded.
 */

import { definePipeline, type KnownQuestion, plainText, questionAt } from './pipeline.ts';

interface Principle {
  readonly ability: string;
  /** The model's instructions for the question; null if code makes the change alone. */
  readonly rewrite: string | null;
  /** Whether an additional wrong choice is requested. */
  readonly further: boolean;
}

const principles: Readonly<Record<string, Principle>> = {
  paraphrase: { ability: 'language understanding', rewrite: 'Say it in other words; keep every number and name.', further: false },
  context: {
    ability: 'problem solving',
    rewrite: 'Add one or two sentences of context before it that change nothing about the answer; keep the question.',
    further: false,
  },
  permutation: { ability: 'language understanding', rewrite: null, further: false },
  'further choice': { ability: 'domain knowledge', rewrite: null, further: true },
};

const names = Object.keys(principles);
const letters = 'ABCDEFGHIJ';

export const mpa = definePipeline({
  name: 'mpa',
  about: 'probing rewrites of questions, by ability, with unchanged answers',
  source: 'MPA, arXiv 2402.14865',
  differs: 'the right choice keeps its words; choices are always shuffled',
  takes: 'questions',
  proof:
    'the right choice is the same text under its new letter, every number and name of the question is kept, and most of the judges that were named say that it asks the same',
  async make(steps) {
    const question = questionAt(steps.source, steps.item);
    if (question === null) return { refused: 'there are no questions' };
    const { choices = [], answer } = question;
    if (choices.length < 2 || choices.length > 8 || !choices.includes(answer))
      return { refused: 'the question has no choices with the answer among them' };
    const number = steps.source.kind === 'questions' ? Math.floor(steps.item / steps.source.questions.length) + steps.item : 0;
    const name = names[number % names.length];
    const principle = principles[name];
    const facts = { ...question, choices: [...choices] };
    const text = principle.rewrite === null ? question.question : await rewritten(steps, question, principle.rewrite);
    if (text === null) return { refused: 'the rewrite lost a number or a name' };
    const further = principle.further ? await furtherChoice(steps, question) : null;
    if (principle.further && further === null) return { refused: 'the further choice was none' };
    const visible = steps.dice.shuffle([...choices, ...(further === null ? [] : [further])]);
    const key = letters[visible.indexOf(answer)];
    const ask = `${text}\n${visible.map((choice, i) => `${letters[i]}. ${choice}`).join('\n')}`;
    const isJudged = steps.judges > 0 && principle.rewrite !== null;
    const same = `Original question: ${question.question}\nNew question: ${text}\n\nDoes the new question have the same answer as the original? Answer yes or no.`;
    if (isJudged && !(await steps.agree('same', same, { facts }))) return { refused: 'the judges say that it asks something else' };
    const probe = {
      input: `${ask}\n\nAnswer with the letter alone.`,
      regex: letterPattern(key),
      ability: principle.ability,
      principle: name,
    };
    return {
      kept: {
        key: plainText(ask),
        messages: [
          { role: 'user', content: ask },
          { role: 'assistant', content: key },
        ],
        facts: {
          ability: principle.ability,
          principle: name,
          original: question.question,
          answer,
          key,
          judged: isJudged,
          cases: [originalCase(question), probe],
        },
      },
    };
  },
  standIn({ step, facts, dice }) {
    if (step === 'rewrite') return dice.next() < 0.15 ? 'Something else altogether?' : `Consider the following. ${facts['question']}`;
    if (step === 'choice') return `${facts['answer']}9`;
    return dice.next() < 0.1 ? 'no' : 'yes';
  },
});

type Steps = Parameters<typeof mpa.make>[0];

async function rewritten(steps: Steps, question: KnownQuestion, how: string): Promise<string | null> {
  const facts = { ...question, choices: [...(question.choices ?? [])] };
  const text = (await steps.ask('rewrite', `Question: ${question.question}\n\n${how} Write the new question alone.`, { facts })).trim();
  // Numbers and names determine a question's answer; a rewrite that loses one asks something else. The first word is capitalized anyway.
  const carriers = question.question.match(/\d+|(?<=[a-z,;] )[A-Z]\w+/g) ?? [];
  return text === '' || carriers.some((carrier) => !text.includes(carrier)) ? null : text;
}

/** The original question with its choices in order, as the baseline of probes. */
function originalCase({ question, choices = [], answer }: KnownQuestion) {
  const list = choices.map((choice, i) => `${letters[i]}. ${choice}`).join('\n');
  const input = `${question}\n${list}\n\nAnswer with the letter alone.`;
  return { input, regex: letterPattern(letters[choices.indexOf(answer)]), ability: 'original', principle: 'none' };
}

/** The letter, alone or first. */
function letterPattern(letter: string): string {
  return `^\\W*${letter}\\b`;
}

async function furtherChoice(steps: Steps, question: KnownQuestion): Promise<string | null> {
  const { choices = [] } = question;
  const prompt = `Question: ${question.question}\nChoices: ${choices.join('; ')}\nThe answer is ${question.answer}.\n\nWrite one more choice that is plausible and wrong. Write it alone.`;
  const text = (await steps.ask('choice', prompt, { facts: { ...question, choices: [...choices] } })).trim();
  return text === '' || choices.some((choice) => plainText(choice) === plainText(text)) ? null : text;
}
