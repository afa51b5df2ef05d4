/**
 * @file MMAT-1M (arXiv 2507.21924): rationales with tool calls and a reflection. The model reasons and writes a program, the program is
 * run, and a second pass rewrites the reasoning so that it is consistent with the result.
 */

import type { ChatMessage } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { definePipeline, findLabelled, plainText, questionAt } from './pipeline.ts';

const labels = ['thought', 'code', 'answer'];

export const mmat = definePipeline({
  name: 'mmat',
  about: 'rationales with calls of a tool that are really made, and a reflection that removes contradictions',
  source: 'MMAT-1M, arXiv 2507.21924',
  differs: 'texts alone, one tool that runs programs; multi-turn rows',
  takes: 'questions',
  proof: 'the program is run, its result is in the rationale word for word, and the answer is the known one',
  async make(steps) {
    const question = questionAt(steps.source, steps.item);
    if (question === null) return { refused: 'there are no questions' };
    const facts = { ...question, choices: [...(question.choices ?? [])] };
    const draft = await steps.ask('rationale', rationalePrompt(question.question), { facts });
    const [thought, written] = [findLabelled(draft, 'thought', labels), findLabelled(draft, 'code', labels)];
    if (thought === null || written === null) return { refused: 'the rationale had no thought or no code' };
    const code = written.replace(/^```\w*\n?|```$/g, '').trim();
    const result = await steps.run('tool', code);
    if (!result.ok) return { refused: 'the program failed' };
    const value = readValue(result.text);
    const speech = await steps.ask('reflection', reflectionPrompt(question.question, { draft, value }), {
      facts: { ...facts, thought, value },
    });
    const [revised, answer] = [findLabelled(speech, 'thought', labels), findLabelled(speech, 'answer', labels)];
    if (revised === null || answer === null) return { refused: 'the reflection had no thought or no answer' };
    const problem = contradiction(revised, value);
    if (problem !== null) return { refused: problem };
    if (plainText(answer) !== plainText(question.answer)) return { refused: 'the answer was wrong' };
    const call = { id: 'call-1', name: 'run_code', arguments: { code } };
    const messages: readonly ChatMessage[] = [
      { role: 'user', content: question.question },
      { role: 'assistant', content: firstSentence(revised), toolCalls: [call] },
      { role: 'tool', content: value, toolCallId: call.id, name: call.name },
      { role: 'assistant', content: `${revised}\nAnswer: ${answer}` },
    ];
    return { kept: { key: plainText(question.question), messages, facts: { code, result: value, answer: question.answer } } };
  },
  standIn({ step, facts, dice }) {
    const answer = String(facts['answer']);
    if (step === 'rationale') {
      const wrong = dice.next() < 0.5;
      return `Thought: I calculate it.${wrong ? ` At a glance the result is ${answer}7.` : ''}\nCode: return ${JSON.stringify(answer)};`;
    }
    const isCorrupted = dice.next() < 0.1;
    return `Thought: I calculate it.${isCorrupted ? ` The result is ${answer}7.` : ` The result is ${facts['value']}.`}\nAnswer: ${answer}`;
  },
});

/** A result as quoted in text: strings without their quotes. */
function readValue(text: string): string {
  const [first = ''] = text.split('\nprinted:\n');
  return first.replace(/^"([\s\S]*)"$/, '$1').trim();
}

/** A rationale may name only the actual result. */
function contradiction(thought: string, value: string): string | null {
  const claimed = [...thought.matchAll(linear(/\bresult (?:is|was|of \S+ is)\s+(\S+)/gi))].map(([, item]) => plainText(item));
  if (!plainText(thought).includes(plainText(value))) return 'the rationale does not quote the result';
  return claimed.every((item) => item === plainText(value)) ? null : 'the rationale contradicts the result';
}

function firstSentence(text: string): string {
  return linear(/^[\s\S]*?[.!?](?=\s|$)/).exec(text)?.[0] ?? text;
}

function rationalePrompt(question: string): string {
  return `Question: ${question}\n\nThink, and write the body of a JavaScript function that returns the answer.\nUse this form:\nThought: …\nCode: …`;
}

function reflectionPrompt(question: string, { draft, value }: { readonly draft: string; readonly value: string }): string {
  return `Question: ${question}\n\nA first try:\n${draft}\n\nThe program was run and gave: ${value}\n\nRewrite the thought so that it is consistent with what came out: remove every claim that contradicts it, and say "The result is ${value}." Then answer.\nUse this form:\nThought: …\nAnswer: …`;
}
