/** @file The spoken part of an answer that is still being generated, without thoughts. */

import type { Model } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Wraps a model to report its answers while they are generated. */
export function overheard(model: Model, hear: (soFar: string) => void): Model {
  return {
    ...model,
    complete(prompt, sampling, signal, onText) {
      let written = '';
      return model.complete(prompt, sampling, signal, (piece) => {
        written += piece;
        hear(speechIn(written));
        onText?.(piece);
      });
    },
  };
}

const label = linear(/^[ \t>*_#-]*(thought|speech|action|remember|plan|memo)[ \t*_]*[:：][ \t*_]*/gim);
/** After this many characters without a label, an answer is all speech. */
const unlabelled = 80;

/** The spoken part of an unfinished answer. Later pieces only append to it, unless a model changes its format halfway. */
export function speechIn(written: string): string {
  const text = written.replace(/<think(?:ing)?>.*?(?:<\/think(?:ing)?>|$)/gis, '').trimStart();
  if (/^(?:```(?:json)?\s*)?\{/.test(text)) {
    const [, speech = ''] = /"speech"\s*:\s*"((?:[^"\\]|\\.)*)/s.exec(text) ?? [];
    return unescapeText(speech);
  }
  const marks = [...text.matchAll(label)];
  if (marks.length === 0) return text.length < unlabelled || text.startsWith('<') ? '' : text;
  const at = marks.findIndex((mark) => mark[1]?.toLowerCase() === 'speech');
  if (at < 0) return '';
  const from = marks[at]!;
  const next = marks[at + 1];
  const spokenText = text.slice(from.index + from[0].length, next?.index);
  // The last line may be the beginning of the next label.
  return (next === undefined ? spokenText.replace(/\n[ \t>*_#-]*\w{0,8}$/, '') : spokenText).trim();
}

function unescapeText(speech: string): string {
  try {
    return JSON.parse(`"${speech.replace(/\\$/, '').replace(/\n/g, '\\n')}"`) as string;
  } catch {
    return speech;
  }
}
