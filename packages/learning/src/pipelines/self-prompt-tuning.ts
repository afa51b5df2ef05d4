/**
 * @file Self-Prompt Tuning (arXiv 2407.08995): an expert role is written for each question, the question is answered in that role, and a
 * model is trained to write both: its own role first, then the answer.
 */

import { definePipeline, findLabelled, plainText, questionAt } from './pipeline.ts';

export const selfPromptTuning = definePipeline({
  name: 'self-prompt-tuning',
  about: 'expert role prompts with their questions, written by the model for itself',
  source: 'Self-Prompt Tuning, arXiv 2407.08995',
  differs: 'kept only where the answer under the role is the known one',
  takes: 'questions',
  proof: 'the answer under the role equals the known one; a committee agrees that the role fits the question',
  async make(steps) {
    const question = questionAt(steps.source, steps.item);
    if (question === null) return { refused: 'there are no questions' };
    const topic = question.topic ?? 'the matter';
    const facts = { ...question, topic, choices: [...(question.choices ?? [])] };
    const role = (
      await steps.ask(
        'role',
        `Question: ${question.question}\n\nWrite one or two sentences that begin with "You are" and describe the expert who is best at exactly this question. Write nothing else.`,
        { facts },
      )
    ).trim();
    if (!/^you are\b/i.test(role)) return { refused: 'the role did not begin with "You are"' };
    const speech = await steps.ask(
      'answer',
      [
        { role: 'system', content: role },
        { role: 'user', content: `${question.question}\nThink briefly, then end with a line "Answer: …".` },
      ],
      { facts },
    );
    const answer = findLabelled(speech, 'answer', ['answer']);
    if (answer === null) return { refused: 'no answer was given' };
    if (plainText(answer) !== plainText(question.answer)) return { refused: 'the answer was wrong' };
    const fits = await steps.agree(
      'judge',
      `Question: ${question.question}\nExpert: "${role}"\n\nDoes the expert's field fit this question in particular, and not just any question? Answer yes or no.`,
      { facts: { ...facts, role } },
    );
    if (!fits) return { refused: 'the committee did not agree' };
    return {
      kept: {
        key: plainText(question.question),
        messages: [
          { role: 'user', content: question.question },
          { role: 'assistant', content: `${role}\n\n${speech.trim()}` },
        ],
        facts: { role, topic, answer: question.answer },
      },
    };
  },
  standIn({ step, facts, dice }) {
    const topic = String(facts['topic']);
    if (step === 'role') return `You are an expert in ${topic} who has taught it for years.`;
    if (step === 'answer') {
      const wrong = dice.next() < 0.1;
      return `This is a question of ${topic}.\nAnswer: ${wrong ? `${facts['answer']}0` : facts['answer']}`;
    }
    return String(facts['role']).includes(topic) ? 'Yes.' : 'No.';
  },
});
