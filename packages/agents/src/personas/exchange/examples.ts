/** @file Example dialogue in the format of cards: blocks that begin with <START>, lines that begin with a speaker. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Example, ExampleTurn } from '../persona.ts';

const speakers: Readonly<Record<string, string>> = { '{{char}}': 'char', '<bot>': 'char', '{{user}}': 'user', '<user>': 'user' };

/** Blocks of turns. A line without a speaker continues the turn before it; before any turn, it has no speaker. */
export function readExamples(text: string, name: string): readonly Example[] {
  return text
    .split(/^[ \t]*<START>[ \t]*$/im)
    .flatMap((block) => block.split(/<START>/i))
    .map((block) => readTurns(block, name))
    .filter((turns) => turns.length > 0)
    .map((turns, i) => ({ id: `e${i + 1}`, turns, tags: [] }));
}

export function writeExamples(examples: readonly Example[]): string {
  return examples.map(({ turns }) => `<START>\n${turns.map(lineOf).join('\n')}`).join('\n');
}

function readTurns(block: string, name: string): readonly ExampleTurn[] {
  const turns: { speaker: string; lines: string[] }[] = [];
  for (const line of block.replaceAll('\r\n', '\n').split('\n')) {
    const match = linear(/^\s*(\{\{(?:char|user)\}\}|<(?:bot|user)>|[^\s:*"][^:*"\n]{0,40}?)\s*:\s?(.*)$/i).exec(line);
    const last = turns.at(-1);
    if (match !== null) turns.push({ speaker: speakerOf(match[1]!, name), lines: [match[2]!] });
    else if (last !== undefined) last.lines.push(line);
    else if (line.trim() !== '') turns.push({ speaker: 'narrator', lines: [line] });
  }
  return turns.map(({ speaker, lines }) => ({ speaker, speech: lines.join('\n').trim() })).filter((turn) => turn.speech !== '');
}

function speakerOf(label: string, name: string): string {
  return speakers[label.toLowerCase()] ?? (label === name ? 'char' : label);
}

function lineOf({ speaker, speech, action, thought }: ExampleTurn): string {
  const text = [thought && `(${thought})`, action && `*${action}*`, speech].filter((part) => part).join(' ');
  if (speaker === 'narrator') return text;
  return `${speaker === 'char' || speaker === 'user' ? `{{${speaker}}}` : speaker}: ${text}`;
}
