/**
 * @file Escapes text from outside: parts that a chat template, or our own prompt, would parse as a role, a turn, or the end of a block stay
 * visible but lose their meaning.
 *
 * Tokens are matched by the families that templates use (ChatML and its kin, Llama 2 to 4, Mistral, Gemma, DeepSeek, GLM, Cohere, Phi,
 * Granite, Baichuan, MiniMax, EXAONE, Nemotron, OpenChat, Falcon, RWKV, Hermes tools, "Human:" and "### Instruction:" lines). Their
 * brackets become look-alikes, ‹ › and ⟦ ⟧, and the colon of a role at the beginning of a line becomes ∶, so people and models can still
 * read the original text.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The blocks of our prompts. */
export const blocks = ['now', 'lore', 'earlier', 'records', 'answer-a', 'answer-b'] as const;
export type Block = (typeof blocks)[number];

const markers = [
  ...blocks,
  ...['s', 'bos', 'eos', 'pad', 'unk', 'sop', 'eop', 'eod', 'mask', 'bot', 'start', 'end', 'sep', 'cls'],
  ...['start_of_turn', 'end_of_turn', 'start_of_image', 'end_of_image', 'end_of_utterance', 'fake_token_around_image', 'image_soft_token'],
  ...['system', 'user', 'assistant', 'human', 'model', 'developer', 'tool', 'instruction', 'instructions', 'system_prompt', 'sys'],
  ...['think', 'thinking', 'reasoning', 'tool_call', 'tool_calls', 'tool_response', 'tool_result', 'tools', 'tool_code', 'function_call'],
  ...['function_calls', 'function_results', 'invoke', 'eoh', 'eoa', 'role', 'message', 'channel', 'turn', 'begin_of_text', 'end_of_text'],
  ...['BOS_TOKEN', 'EOS_TOKEN', 'PAD_TOKEN', 'endoftext', 'im_start', 'im_end', 'eot_id', 'extra_id_\\d+', 'reserved_\\w+', 'unused\\d+'],
  ...['seed:\\w+', 'antml:\\w+', '\\w+_token', 'SPECIAL_\\d+'],
].join('|');

const squareWords = [
  ...['INST', 'SYSTEM_PROMPT', 'AVAILABLE_TOOLS', 'TOOL_CALLS', 'TOOL_RESULTS', 'TOOL_CONTENT'],
  ...['USER', 'BOT', 'ASSISTANT', 'SYSTEM', 'HUMAN', 'AI', 'MODEL'],
  ...['gMASK', 'sMASK', 'BOS', 'EOS', 'ARGS', 'CALL_ID', 'THINK', 'MODEL_SETTINGS'],
].join('|');

const roles = 'human|assistant|user|system|model|developer|tool|ai|bot|instruction|response|input|gpt|gpt4|falcon|rwkv';

/** What may stand inside a token, or around a role, and looks like nothing or like a blank: spaces of every width, letters of none.
 * Bounded, so that a line of blanks costs no more than a line. */
const gap = '[\\s\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0]{0,16}';
/** The same within a line. */
const blank = '\\p{Zs}\\t\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0';
const colon = '[:：﹕]';

/** <|…, <｜…, …|>, …｜>: nearly every template since ChatML. */
const barOpen = new RegExp(`[<＜](${gap})([|｜])`, 'gu');
const barClose = new RegExp(`([|｜])(${gap})[>＞]`, 'gu');
const doubled = new RegExp(`<<(${gap}/?${gap}sys${gap})>>`, 'giu');
const tag = linear(new RegExp(`[<＜](${gap}/?${gap}(?:${markers})(?:[\\s\\p{Cf}][^<>]*)?/?${gap})[>＞]`, 'giu'));
/** An unfinished tag: the text after it could complete it. */
const openTag = new RegExp(`[<＜](?=${gap}/?${gap}(?:${markers})\\b)`, 'giu');
const square = new RegExp(`\\[(${gap}/?${gap}(?:${squareWords})${gap})\\]`, 'gu');
/** [|system|], used by EXAONE. */
const barSquare = linear(new RegExp(`\\[(${gap}[|｜]${gap}/?[\\w-]+${gap}[|｜]${gap})\\]`, 'gu'));
/** >>QUESTION<<, used by Falcon. */
const arrows = linear(new RegExp(`>>(${gap}[A-Z_]+${gap})<<`, 'gu'));
const miniMax = /\]~(!?b)\[|\]~b\]|\[e~\[/g;
/** "GPT4 Correct User:", used by OpenChat: matches anywhere in a line. */
const correct = linear(
  new RegExp(`\\b((?:gpt-?4?|math|code)[${blank}]*correct[${blank}]*(?:user|assistant|system|human)[${blank}]*)${colon}`, 'giu'),
);
const roleLine = linear(new RegExp(`^([${blank}>*#_"']*(?:${roles})[${blank}*_"']*)${colon}`, 'gimu'));
const heading = linear(new RegExp(`###(?=[${blank}]{0,40}(?:instruction|response|input|human|assistant|system|user)\\b)`, 'giu'));
/** Invisible letters that split a token when a look-alike is built from it. Joiners stay, because scripts and emoji need them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/gu;

/** Most texts contain none of these characters and need only one test. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const suspect = /[<＜>＞[\]|｜#\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u2060\ufeff\u2028\u2029\u0085]|\p{Cf}|[:：﹕]/u;

/** Escapes a text, so that it cannot imitate other speakers or blocks. */
export function inert(text: string): string {
  if (!suspect.test(text)) return text;
  return text
    .replace(unseen, '')
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(arrows, '››$1‹‹')
    .replace(doubled, '‹‹$1››')
    .replace(barOpen, '‹$1$2')
    .replace(barClose, '$1$2›')
    .replace(tag, '‹$1›')
    .replace(openTag, '‹')
    .replace(square, '⟦$1⟧')
    .replace(barSquare, '⟦$1⟧')
    .replace(miniMax, (match) => match.replaceAll('[', '⟦').replaceAll(']', '⟧'))
    .replace(heading, '＃＃＃')
    .replace(correct, '$1∶')
    .replace(roleLine, '$1∶');
}

/** The same on one line, for names: a name cannot start a new line. */
export function inertName(name: string): string {
  return inert(name.replace(/\s+/g, ' ').trim()).slice(0, 80);
}

/** One of our blocks around a text that is already escaped. */
export function block(name: Block, text: string): string {
  return `<${name}>\n${text}\n</${name}>`;
}
