import { auditsOf, type EpisodeEvent, type JsonObject, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { fiveTraits, questionnaire } from './questionnaire.ts';

const scripts = questionnaire.scripts as Readonly<Record<string, Script>>;

async function interview(subject: Script, task: JsonObject = {}, interviewer = scripts['interviewer']!): Promise<readonly EpisodeEvent[]> {
  const cast = { interviewer: scriptedPolicy('i', interviewer), subject: scriptedPolicy('s', subject) };
  const [log] = await rollout(questionnaire, cast, { seeds: [7], task });
  return log as readonly EpisodeEvent[];
}

function answersIn(log: readonly EpisodeEvent[]): readonly (number | null)[] {
  const notes = log.filter((event) => event.kind === 'message').filter(({ to }) => to.length === 0);
  const data = notes.at(-1)?.data as unknown as { questionnaire: { items: { answer: number | null }[] } };
  return data.questionnaire.items.map(({ answer }) => answer);
}

describe('thirty-item questionnaire', () => {
  it('has six items per trait, three of them reversed, and two per facet, fifteen apart', () => {
    for (const key of 'EACNO') {
      const ownItems = fiveTraits.items.filter((item) => item.key === key);
      expect([ownItems.length, ownItems.filter(({ reversed }) => reversed).length]).toEqual([6, 3]);
    }
    for (const [i, { facet, key }] of fiveTraits.items.slice(0, 15).entries()) {
      expect([fiveTraits.items[i + 15]?.facet, fiveTraits.items[i + 15]?.key]).toEqual([facet, key]);
      expect(fiveTraits.items[i + 15]?.reversed).toBe(!fiveTraits.items[i]?.reversed);
    }
  });

  it('reverses the same items as the published key of the short inventory', () => {
    const reversed = fiveTraits.items.flatMap((item, i) => (item.reversed ? [i + 1] : []));
    expect(reversed).toEqual([1, 3, 7, 8, 10, 14, 17, 19, 20, 21, 24, 26, 27, 28, 30]);
  });
});

describe('questionnaire interview', () => {
  it('records every answer in item order, for any order of asking', async () => {
    const byText: Script = ({ view, ask }) => {
      const last = view.seen.findLast((item) => item.kind === 'message' && item.from === 'interviewer');
      const at = fiveTraits.items.findIndex(({ text }) => (last as { text: string }).text.startsWith(text));
      return { text: (ask.choices as readonly string[])[at % 5]! };
    };
    const wanted = fiveTraits.items.map((_, i) => (i % 5) + 1);
    expect(answersIn(await interview(byText))).toEqual(wanted);
    expect(answersIn(await interview(byText, { shuffle: true }))).toEqual(wanted);
    expect(answersIn(await interview(byText, { shuffle: true, fresh: true }))).toEqual(wanted);
  });

  it('shows the subject one item at a time in fresh mode', async () => {
    const counts: number[] = [];
    const counting: Script = ({ view, ask }) => {
      counts.push(view.seen.filter((item) => item.kind === 'message').length);
      return { text: ask.choices?.[0] as string };
    };
    await interview(counting, { fresh: true });
    expect(new Set(counts)).toEqual(new Set([1]));
  });

  it('records null for an unanswered item', async () => {
    let turn = 0;
    const silent: Script = ({ ask }) => ({ text: turn++ < 3 ? 'rather not' : (ask.choices?.[4] as string) });
    const answers = answersIn(await interview(silent));
    expect(answers[0]).toBeNull();
    expect(answers.slice(1)).toEqual(Array(29).fill(5));
  });

  it('flags an interviewer that rewords the items', async () => {
    const bent: Script = ({ ask }) => ({ text: `Surely not: ${ask.choices?.[0]?.slice(0, 5)}?` });
    const right = auditsOf(await interview(scripts['middle']!));
    const wrong = auditsOf(await interview(scripts['middle']!, {}, bent));
    expect(right['interviewer']).toEqual({ checked: 30, contradicted: 0 });
    expect(wrong['interviewer']).toEqual({ checked: 30, contradicted: 30 });
  });

  it('accepts a custom questionnaire and rejects an invalid one', async () => {
    const ownEntry = { labels: ['no', 'yes'], items: [{ text: 'I like rain.', key: 'rain' }] };
    expect(answersIn(await interview(scripts['yes-sayer']!, { questionnaire: ownEntry }))).toEqual([2]);
    expect(() => questionnaire.task({ questionnaire: { labels: ['no'], items: [] } })).toThrow(/2 to 11 "labels"/);
  });
});
