/** @file What a character feels and how it stands to others, in a few lines, from the mind in the log. */

import { authoredMind } from '@ludus-agents/agents/internal/authored';
import { type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

/** By rules in the document, or by the moods of a language agent; a sentence where there is neither. */
export function moodText(mind: Json | undefined): string {
  const authored = authoredMind(mind);
  const signed = (value: number) => `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`;
  if (authored !== null) {
    const felt = Object.entries(authored.felt).map(([emotion, intensity]) => `${emotion} ${intensity.toFixed(1)}`);
    const stands = Object.entries(authored.affinity).map(([who, value]) => `${printable(who)} ${signed(value)}`);
    const goals = Object.entries(authored.goals).map(([goal, chance]) => `${printable(goal)} ${chance.toFixed(2)}`);
    const parts = [
      `mood ${signed(authored.mood)} of 10`,
      felt.length === 0 ? 'feels nothing in particular' : `feels ${felt.join(', ')}`,
      ...(stands.length === 0 ? [] : [`towards ${stands.join(', ')}`]),
      ...(goals.length === 0 ? [] : [`chances of goals: ${goals.join(', ')}`]),
    ];
    return parts.join('; ');
  }
  const affect = isObject(mind) && isObject(mind['affect']) ? mind['affect'] : null;
  if (affect === null || !Array.isArray(affect['mood']))
    return 'Nothing is known of a mood: it has no rules and no moods, or has not spoken yet.';
  const [pleasure = 0, arousal = 0, dominance = 0] = affect['mood'] as readonly number[];
  const felt = (Array.isArray(affect['felt']) ? affect['felt'] : []).flatMap((item: Json) =>
    isObject(item) ? [`${item['emotion']}`] : [],
  );
  return `pleasure ${signed(pleasure)}, arousal ${signed(arousal)}, dominance ${signed(dominance)}${felt.length === 0 ? '' : `; feels ${felt.join(', ')}`}`;
}
