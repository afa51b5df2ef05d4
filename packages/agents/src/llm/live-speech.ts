/** @file An answer while it is still being written: the words spoken aloud, and no thoughts. */

import type { Model } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** A model whose answers can be listened to. */
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
/** An answer that has come so far without a label has none: it is all speech. */
const unlabelled = 80;

/** The spoken part of an unfinished answer. Later pieces only ever add to it, except where a model fixes its form halfway. */
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
